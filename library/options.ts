// Checks the options of each function at run time, because a program without types would not notice a mistyped one.

import { RUN_FLAGS } from '../loops/task/run-options.ts';
import { EXPORT_FORMATS } from '../policies/distill/export/distilled-book.ts';
import { ANOMALY_PAUSES } from '../policies/distill/pauses.ts';
import { TOOLS } from '../policies/facts/tools.ts';
import { nearest } from '../policies/text/nearest.ts';

const CHECKS: readonly unknown[] = Object.keys(ANOMALY_PAUSES).map((name) => name.replaceAll('_', '-'));

/** What a value must be; a list contains the allowed values. */
type Kind = keyof typeof KINDS | readonly unknown[];

export type KnownOptions = Readonly<Record<string, Kind>>;

const KINDS = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  texts: ['a list of texts', (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string')],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  /** A number of milliseconds or turns. */
  count: ['a whole number of 1 or more', (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1],
  /** The longest time that a timer accepts. */
  timer: [
    'a whole number of ms from 1 to 2147483647',
    (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) < 2 ** 31,
  ],
  temperature: [
    'a number from 0 to 2',
    (value: unknown) => Number.isFinite(value) && (value as number) >= 0 && (value as number) <= 2,
  ],
  words: ['a text that is not blank', (value: unknown) => typeof value === 'string' && value.trim() !== ''],
  checks: [`a list of ${CHECKS.join(', ')}`, (value: unknown) => isListOf(value, CHECKS)],
  formats: [`a list of ${EXPORT_FORMATS.join(', ')}`, (value: unknown) => isListOf(value, EXPORT_FORMATS)],
  amount: ['a number of 0 or more', (value: unknown) => Number.isFinite(value) && (value as number) >= 0],
  exit_code: ['a whole number or null', (value: unknown) => value === null || Number.isSafeInteger(value)],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  signal: ['an AbortSignal', (value: unknown) => value instanceof AbortSignal],
  object: ['an object', (value: unknown) => isObject(value)],
  environment: [
    'an object of texts',
    (value: unknown) =>
      isObject(value) && Object.values(value).every((one) => ['string', 'undefined'].includes(typeof one)),
  ],
} as const satisfies Record<string, readonly [must: string, is: (value: unknown) => boolean]>;

const isListOf = (value: unknown, allowed: readonly unknown[]): boolean =>
  Array.isArray(value) && value.every((one) => allowed.includes(one));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const WHEREABOUTS = { cwd: 'text', environment: 'environment' } as const satisfies KnownOptions;

export const READ_OPTIONS: KnownOptions = WHEREABOUTS;

const STOPPABLE = { ...WHEREABOUTS, signal: 'signal', say: 'function' } as const satisfies KnownOptions;

export const RUN_OPTIONS: KnownOptions = { ...STOPPABLE, ...flagOptions() };

/** Of the flags of a run, `tollgate supervise` has these. */
const SUPERVISED: readonly string[] = [
  ...['whenTaken', 'otherChanges', 'dirtyRetries', 'waitForResetMs', 'outOfScope', 'whenOpen', 'repair'],
  ...['keepRaw', 'recordRequests', 'trustWorkspace'],
];

export const SUPERVISE_OPTIONS: KnownOptions = {
  ...STOPPABLE,
  begin: ['resume', 'restart'],
  movedTree: ['refused', 'accepted'],
  ...Object.fromEntries(Object.entries(flagOptions()).filter(([option]) => SUPERVISED.includes(option))),
};

export const ANSWER_OPTIONS: KnownOptions = { ...SUPERVISE_OPTIONS, later: 'flag' };

export const CALL_OPTIONS: KnownOptions = {
  ...WHEREABOUTS,
  signal: 'signal',
  model: 'text',
  resumeSession: 'text',
  access: ['read', 'write', 'full'],
  allowCommit: 'flag',
  timeoutMs: 'count',
  idleTimeoutMs: 'count',
  maxTurns: 'count',
  maxTokens: 'count',
  maxUsd: 'amount',
  account: 'text',
  schema: 'object',
  trustWorkspace: 'flag',
  task: 'text',
  stage: 'text',
  keepIn: 'text',
  ...{ startTimeoutMs: 'amount', maxOutputBytes: 'count', innerRetries: ['cut', 'allow'] },
  ...{ requireMcp: 'texts', failOnDenied: 'flag', allowTool: 'texts', denyTool: 'texts' },
  ...{ effort: 'text', sandbox: 'flag', approvalMode: 'text' },
  ...{ newTask: 'flag', keepRaw: 'flag', recordRequests: 'flag', ignoreHold: 'flag' },
};

/** The flag of a wrapper, without its dashes, that does the same. */
export const flagOf = (option: string): string =>
  option === 'schema' ? 'json-schema' : option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const OPTION_OF = new Map([
  ...[...Object.keys(CALL_OPTIONS), 'redo', 'keep'].map((option) => [`--${flagOf(option)}`, option] as const),
  ['--allow-dirty', "dirtyTree: 'allow'"],
]);

/** Names options instead of flags. A command within backticks keeps its flags. */
export const withOptionNames = (text: string): string =>
  text.replace(/`[^\s`-][^`\n]*`|--[a-z-]+/g, (found) => OPTION_OF.get(found) ?? found);

const BOOK_RUN = {
  ...{ ...WHEREABOUTS, signal: 'signal', halt: 'signal', model: 'text', out: 'text', trustWorkspace: 'flag' },
  ...{ temperature: 'temperature', endMarker: 'words', noCheck: 'checks', exports: 'formats' },
  ...{ maxSeconds: 'count', maxTokens: 'count', maxUsd: 'amount', maxCalls: 'count' },
  ...{ autoWaitMs: 'timer', answerTimeoutMs: 'timer' },
} as const satisfies KnownOptions;

export const BOOK_OPTIONS: KnownOptions = { ...BOOK_RUN, promptFile: 'text', name: 'text', via: TOOLS };

export const RESUME_OPTIONS: KnownOptions = {
  ...BOOK_RUN,
  held: ['ask_again', 'accept'],
  whenTaken: ['refuse', 'force'],
};

/** Of every function about a comparison. */
export const COMPARISON_OPTIONS: KnownOptions = {
  ...{ ...STOPPABLE, trustWorkspace: 'flag', concurrency: 'count' },
};

export const PICK_OPTIONS: KnownOptions = { ...COMPARISON_OPTIONS, of: 'text' };

export const COMPARE_OPTIONS: KnownOptions = {
  ...COMPARISON_OPTIONS,
  ...{ variants: 'texts', what: ['prompt', 'task'], access: ['read', 'write'], acceptance: 'texts', stages: 'texts' },
  ...{ dirtyTree: ['refuse', 'allow'], maxCalls: 'count', maxTokens: 'count', maxUsd: 'amount' },
};

export const CAPTURED: KnownOptions = { tool: TOOLS, stderr: 'text', stdout: 'text', exitCode: 'exit_code' };

/** Each option of a run corresponds to one or several flags. */
function flagOptions(): KnownOptions {
  const known: Record<string, Kind> = {};
  for (const flag of Object.values(RUN_FLAGS)) {
    const { option, takes } = flag;
    if (takes === 'texts') known[option] = 'texts';
    else if ('reads' in flag) known[option] = 'amount';
    else if (takes === 'choice') known[option] = flag.choices;
    else if ('given' in flag) known[option] = [...new Set([...valuesOf(known[option]), flag.without, flag.given])];
    else known[option] = 'text';
  }
  return known;
}

function valuesOf(kind: Kind | undefined): readonly unknown[] {
  return Array.isArray(kind) ? kind : [];
}

/** @returns what is wrong with the options, in one sentence that names the nearest known one; null if nothing is wrong. */
export function optionsMistake(what: string, given: unknown, known: KnownOptions): string | null {
  if (!isObject(given)) return `the options of ${what} must be an object, and are ${shown(given)}`;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) return `${what} has no option ${shown(name)}; ${meant(name, Object.keys(known))}`;
    if (value === undefined) continue;
    const kind = known[name]!;
    if (typeof kind === 'string') {
      const [must, is] = KINDS[kind];
      if (!is(value)) return `${what}: ${name} must be ${must}, and is ${shown(value)}`;
    } else if (!kind.includes(value)) {
      const words = kind.map(String);
      return `${what}: ${name} must be one of ${words.join(', ')}, and is ${shown(value)}; ${meant(String(value), words)}`;
    }
  }
  return null;
}

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
}

/** A value may be a secret or a megabyte, so only a short text is repeated. */
function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= 60 ? JSON.stringify(value) : `a text of ${value.length} characters`;
  if (value === null || ['number', 'boolean', 'undefined', 'bigint'].includes(typeof value)) return String(value);
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}
