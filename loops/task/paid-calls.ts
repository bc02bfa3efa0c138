// Reports the paid calls of a task: what they used so far, which were lost, and which its agents made from within others.

import { dollars, figure } from '../../policies/text/display.ts';
import type { Journal } from '../../state/journal/journal.ts';
import { budgetOf, type Call, type Ledger } from '../../state/journal/ledger.ts';
import { spentOf } from '../../state/usage.ts';
import type { OpenTask } from './task.ts';

/** In words, before a call: its number among the paid calls if one remains, and the known tokens and dollars of the earlier ones. */
export function paidWords(open: OpenTask): string[] {
  const { tokens, usd } = spentOf(open);
  const { ledger } = open.journal.read();
  const total = budgetOf(ledger);
  return [
    ledger.used < total ? `paid call ${ledger.used + 1} of ${total}` : `none of ${total} paid calls remains`,
    ...(tokens > 0 ? [`${figure(tokens)} tokens`] : []),
    ...(usd > 0 ? [dollars(usd)] : []),
  ];
}

/** Reports the calls that died with their wrappers: one sentence for each, oldest first. */
export function lostCalls({ calls }: Ledger): string[] {
  const granted = [...calls.values()].filter((call) => call.granted);
  return granted.flatMap((call, i) => {
    const how = fateOf(call);
    if (how === null) return [];
    const { stage, call_id } = call.reserved;
    const again = granted.slice(i + 1).find((later) => later.reserved.stage === stage)?.reserved.call_id;
    return [`${stage}: the call ${call_id} ${how}${again === undefined ? '' : `, and was made once more (${again})`}`];
  });
}

function fateOf({ ended, verdict }: Call): string | null {
  if (verdict?.reason !== 'interrupted') return null;
  if (ended?.ending === 'lost') return 'was in flight when it died with its wrapper; it counts as paid';
  if (ended?.ending === 'not_started')
    return 'died with its wrapper before its CLI was started; it counts as paid, although no request was sent';
  return null;
}

/** Reports the calls that agents charged to the task from within their own calls: one sentence for each enclosing call. */
export function nestedCalls({ calls }: Ledger): string[] {
  return [...calls.values()].flatMap(({ reserved: { stage, call_id }, nested }) => {
    if (nested === 0) return [];
    const were = nested === 1 ? '1 call was' : `${nested} calls were`;
    return [`${stage}: ${were} made by its agent from within the call ${call_id}, and counted as paid by this task`];
  });
}

/** Reports what the agent of one call charged to the task while it ran, and how many of its requests were refused. */
export function nestedWords({ read }: Journal, callId: string): string[] {
  const nested = [...read().ledger.calls.values()].filter(({ reserved }) => reserved.within === callId);
  const granted = nested.filter(({ granted }) => granted).length;
  return nested.length === 0
    ? []
    : [`its agent requested ${nested.length} calls on the task's budget from within this one; ${granted} were made`];
}
