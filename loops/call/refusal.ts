// The record of a call that was refused before anything was started.

import type { CallRecord } from '../../policies/call-record.ts';
import { UNKNOWN_USAGE } from '../../policies/engine-event.ts';
import { EXIT_BY_SIGNAL, WRAPPER_EXIT } from '../../policies/exit-codes.ts';
import { sign } from '../../policies/signature/sign.ts';
import type { Refusal } from './check.ts';
import type { Draft } from './draft.ts';
import { commonOf, redacted } from './record.ts';

/** Nothing was started and nothing was paid. */
export function refusalRecord(draft: Draft, refusal: Refusal): CallRecord {
  const { adapter, call } = draft.request;
  const { class: errorClass, reason, message } = refusal;
  const record: CallRecord = {
    ...commonOf(draft),
    model: call.model,
    duration_ms: 0,
    ending: 'not_started',
    native_exit_code: null,
    signal: null,
    wrapper_exit_code: { ...WRAPPER_EXIT[adapter.tool], ...EXIT_BY_SIGNAL }[refusal.exit],
    session_id: null,
    answer_bytes: 0,
    usage: UNKNOWN_USAGE,
    tool_calls: null,
    denied_tools: [],
    warnings: draft.warnings,
    verdict: {
      class: errorClass,
      reason,
      evidence: { source: 'none', text: message, rule: `refused-${reason.replaceAll('_', '-')}` },
      retry_at: null,
    },
    signature: sign({
      tool: adapter.tool,
      errorLines: [],
      eventText: null,
      detail: { ending: 'not_started', class: errorClass, reason, more: [] },
    }).signature,
    orphans_killed: null,
    inner_retries: null,
  };
  return redacted(record, draft);
}
