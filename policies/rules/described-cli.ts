// Defines a CLI that a project describes as data, in `tools` of its tollgate.yaml, and checks such a description.

import type { OwnTool } from '../facts/tools.ts';
import { type Json, partOf } from '../text/json.ts';

/** Plain data: the dispatcher passes it to the wrapper, and it is stored with the call. */
export interface OwnToolRow {
  name: OwnTool;
  /** A program on the PATH, or the absolute path of one. */
  binary: string;
  /** The words that start it in a container or a sandbox; absent if there are none. */
  prefix?: readonly string[];
  /** A word may contain places. A list of words is omitted if one of its places has no value. */
  argv: readonly (string | readonly string[])[];
  environment: Readonly<Record<string, string>>;
  prompt: 'stdin' | 'file';
  maxPromptBytes: number | null;
  output: OwnOutput;
  /** The meaning of the fields in a JSON line, or in the one JSON document; empty for text and files. */
  events: readonly OwnEvent[];
  /** Lines that say nothing: of stderr, and at both ends of a text. `*` is any text. */
  omit?: readonly string[];
  /** Such lines that count tokens, with the places {input}, {cached}, {output}, {total} and {usd}. */
  trailer?: readonly string[];
  /** A file that it writes JSON objects to, one after the other. The variable names the file. */
  log?: { variable: string; events: readonly OwnEvent[] };
  /** JSON for a file of each call. The variable names the file. */
  settings?: { variable: string; content: Json };
  /** The exit codes that mean success if no event reports it. */
  successExits: readonly number[];
  /** The words for each access mode; null if the CLI has no modes, so none is requested. */
  access: Readonly<Partial<Record<'read' | 'write' | 'full', readonly string[]>>> | null;
  retries: {
    argv: readonly string[];
    environment: Readonly<Record<string, string>>;
    /** Groups that are added to those of `settings`. */
    settings?: Json | undefined;
    /** Phrases in a line of stderr that announces a retry. The text for the last `*` is the cause. */
    announced: readonly string[];
  };
  /** The words that request its version; null if the version is not requested. */
  version: readonly string[] | null;
  /** Its npm package; null if there is none. */
  packageName: string | null;
  timeoutMs: number;
  exits: { timeout: number; failure: number; missingBinary: number; badInput: number };
}

/** Where the answer is: all of stdout, a field of the JSON on stdout, fields of JSON lines, or the file of `{answer_file}`. */
type OwnOutput = 'text' | 'json' | 'lines' | 'file';

/** Each text is a path of fields within the JSON, such as `part.text`. */
export interface OwnEvent {
  /** Fields that must have one of these values. Without it, every line matches. */
  when: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** A list in the JSON: the row counts for each of its objects, in which all other paths begin. */
  each?: string;
  session?: string;
  model?: string;
  /** A whole message of the answer. */
  answer?: string;
  piece?: string;
  /** The name of a tool that ran. */
  tool?: string;
  /** The name of a tool that was denied. */
  denied?: string;
  server_failed?: string;
  warning?: string;
  /** An error that need not end the call. */
  error?: string;
  /** Announces a retry, with its cause. */
  retry?: string;
  /** The end, without success. */
  failure?: string;
  status?: string;
  code?: string;
  details?: string;
  tokens?: Readonly<Partial<Record<'input' | 'cached' | 'output' | 'total', string>>>;
  /** These counts are added to the earlier ones; otherwise they are totals. */
  adds?: true;
  requests?: string;
  usd?: string;
  /** A request to the model. */
  requested?: true;
  /** The end of the answer to a request. */
  answered?: true;
  /** The end, with success. */
  completed?: true;
}

/** Checks as deeply as the value is read, because code that settles a call with it must not throw. */
export function isOwnRow(value: unknown, name: unknown): value is OwnToolRow {
  const row = partOf(value);
  const retries = partOf(row?.retries);
  const exits = partOf(row?.exits);
  if (row === null || retries === null || exits === null || row.name !== name) return false;
  const { timeout, failure, missingBinary, badInput } = exits;
  return (
    isText(row.binary) &&
    isListOf(row.prefix ?? [], isText) &&
    isListOf(row.argv, (one) => isText(one) || isListOf(one, isText)) &&
    isOf(row.environment, isText) &&
    ['stdin', 'file'].includes(row.prompt as string) &&
    ['text', 'json', 'lines', 'file'].includes(row.output as string) &&
    isListOf(row.events, isEvent) &&
    isListOf(row.omit ?? [], isText) &&
    isListOf(row.trailer ?? [], isText) &&
    (row.log === undefined || (isText(partOf(row.log)?.variable) && isListOf(partOf(row.log)?.events, isEvent))) &&
    (row.settings === undefined ||
      (isText(partOf(row.settings)?.variable) && partOf(partOf(row.settings)?.content) !== null)) &&
    (retries.settings === undefined || partOf(retries.settings) !== null) &&
    (row.access === null || isOf(row.access, (words) => isListOf(words, isText))) &&
    isListOf(retries.argv, isText) &&
    isOf(retries.environment, isText) &&
    isListOf(retries.announced, isText) &&
    (row.version === null || isListOf(row.version, isText)) &&
    (row.packageName === null || isText(row.packageName)) &&
    (row.maxPromptBytes === null || isNumber(row.maxPromptBytes)) &&
    isListOf(row.successExits, isNumber) &&
    [row.timeoutMs, timeout, failure, missingBinary, badInput].every(isNumber)
  );
}

function isEvent(value: unknown): boolean {
  const event = partOf(value);
  if (event === null) return false;
  const { when, tokens = {}, adds = true, requested = true, answered = true, completed = true, ...paths } = event;
  return (
    isOf(when, Array.isArray) &&
    isOf(tokens, isText) &&
    [adds, requested, answered, completed].every((flag) => flag === true) &&
    Object.values(paths).every(isText)
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): boolean => Number.isInteger(value);
const isListOf = (value: unknown, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne);

function isOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  const part: Json | null = partOf(value);
  return part !== null && Object.values(part).every(isOne);
}
