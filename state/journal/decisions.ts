// Finds the decision after each call by the order of the journal's lines, because a clock may be set back.

import type { JournalLine } from './facts.ts';
import type { Call, Ledger } from './ledger.ts';

type Decision = Extract<JournalLine, { fact: 'decided' }>;

/** A decision is about the last call of its run and stage before it. If several are about one call, the first counts. */
export function decisionsByCall({ calls, decided }: Pick<Ledger, 'calls' | 'decided'>): Map<Call, Decision> {
  const found = new Map<Call, Decision>();
  const last = new Map<string, Call>();
  const reserved = calls.values();
  let next = reserved.next();
  for (const [nth, decision] of decided.entries()) {
    for (; next.done !== true && next.value.before.decided <= nth; next = reserved.next())
      last.set(keyOf(next.value.reserved), next.value);
    const call = last.get(keyOf(decision));
    if (call !== undefined && !found.has(call)) found.set(call, decision);
  }
  return found;
}

const keyOf = ({ run_id, stage }: { run_id: string | null; stage: string }): string => `${run_id} ${stage}`;
