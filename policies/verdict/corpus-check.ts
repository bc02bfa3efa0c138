// Compares our verdicts on labelled cases with their labels: verdict by verdict, signature by signature.

import type { Verdict } from '../facts/evidence.ts';
import type { Label, LabelledCase } from './labelled-case.ts';

/** A labelled case and our verdict on it. */
export interface Judged {
  labelled: LabelledCase;
  verdict: Verdict;
  signature: string | null;
}

export interface Difference {
  what: 'class' | 'reason' | 'retry_at';
  expected: string | null;
  got: string | null;
}

/** Anything that the label omits counts as correct. If the class is wrong, the rest is not compared. */
export function differences({ class: errorClass, reason, retryAt }: Label, verdict: Verdict): Difference[] {
  if (verdict.class !== errorClass) return [{ what: 'class', expected: errorClass, got: verdict.class }];
  const found: Difference[] = [];
  if (reason !== undefined && verdict.reason !== reason)
    found.push({ what: 'reason', expected: reason, got: verdict.reason });
  if (retryAt !== undefined && !isSameTime(retryAt, verdict.retry_at))
    found.push({ what: 'retry_at', expected: retryAt, got: verdict.retry_at });
  return found;
}

/** Compares to the second, the precision of a service's times. */
function isSameTime(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(Date.parse(a) - Date.parse(b)) < 1000;
}

/** A name that several groups of cases share, but that should belong to one. */
export interface Clash {
  name: string;
  groups: Map<string, SignedCase[]>;
}

/** One signature for several failures (by identity): a rerun would count them as one. */
export const merges = (judged: readonly Judged[]): Clash[] =>
  clashes(
    judged,
    ({ signature }) => signature,
    ({ labelled }) => labelled.identity,
  );

/** Several signatures for one failure reported in one way: each would be counted as a new failure. */
export const splits = (judged: readonly Judged[]): Clash[] =>
  clashes(
    judged,
    ({ labelled }) => `${labelled.identity} as ${labelled.rendering}`,
    ({ signature }) => signature,
  );

interface SignedCase extends Judged {
  signature: string;
  labelled: LabelledCase & { identity: string; rendering: string };
}

/** The signature counts only for these: a failure that has a name. */
const isSigned = (judged: Judged): judged is SignedCase =>
  judged.signature !== null && judged.labelled.identity !== null && judged.labelled.label.class !== null;

function clashes(
  judged: readonly Judged[],
  nameOf: (one: SignedCase) => string,
  groupOf: (one: SignedCase) => string,
): Clash[] {
  const names = new Map<string, Map<string, SignedCase[]>>();
  for (const one of judged.filter(isSigned)) {
    const groups = groupsIn(names, nameOf(one));
    groups.set(groupOf(one), [...(groups.get(groupOf(one)) ?? []), one]);
  }
  return [...names].filter(([, groups]) => groups.size > 1).map(([name, groups]) => ({ name, groups }));
}

function groupsIn(names: Map<string, Map<string, SignedCase[]>>, name: string): Map<string, SignedCase[]> {
  const groups = names.get(name) ?? new Map<string, SignedCase[]>();
  names.set(name, groups);
  return groups;
}
