// Defines a labelled case, the output of one call with its correct verdict, and compares our verdicts with the labels.

import type { ErrorClass } from '../facts/classes.ts';
import { ENDINGS, type Ending, type Verdict } from '../facts/evidence.ts';
import type { BuiltIn } from '../facts/tools.ts';

export interface LabelledCase {
  /** Unique in its corpus. */
  id: string;
  /** Its location, for messages: a path as it was given, and the line from 1. */
  file: string;
  line: number;
  captured: CapturedCall;
  /** When it happened, in UTC: the clock for waits and wall times. */
  at: Date;
  label: Label;
  /** The failure, and how it is reported; null if the case has no label for signatures. */
  identity: string | null;
  rendering: string | null;
}

export interface CapturedCall {
  tool: BuiltIn;
  /** The CLI's own exit code, or the one of its wrapper; null if unknown. */
  exitCode: number | null;
  signal: string | null;
  ending: RecordedEnding | null;
  stderr: string;
  stdout: string;
}

/** `killed`: the recorder ended it, at a retry that the CLI announced or otherwise at a deadline. null: it ended by itself. */
export type RecordedEnding = Ending | 'killed';

export const RECORDED_ENDINGS: readonly string[] = [...Object.keys(ENDINGS), 'killed'];

/** A field that is missing may have any value. */
interface Label {
  /** null = success. */
  class: ErrorClass | null;
  reason?: string;
  /** ISO time; null: the service names none. */
  retryAt?: string | null;
}

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
