// Checks what must be true of a limited round, whatever was killed: compares what its agents saw with the books of the limits.

/** What an agent saw, in order of time. */
export interface Seen {
  what: 'begun' | 'ended' | 'refused' | 'loosened';
  id: string;
}

export interface LimitsViolation {
  /**
   * `over`: more calls were paid than the limit allows. `unspent`: the books count a call that was never made. `loosened`: by an
   * agent.
   */
  what: 'over' | 'loosened' | 'crowded' | 'twice' | 'books' | 'unspent' | 'unwell' | 'running';
  why: string;
}

interface BudgetLeft {
  seen: readonly Seen[];
  most: number;
  before: number;
  booked: number;
  /** The number of killed processes: each may have been about to start its granted call. */
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

/** A call is at work from its begin until it reports its end. */
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

/** A killed agent may not report the result of its attempt: the file of the limits shows it. */
export function checkLoosened(seen: readonly Seen[], before: string, after: string): LimitsViolation[] {
  const found = seen
    .filter(({ what }) => what === 'loosened')
    .map(({ id }): LimitsViolation => ({ what: 'loosened', why: `the agent of ${id} was not refused` }));
  return before === after ? found : [...found, { what: 'loosened', why: `the limits are now ${after}` }];
}
