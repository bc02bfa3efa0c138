// The calls of a task that died with their wrappers: what each of them may have cost, and what was asked in its place.

import type { Call, Ledger } from '../../state/ledger.ts';

/** One sentence for each, oldest first. */
export function lostCalls({ calls }: Pick<Ledger, 'calls'>): string[] {
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
    return 'died with its wrapper before its CLI was started; it counts as paid, though nothing was asked';
  return null;
}
