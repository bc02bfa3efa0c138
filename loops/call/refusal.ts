// Makes the record of a call that was refused before anything was started, or whose output cannot be read.

import { UNKNOWN_USAGE } from '../../policies/facts/engine-event.ts';
import { EXIT_BY_SIGNAL } from '../../policies/facts/exit-codes.ts';
import type { CallRecord } from '../../policies/record/call-record.ts';
import { sign } from '../../policies/signature/sign.ts';
import { exitCodesOf } from '../../wrappers/own/exit-codes.ts';
import { closing } from '../attempt/close-attempt.ts';
import type { ClosingDraft, Draft } from '../attempt/draft.ts';
import type { Refusal } from './check.ts';
import type { Called } from './conclude.ts';
import { publishRefusal } from './publish.ts';
import { commonOf, nextOf, redacted, sentenceOf } from './record.ts';

/** Nothing was paid. The record still says why. */
export const refused = (draft: Draft, refusal: Refusal): Called => told(draft, refusalRecord(closing(draft), refusal));

/** The call was started and counts as paid, but the disk does not return its output. */
export const unread = (draft: Draft, message: string): Called => told(draft, unreadRecord(closing(draft), message));

function told(draft: Draft, record: CallRecord): Called {
  const sentence = sentenceOf(record, draft.request);
  try {
    publishRefusal(draft, record);
    return { record, message: sentence };
  } catch (error) {
    return { record, message: `${sentence} (The record could not be written either: ${(error as Error).message})` };
  }
}

/** Nothing was started and nothing was paid. */
export const refusalRecord = (draft: ClosingDraft, refusal: Refusal): CallRecord =>
  emptyRecord(draft, refusal, { ending: 'not_started', durationMs: 0, rule: `refused-${dashed(refusal.reason)}` });

const unreadRecord = (draft: ClosingDraft, message: string): CallRecord =>
  emptyRecord(
    draft,
    { class: 'tooling', reason: 'disk', exit: 'failure', message },
    { ending: 'lost', durationMs: null, rule: 'unread-disk' },
  );

const dashed = (reason: string) => reason.replaceAll('_', '-');

interface Fate {
  ending: 'not_started' | 'lost';
  durationMs: number | null;
  rule: string;
}

function emptyRecord(draft: ClosingDraft, refusal: Refusal, { ending, durationMs, rule }: Fate): CallRecord {
  const { adapter, call } = draft.request;
  const { class: errorClass, reason, message } = refusal;
  const exits = exitCodesOf(adapter);
  const record: CallRecord = {
    ...commonOf(draft),
    model: call.model,
    duration_ms: durationMs,
    ending,
    native_exit_code: null,
    signal: null,
    wrapper_exit_code: { ...exits, ...EXIT_BY_SIGNAL }[refusal.exit] ?? exits.failure,
    session_id: null,
    answer_bytes: 0,
    usage: UNKNOWN_USAGE,
    tool_calls: null,
    denied_tools: [],
    warnings: draft.warnings,
    verdict: {
      class: errorClass,
      reason,
      evidence: { source: 'none', text: message, rule },
      retry_at: refusal.retryAt ?? null,
    },
    signature: sign({
      tool: adapter.tool,
      errorLines: [],
      eventText: null,
      detail: { ending, class: errorClass, reason, more: [] },
    }).signature,
    orphans_killed: null,
    inner_retries: null,
  };
  return redacted({ ...record, ...nextOf(record, draft, null) }, draft);
}
