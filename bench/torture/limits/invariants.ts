// What must be true of a limited round, whoever was killed in it: what its agents saw, against the books of the limits.

/** What an agent saw, in the order in which it was. */
export interface Seen {
  what: 'begun' | 'ended' | 'refused' | 'loosened';
  id: string;
}

export interface LimitsViolation {
  /** `over`: more were paid than the limit has. `unspent`: the books refuse a call that was never made. `loosened`: by an agent. */
  what: 'over' | 'loosened' | 'crowded' | 'twice' | 'books' | 'unspent' | 'unwell' | 'running';
  why: string;
}

interface BudgetLeft {
  seen: readonly Seen[];
  most: number;
  before: number;
  booked: number;
  /** How many processes were killed: each may have been about to start what it had been granted. */
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

/** Who began is at work until it says that it has ended. */
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

/** An agent that was killed may not say what became of what it tried: the file of the limits does. */
export function checkLoosened(seen: readonly Seen[], before: string, after: string): LimitsViolation[] {
  const found = seen
    .filter(({ what }) => what === 'loosened')
    .map(({ id }): LimitsViolation => ({ what: 'loosened', why: `the agent of ${id} was not refused` }));
  return before === after ? found : [...found, { what: 'loosened', why: `the limits are now ${after}` }];
}
