// Finds and words what is wrong with rows: of a project's own rows before ours, and of ours alone.

import type { Clock } from '../facts/clock.ts';
import { TOOLS } from '../facts/tools.ts';
import type { Rule, Said, Wording } from '../rules/rule.ts';
import { findRule, type Subject } from './match.ts';

type LintFact = { row: Rule; owner: RowOwner } & (
  | { fact: 'asks_nothing' }
  /** An earlier row has the same name. */
  | { fact: 'duplicate' }
  | { fact: 'number_only'; taken: string }
  /** `said` is null if the row has no proof at all. */
  | { fact: 'unproven'; said: Said | null }
  | { fact: 'shadowed'; by: Rule }
  /** Every proof of a project's row gets the same verdict without it. */
  | { fact: 'nothing_new'; because: Rule }
  /** A project's row decides a case for which one of our rows exists. */
  | { fact: 'takes_over'; from: Rule }
);

type RowOwner = 'project' | 'tollgate';

/** A deliberate choice may remain; anything else is a mistake. */
export const levelOf = ({ fact }: LintFact): 'error' | 'warning' => (fact === 'takes_over' ? 'warning' : 'error');

/** @param own Rows that are tried before `builtIn`. */
export function lintRules(own: readonly Rule[], builtIn: readonly Rule[], clock: Clock): LintFact[] {
  const all = [...own, ...builtIn];
  return [
    ...own.flatMap((row) => [
      ...alone(row, 'project', clock),
      ...inPlace(row, 'project', all, clock),
      ...(asksNothing(row) ? [] : besideOurs(row, own, builtIn, clock)),
    ]),
    ...builtIn.flatMap((row) => [...alone(row, 'tollgate', clock), ...inPlace(row, 'tollgate', builtIn, clock)]),
    ...duplicates(own, 'project', []),
    ...duplicates(builtIn, 'tollgate', own),
  ];
}

/** Checks one row by itself. */
function alone(row: Rule, owner: RowOwner, clock: Clock): LintFact[] {
  if (asksNothing(row)) return [{ row, owner, fact: 'asks_nothing' }];
  const taken = row.match.text === undefined ? null : bareNumber(row.match.text);
  const unproven = row.proof.filter((said) => !isMatched(said, row, clock));
  return [
    ...(taken === null ? [] : [{ row, owner, fact: 'number_only', taken } as const]),
    ...(row.proof.length === 0 ? [null] : unproven).map((said) => ({ row, owner, fact: 'unproven', said }) as const),
  ];
}

/** Checks the row after all rows before it. */
function inPlace(row: Rule, owner: RowOwner, rows: readonly Rule[], clock: Clock): LintFact[] {
  const deciders = proven(row, clock).flatMap((said) => decidersOf(said, row, rows, clock));
  const by = deciders.find((decider) => decider !== null);
  return by === undefined || by === null || deciders.includes(row) ? [] : [{ row, owner, fact: 'shadowed', by }];
}

function besideOurs(row: Rule, own: readonly Rule[], builtIn: readonly Rule[], clock: Clock): LintFact[] {
  const about = { row, owner: 'project' } as const;
  const without = proven(row, clock).flatMap((said) => decidersOf(said, row, builtIn, clock));
  const because = without.find((decider) => decider !== null);
  if (because && without.every((decider) => decider !== null && meansSame(decider, row)))
    return [{ ...about, fact: 'nothing_new', because }];
  const before = [...own.slice(0, own.indexOf(row) + 1), ...builtIn];
  return builtIn
    .filter((ours) => decides(row, ours, before, clock))
    .map((from) => ({ ...about, fact: 'takes_over', from }));
}

const asksNothing = ({ match }: Rule): boolean => Object.keys(match).length === 0;

const meansSame = (a: Rule, b: Rule): boolean => a.class === b.class && a.reason === b.reason;

/** Does `row` decide a case for which `ours` exists, if both may be tried? */
function decides(row: Rule, ours: Rule, rows: readonly Rule[], clock: Clock): boolean {
  const whose = bothOf(row, ours);
  return (
    whose !== null &&
    ours.proof.some(
      (said) =>
        decidersOf(said, whose, [row], clock).includes(row) && decidersOf(said, whose, rows, clock).includes(row),
    )
  );
}

function bothOf(a: ProofOwner, b: ProofOwner): ProofOwner | null {
  const tool = meet(a.tool, b.tool);
  const source = meet(a.source, b.source);
  return tool === null || source === null ? null : { tool, source };
}

const meet = <T extends string>(a: T | 'any', b: T | 'any'): T | 'any' | null =>
  a === 'any' ? b : b === 'any' || a === b ? a : null;

const isMatched = (said: Said, row: Rule, clock: Clock): boolean => decidersOf(said, row, [row], clock).includes(row);

const proven = (row: Rule, clock: Clock): Said[] => row.proof.filter((said) => isMatched(said, row, clock));

const duplicates = (rows: readonly Rule[], owner: RowOwner, before: readonly Rule[]): LintFact[] =>
  rows
    .filter(({ id }, i) => [...before, ...rows.slice(0, i)].some((earlier) => earlier.id === id))
    .map((row) => ({ row, owner, fact: 'duplicate' }));

/** Which tool may report it, and where. */
type ProofOwner = Pick<Rule, 'tool' | 'source'>;

/** The row that decides, once for each tool that may report it; null if none does. */
export const decidersOf = (said: Said, whose: ProofOwner, rules: readonly Rule[], clock: Clock): (Rule | null)[] =>
  subjectsOf(said, whose).map((subject) => findRule(subject, rules, clock));

function subjectsOf({ exit, message = '', ...rest }: Said, { tool, source }: ProofOwner): Subject[] {
  const from = exit === undefined ? 'failure' : 'exit_code';
  return (tool === 'any' ? TOOLS : [tool]).map((by) => ({
    tool: by,
    source: source === 'any' ? from : source,
    failure: { message, ...rest },
    exit: exit ?? null,
  }));
}

/** Words a finding as a sentence: which row, what is wrong with it, and how to fix it. */
export function sentenceOf(found: LintFact): string {
  return `the row "${found.row.id}" ${wordsOf(found)}`;
}

function wordsOf(found: LintFact): string {
  switch (found.fact) {
    case 'asks_nothing':
      return 'asks for nothing, and so would decide everything; say under match what it looks for';
    case 'duplicate':
      return 'has the id of an earlier row; give it one of its own';
    case 'number_only':
      return `takes "${found.taken}" for a failure, but a number says nothing by itself; put words beside it, or ask for it as status or exit`;
    case 'unproven':
      return found.said === null
        ? 'has no proof; put under proof a text that it is there for'
        : `does not match its proof ${show(found.said)}; fix the row or the proof (tool, source and everything under match must hold)`;
    case 'shadowed':
      return `decides none of its proofs, for the row "${found.by.id}" before it does; put it before that one, or let that one ask for more`;
    case 'nothing_new':
      return `says nothing new: by the built-in row "${found.because.id}" its proofs are ${meaningOf(found.row)} already; leave it out, or prove it by a text that means something else without it`;
    case 'takes_over':
      return `takes over what the built-in row "${found.from.id}" is there for, ${changeOf(found.from, found.row)}; if that is not meant, let it ask for more`;
  }
}

const meaningOf = ({ class: errorClass, reason }: Rule): string => `${errorClass} (${reason})`;

function changeOf(from: Rule, to: Rule): string {
  const [before, after] = [meaningOf(from), meaningOf(to)];
  return before === after ? `and says nothing new by it (${after})` : `so that ${before} becomes ${after}`;
}

const MAX_SHOWN = 100;

/** A text from a file may contain anything; a terminal must get only printable words. */
function show({ exit, message, code, type, status }: Said): string {
  const statement = exit === undefined ? (message ?? code ?? type ?? `status ${status}`) : `exit ${exit}`;
  const line = statement.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return `"${line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line}"`;
}

/** Returns a text that contains only a bare number and still matches the wording; null if there is none. */
function bareNumber(wording: Wording): string | null {
  for (let number = 0; number < 1000; number++) {
    const taken = PLACES.map((place) => place(number)).find((text) => wording.test(text));
    if (taken !== undefined) return taken;
  }
  return null;
}

const PLACES = [
  (n: number) => `${n}`,
  (n: number) => `line ${n}`,
  (n: number) => `app.ts:${n}:11`,
  (n: number) => `${n} files`,
  (n: number) => `exit ${n}`,
  (n: number) => `(${n})`,
  (n: number) => `took ${n} ms`,
];
