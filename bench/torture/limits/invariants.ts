// What must be true of a limited round, whatever was killed in it: what its agents saw, against the books of the limits.

import type { Violation } from '../rig.ts';

/** What an agent saw, in order of time. */
export interface Seen {
  what: 'begun' | 'ended' | 'refused' | 'loosened';
  id: string;
}

export const WRONG = {
  over: 'past a limit',
  loosened: 'limits loosened by agents',
  crowded: 'with too many at once',
  twice: 'calls twice',
  books: 'whose books are wrong',
  unspent: 'calls booked and never made',
  running: 'left running',
  unwell: 'unwell',
};
export type LimitsViolation = Violation<keyof typeof WRONG>;

interface BudgetLeft {
  seen: readonly Seen[];
  most: number;
  before: number;
  booked: number;
  /** How many processes were killed: each may have been about to start a granted call. */
  killed: number;
}

export function checkBudget({ seen, most, before, booked, killed }: BudgetLeft): LimitsViolation[] {
  const found = checkOnce(seen);
  const paid = begun(seen).length;
  if (before + paid > most) found.push({ what: 'over', why: `${before} + ${paid} calls were paid, of ${most}` });
  if (booked !== most) found.push({ what: 'books', why: `the books end at ${booked} of ${most} calls` });
  if (booked - before < paid) found.push({ what: 'books', why: `${paid} were paid, ${booked - before} are booked` });
  const unspent = booked - before - paid;
  if (unspent > killed)
    found.push({ what: 'unspent', why: `${unspent} were booked and not made; ${killed} were killed` });
  return found;
}

export function checkAtOnce(seen: readonly Seen[], most: number, asked: number): LimitsViolation[] {
  const found = checkOnce(seen);
  const crowd = mostAtOnce(seen);
  if (crowd > most) found.push({ what: 'crowded', why: `${crowd} were at work at once, of ${most}` });
  const paid = begun(seen).length;
  if (paid !== asked) found.push({ what: 'unspent', why: `${paid} of ${asked} calls were made` });
  return found;
}

/** An agent that began is at work until it says that it has ended. */
export function mostAtOnce(seen: readonly Seen[]): number {
  const working = new Set<string>();
  let most = 0;
  for (const { what, id } of seen) {
    if (what === 'begun') working.add(id);
    else if (what === 'ended') working.delete(id);
    most = Math.max(most, working.size);
  }
  return most;
}

const begun = (seen: readonly Seen[]): string[] => seen.filter(({ what }) => what === 'begun').map(({ id }) => id);

function checkOnce(seen: readonly Seen[]): LimitsViolation[] {
  const ids = begun(seen);
  const twice = [...new Set(ids.filter((id, i) => ids.indexOf(id) !== i))];
  return twice.map((id) => ({ what: 'twice', why: `${id} was begun twice` }));
}

/** A killed agent may not say whether it changed the limits: their file does. */
export function checkLoosened(seen: readonly Seen[], before: string, after: string): LimitsViolation[] {
  const found = seen
    .filter(({ what }) => what === 'loosened')
    .map(({ id }): LimitsViolation => ({ what: 'loosened', why: `the agent of ${id} was not refused` }));
  return before === after ? found : [...found, { what: 'loosened', why: `the limits are now ${after}` }];
}
