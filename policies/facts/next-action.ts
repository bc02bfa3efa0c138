// Defines one thing to do next: the value that commands print, files keep, and other agents act on.

import { shellWord } from '../text/display.ts';

export interface NextAction {
  /** What to do, in the imperative. It is complete without the command. */
  text: string;
  /** A complete shell line; absent if no single line does it. */
  command?: string;
  /** Does the command itself make a paid call? Open stages still cost when it continues to them. */
  pays: boolean;
  /** What it loosens, which only the user may decide. null: nothing. */
  changes: 'gate' | 'scope' | 'budget' | null;
}

export const toDo = (text: string): NextAction => ({ text, pays: false, changes: null });

export const toType = (text: string, command: string, pays: 'pays' | 'free' = 'free'): NextAction => ({
  text,
  command,
  pays: pays === 'pays',
  changes: null,
});

type Beginning = readonly [agent: string, person: string];

/** How an action begins for an agent, and for a person at a terminal, who is the user that the agent would ask. */
const LOOSENING = {
  gate: [
    'only if the user decides so, since it weakens the gate: ',
    'only if you decide so, since it weakens the gate: ',
  ],
  scope: [
    'only if the user decides so, since it widens the scope: ',
    'only if you decide so, since it widens the scope: ',
  ],
  budget: ['only if the user allows more paid calls: ', 'only if you allow more paid calls: '],
} as const satisfies Record<NonNullable<NextAction['changes']>, Beginning>;
const DECIDE: Beginning = ['ask the user whether ', 'decide whether '];
const ANSWER: Beginning = ['ask the user, and give the answer in place of the dots: ', 'answer it: '];

export const toDecide = (what: string): NextAction => toDo(`${DECIDE[0]}${what}`);

/** @param line the command, with dots in place of the answer. */
export const toAnswer = (line: string): NextAction => toDo(`${ANSWER[0]}${line}`);

/** The same action, as one that only the user may decide. */
export const forUser = (changes: NonNullable<NextAction['changes']>, action: NextAction): NextAction => ({
  ...action,
  text: `${LOOSENING[changes][0]}${action.text}`,
  changes,
});

/** Actions that loosen nothing come first. If all loosen something, a question to the user comes first. Removes duplicates. */
export function inOrder(actions: readonly NextAction[]): NextAction[] {
  const lines = new Set<string>();
  const once = actions.filter((action) => {
    const line = actionLine(action);
    return !lines.has(line) && lines.add(line);
  });
  const loosening = once.filter(({ changes }) => changes !== null);
  const others = once.filter(({ changes }) => changes === null);
  if (others.length > 0 || loosening.length === 0) return [...others, ...loosening];
  const what = loosening[0]!.changes === 'budget' ? 'this task may pay for more calls' : 'less is to be required here';
  return [toDecide(what), ...loosening];
}

/** As one line of a page: the command within backticks. */
export const actionLine = ({ text, command }: NextAction): string =>
  command === undefined ? text : `${text}: \`${command}\``;

/** The same line for a person at a terminal. */
export function personLine(action: NextAction): string {
  const line = actionLine(action);
  const beginning = [...Object.values(LOOSENING), DECIDE, ANSWER].find(([agent]) => line.startsWith(agent));
  if (beginning === undefined) return line;
  const own = line.slice(beginning[0].length);
  return `${beginning[1]}${beginning === ANSWER ? `\`${own.replace('"…"', '"YOUR ANSWER"')}\`` : own}`;
}

/** The first step for a person, who decides by it, and the one that then continues the task. Without notes. */
export function personSteps(actions: readonly NextAction[]): NextAction[] {
  const [first, ...others] = actions.filter(
    (action) => !isNote(action) && (!action.text.startsWith(DECIDE[0]) || actions.length === 1),
  );
  if (first === undefined || first.pays) return first === undefined ? [] : [first];
  const free = others.filter(({ changes }) => changes === null);
  const then = free.find(({ pays }) => pays) ?? (first.command ? undefined : free.find(({ command }) => command));
  return then === undefined ? [first] : [first, then];
}

/** Changes each text and command: by a redactor, or for the reader. */
export const mapAction = (action: NextAction, change: (text: string) => string): NextAction => ({
  ...action,
  text: change(action.text),
  ...(action.command === undefined ? {} : { command: change(action.command) }),
});

/** Also reads a file of an older version, in which each action was one line. Omits what is not an action. */
export function readActions(kept: unknown): NextAction[] {
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((each: unknown): NextAction[] => {
    if (typeof each === 'string') return [{ ...toDo(each), pays: /\basks \S+ again\b/.test(each) }];
    const { text, command, pays, changes } = (each ?? {}) as Partial<NextAction>;
    if (typeof text !== 'string') return [];
    const loosens = changes !== undefined && changes !== null && Object.hasOwn(LOOSENING, changes) ? changes : null;
    return [{ text, ...(typeof command === 'string' ? { command } : {}), pays: pays === true, changes: loosens }];
  });
}

/** How the command that opened a task was called, so that the next one is called the same way. */
export interface CalledAs {
  /** `tollgate`, or the command that starts it if that is not on the PATH. */
  launcher: string;
  /** The verb that continues the task. */
  verb: 'run' | 'supervise';
  /** The task as it was named: an id, or a path. */
  word: string;
  /** With `--trust-workspace`, which the next command needs too. */
  trusts: boolean;
  /** Other flags of that command that decide how the next one ends. */
  flags?: readonly string[];
  /** For a caller's own call: the command that repeats it, and its arguments in shell syntax; null if no line can repeat it. */
  wrapper?: { command: string; given: string } | null;
}

/** The line that continues the task, or makes the call again. */
export const goOnLine = (called: CalledAs, ...flags: string[]): string => {
  const { launcher, verb, word, trusts, flags: given = [], wrapper } = called;
  if (wrapper) return [wrapper.command, ...(trusts ? ['--trust-workspace'] : []), ...flags, wrapper.given].join(' ');
  const taken = verb === 'run' ? [...given, ...flags] : flags.filter((flag) => !OF_STAGES.test(flag));
  return [launcher, verb, shellWord(word), ...(trusts ? ['--trust-workspace'] : []), ...taken].join(' ');
};

/** Flags that a supervision does not accept: it has no stages to repeat or to keep. */
const OF_STAGES = /^--(?:redo|keep|recheck|ignore-hold)\b/;

/** Another command about the task. */
export const taskLine = ({ launcher, word }: CalledAs, command: string, ...flags: string[]): string =>
  [launcher, command, shellWord(word), ...flags].join(' ');

/** A check of the machine. `npx preflight` would start a package of another author where Tollgate is not installed. */
export const preflightLine = (launcher: string, ...flags: string[]): string =>
  [launcher, 'preflight', ...flags].join(' ');

/** An action that only states a fact; a page for people shows it as a note. */
export const isNote = ({ text }: NextAction): boolean => text.startsWith(NOTE);

export const noteOf = ({ text }: NextAction): string => text.slice(NOTE.length);

const NOTE = 'note: ';
