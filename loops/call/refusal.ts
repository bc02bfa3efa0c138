// Makes the record of a call that was refused before anything was started, or whose output cannot be read.

import { UNKNOWN_USAGE } from '../../policies/facts/engine-event.ts';
import { EXIT_BY_SIGNAL } from '../../policies/facts/exit-codes.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { sign } from '../../policies/signature/sign.ts';
import { exitCodesOf } from '../../wrappers/adapter.ts';
import { redactorFor } from '../attempt/close-attempt.ts';
import { type BegunCall, type CheckedCall, NOT_REACHED, type RecordableCall } from '../attempt/phases.ts';
import type { Refusal } from './check.ts';
import type { Called } from './conclude.ts';
import { publishRefusal } from './publish.ts';
import { commonOf, nextOf, redacted, sentenceOf } from './record.ts';

/** Nothing was paid. The record still says why. */
export function refused(call: UnfinishedCall, refusal: Refusal): Called {
  return publish(call, refusalRecord(recordable(call), refusal));
}

/** The call was started and counts as paid, but the disk does not return its output. */
export function unread(call: UnfinishedCall, message: string): Called {
  return publish(call, unreadRecord(recordable(call), message));
}

/** A call that ended in one of its phases. */
export type UnfinishedCall = BegunCall & Partial<Omit<CheckedCall, 'prompt'>> & { readonly prompt?: Buffer | null };

const recordable = (call: UnfinishedCall): RecordableCall => ({
  ...NOT_REACHED,
  ...call,
  redactor: redactorFor(call.request),
});

function publish(call: BegunCall, record: CallRecord): Called {
  const sentence = sentenceOf(record, call.request);
  try {
    publishRefusal(call, record);
    return { record, message: sentence };
  } catch (error) {
    return { record, message: `${sentence} (The record could not be written either: ${(error as Error).message})` };
  }
}

/** Nothing was started and nothing was paid. */
export const refusalRecord = (call: RecordableCall, refusal: Refusal): CallRecord =>
  emptyRecord(call, refusal, { ending: 'not_started', durationMs: 0, rule: `refused-${dashed(refusal.reason)}` });

const unreadRecord = (call: RecordableCall, message: string): CallRecord =>
  emptyRecord(
    call,
    { class: 'tooling', reason: 'disk', exit: 'failure', message },
    { ending: 'lost', durationMs: null, rule: 'unread-disk' },
  );

const dashed = (reason: string) => reason.replaceAll('_', '-');

interface Fate {
  ending: 'not_started' | 'lost';
  durationMs: number | null;
  rule: string;
}

function emptyRecord(ended: RecordableCall, refusal: Refusal, { ending, durationMs, rule }: Fate): CallRecord {
  const { adapter, call } = ended.request;
  const { class: errorClass, reason, message, limit } = refusal;
  const exits = exitCodesOf(adapter);
  const record: CallRecord = {
    ...commonOf(ended),
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
    warnings: [...ended.warnings],
    verdict: {
      class: errorClass,
      reason,
      evidence: { source: 'none', text: message, rule, ...(limit === undefined ? {} : { limit }) },
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
  return redacted({ ...record, ...nextOf(record, ended, null) }, ended);
}
