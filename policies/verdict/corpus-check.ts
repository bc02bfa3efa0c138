// Compares what we say of labelled cases with what is true of them: verdict by verdict, signature by signature.

import type { Verdict } from '../facts/evidence.ts';
import type { Label, LabelledCase } from './labelled-case.ts';

/** A labelled case and what we say of it. */
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

/** What a label leaves open is as it should be. Where the class is wrong, the rest is not looked at. */
export function differences({ class: errorClass, reason, retryAt }: Label, verdict: Verdict): Difference[] {
  if (verdict.class !== errorClass) return [{ what: 'class', expected: errorClass, got: verdict.class }];
  const found: Difference[] = [];
  if (reason !== undefined && verdict.reason !== reason)
    found.push({ what: 'reason', expected: reason, got: verdict.reason });
  if (retryAt !== undefined && !isSameTime(retryAt, verdict.retry_at))
    found.push({ what: 'retry_at', expected: retryAt, got: verdict.retry_at });
  return found;
}

/** To the second: that is as exact as a service says it. */
function isSameTime(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(Date.parse(a) - Date.parse(b)) < 1000;
}

/** A name that several groups of cases share, where there should be one. */
export interface Clash {
  name: string;
  groups: Map<string, SignedCase[]>;
}

/** One signature, several failures (by identity): a rerun would count them as one. */
export const merges = (judged: readonly Judged[]): Clash[] =>
  clashes(
    judged,
    ({ signature }) => signature,
    ({ labelled }) => labelled.identity,
  );

/** One failure told in one way, several signatures: each would be counted as a new failure. */
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

/** Of these the signature counts: a failure that has a name. */
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
