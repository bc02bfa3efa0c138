// Parses a command's arguments by a table of flags; reports every mistake as a sentence that names the fix.

import { parseArgs } from 'node:util';
import { nearest } from '../policies/text/nearest.ts';

export interface FlagRow {
  /** Its one-letter form after a single dash. */
  short?: string;
  /** `number_if_any`: the next word, if that is a number. */
  takes: 'text' | 'texts' | 'number' | 'number_if_any' | 'choice' | 'nothing';
  about: string;
  choices?: readonly string[];
  /** Other names of choices, which no help shows. */
  alsoTakes?: readonly string[];
  /** Shown by --help and filled in when the flag is not given. */
  default?: string | number;
  required?: true;
  /** Smallest number allowed; 0 by default. */
  min?: number;
  /** Largest number allowed. */
  max?: number;
}

export interface CommandSpec {
  name: string;
  usage: string;
  about: string;
  flags: Record<string, FlagRow>;
  /** The most used of more than ten flags: --help shows these, and --help --all shows every flag. */
  common?: readonly string[];
  /** Families of numbered flags, such as --task-3-done. */
  families?: readonly { match: RegExp; shown: string; about: string }[];
  /** How many words without a dash the command takes. */
  words: { min: number; max: number; called: string };
  examples: readonly (readonly [line: string, does: string])[];
  exits: readonly (readonly [code: number | string, means: string])[];
}

export interface Arguments {
  text: Record<string, string | undefined>;
  texts: Record<string, string[] | undefined>;
  number: Record<string, number | undefined>;
  given: Set<string>;
  words: string[];
}

type Parsed = { how: 'read'; args: Arguments } | { how: 'help' | 'version' } | { how: 'invalid'; message: string };

export const SHARED_FLAGS = {
  json: { takes: 'nothing', about: 'print one JSON object, and nothing else' },
  quiet: { takes: 'nothing', about: 'print only the result, or one line of error' },
  help: { takes: 'nothing', about: 'show the help; with --all: every flag' },
  version: { takes: 'nothing', about: 'show the version (-V)' },
} as const satisfies Record<string, FlagRow>;

export const HELP_FLAGS: readonly string[] = ['--help', '-h'];
/** After or before --help. Alone it is a flag only if the command has one of that name. */
export const ALL_FLAG = '--all';
export const VERSION_FLAGS: readonly string[] = ['--version', '-V'];

export function parseCommandLine(spec: CommandSpec, argv: readonly string[]): Parsed {
  const flags: Record<string, FlagRow> = { ...spec.flags, ...SHARED_FLAGS };
  const args: Arguments = { text: {}, texts: {}, number: {}, given: new Set(), words: [] };
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    // Node validates each of them: those that are not given would cost as much as those that are.
    options: Object.fromEntries(
      Object.entries(flags)
        .filter(([name, row]) => isNear(name, row, argv))
        .map(([name, row]) => [
          name,
          {
            type: row.takes === 'nothing' || row.takes === 'number_if_any' ? 'boolean' : 'string',
            ...(row.short === undefined ? {} : { short: row.short }),
          },
        ]),
    ),
  });
  let expectsValueOf: string | null = null;
  let mayHaveNumber: string | null = null;
  for (const token of tokens) {
    const numbered: string | null = mayHaveNumber;
    mayHaveNumber = null;
    if (token.kind === 'positional') {
      if (numbered !== null && /^\d+$/.test(token.value)) {
        const mistake = takeNumber(args, numbered, flags[numbered]!, token.value);
        if (mistake !== null) return invalid(mistake);
        continue;
      }
      // parseArgs reads the value of a family's flag as a word, since it cannot know the family.
      if (expectsValueOf !== null) args.text[expectsValueOf] = token.value;
      else args.words.push(token.value);
      expectsValueOf = null;
      continue;
    }
    if (expectsValueOf !== null) return invalid(`--${expectsValueOf} needs a value`);
    if (token.kind !== 'option') continue;
    if (HELP_FLAGS.includes(token.rawName)) return { how: 'help' };
    if (VERSION_FLAGS.includes(token.rawName)) return { how: 'version' };
    const row = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (row === undefined) {
      if (token.rawName === ALL_FLAG && argv.some((word) => HELP_FLAGS.includes(word))) continue;
      if (!spec.families?.some((family) => family.match.test(token.name)))
        return unknownFlag(spec, flags, token.rawName);
      // Otherwise a later one would silently override the first.
      if (args.given.has(token.name)) return invalid(`--${token.name} is given twice`);
      args.given.add(token.name);
      if (token.value === undefined) expectsValueOf = token.name;
      else args.text[token.name] = token.value;
      continue;
    }
    args.given.add(token.name);
    if (row.takes === 'number_if_any' && token.value === undefined) {
      mayHaveNumber = token.name;
      continue;
    }
    const mistake = takeValue(args, token.name, row, token.value, token.inlineValue === true);
    if (mistake !== null) return invalid(mistake);
  }
  if (expectsValueOf !== null) return invalid(`--${expectsValueOf} needs a value`);
  return complete(spec, flags, args);
}

/** Whether it may be among them: in full, or as a letter in a group of letters. */
const isNear = (name: string, { short }: FlagRow, argv: readonly string[]): boolean =>
  short !== undefined || argv.some((word) => word.startsWith(`--${name}`));

function takeValue(
  args: Arguments,
  name: string,
  row: FlagRow,
  value: string | undefined,
  inline: boolean,
): string | null {
  if (row.takes === 'nothing') return value === undefined ? null : `--${name} takes no value`;
  if (value === undefined || value === '') return `--${name} needs a value`;
  // `--out --err` would use the next flag as a file name; `--out=--err` shows that it is intended.
  if (!inline && value.startsWith('-') && value !== '-' && !(row.takes === 'number' && /^-\d/.test(value)))
    return `--${name} needs a value, but "${value}" follows; write --${name}=${value} if that is the value`;
  if (row.takes === 'texts') args.texts[name] = [...(args.texts[name] ?? []), value];
  else if (row.takes === 'number' || row.takes === 'number_if_any') return takeNumber(args, name, row, value);
  else if (row.takes === 'choice' && ![...(row.choices ?? []), ...(row.alsoTakes ?? [])].includes(value))
    return `--${name} takes one of ${row.choices?.join(', ')}, not "${value}"`;
  else args.text[name] = value;
  return null;
}

function takeNumber(args: Arguments, name: string, row: FlagRow, value: string): string | null {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = row;
  if (!Number.isSafeInteger(number) || number < min || number > max) {
    const range = row.max === undefined ? `from ${min}` : `from ${min} to ${max}`;
    return `--${name} takes a whole number ${range}, not "${value}"`;
  }
  args.number[name] = number;
  return null;
}

function complete(spec: CommandSpec, flags: Record<string, FlagRow>, args: Arguments): Parsed {
  for (const [name, row] of Object.entries(flags)) {
    if (args.given.has(name)) continue;
    if (row.required) return invalid(`--${name} is required: ${row.about}`);
    if (typeof row.default === 'number') args.number[name] = row.default;
    else if (row.default !== undefined) args.text[name] = row.default;
  }
  const { min, max, called } = spec.words;
  if (args.words.length > max) return invalid(`"${args.words[max]}" is one word too many`);
  if (args.words.length < min) return invalid(`${called} is missing`);
  return { how: 'read', args };
}

function unknownFlag(spec: CommandSpec, flags: Record<string, FlagRow>, raw: string): Parsed {
  const known = [...Object.keys(flags).map((name) => `--${name}`), ...(spec.families ?? []).map((f) => f.shown)];
  const near = nearest(raw, known);
  if (near !== null) return invalid(`unknown flag ${raw}; did you mean ${near}?`);
  const isPrompt = spec.words.called === 'PROMPT' && (!raw.startsWith('--') || /\s/.test(raw));
  return invalid(`unknown flag ${raw}${isPrompt ? '; put -- before a prompt that begins with a dash' : ''}`);
}

const invalid = (message: string): Parsed => ({ how: 'invalid', message });
