// What must be true of the calls of a supervised round, whatever struck it: the document's table, said once more.

import type { SuperviseSaid } from './plan.ts';

export type Asked = { part: 'worker'; instruction: string } | { part: 'reasoner'; iteration: number };

export interface SuperviseViolation {
  what: 'twice' | 'skipped' | 'changed' | 'undone';
  why: string;
}

/** The calls that a round without a kill makes, in order. */
export function expectedCalls(script: readonly SuperviseSaid[], goal: string): Asked[] {
  const calls: Asked[] = [];
  let instruction = goal;
  let errors = 0;
  let isSpared = false;
  for (let iteration = 1; ; iteration += 1) {
    if (!isSpared) calls.push({ part: 'worker', instruction });
    calls.push({ part: 'reasoner', iteration });
    const said = script[iteration - 1] ?? 'done';
    if (said === 'done') return calls;
    errors = said === 'fails' || said === 'garbage' ? errors + 1 : 0;
    if (said === 'continue') instruction = `Task of ${iteration}`;
    // A saved session is gone on with at its reasoner.
    isSpared = errors === 3 || said === 'save_session';
    if (isSpared) errors = 0;
  }
}

export function checkCalls(
  made: readonly Asked[],
  expected: readonly Asked[],
  code: number | null,
): SuperviseViolation[] {
  const found: SuperviseViolation[] = [];
  const at = made.findIndex((call, i) => JSON.stringify(call) !== JSON.stringify(expected[i]));
  const told = (call: Asked | undefined) => JSON.stringify(call ?? 'nothing');
  if (at !== -1) {
    const again = at > 0 && told(made[at]) === told(made[at - 1]);
    const what = again ? 'twice' : made[at]!.part === 'worker' ? 'changed' : 'skipped';
    found.push({ what, why: `call ${at + 1} asked ${told(made[at])}, and should ask ${told(expected[at])}` });
  } else if (made.length < expected.length)
    found.push({ what: 'skipped', why: `${made.length} of ${expected.length} calls were made` });
  if (code !== 0) found.push({ what: 'undone', why: `its last run ended with ${code}` });
  return found;
}
