// Reads the output of a described CLI by the rows of its description.

import {
  type EngineEvent,
  type EngineFailure,
  isSessionId,
  type ReportedUsage,
  UNKNOWN_USAGE,
} from '../facts/engine-event.ts';
import { readFailure } from '../facts/engine-failure.ts';
import { type Json, listOf, numberOf, parseObject, partOf, textOf } from '../text/json.ts';
import type { OwnEvent, OwnToolRow } from './described-cli.ts';

/** All rows that match count, in order. */
export const readRows = (rows: readonly OwnEvent[], json: Json): EngineEvent[] =>
  rows.flatMap((row) => {
    const parts =
      row.each === undefined
        ? [json]
        : listOf(valueAt(json, row.each)).flatMap((one): Json[] => [partOf(one)].filter((part) => part !== null));
    return parts.filter((part) => fits(row, part)).flatMap((part) => readRow(row, part));
  });

/** Reads objects in their order: where the rows show the end of an answer, a request before that end is a retry. */
export function createReader(rows: readonly OwnEvent[]): (json: Json) => EngineEvent[] {
  const showsEnd = rows.some(({ answered }) => answered);
  let isOpen = false;
  return (json) => {
    const matching = rows.filter((row) => fits(row, json));
    const isRequest = matching.some(({ requested }) => requested);
    const isRetry = showsEnd && isOpen && isRequest;
    isOpen = (isOpen || isRequest) && !matching.some(({ answered }) => answered);
    return [...readRows(rows, json), ...(isRetry ? [SENT_AGAIN] : [])];
  };
}

const SENT_AGAIN: EngineEvent = {
  how: 'retrying',
  failure: { message: 'the response ended without an answer, and it sent the request again' },
};

const fits = ({ when }: OwnEvent, json: Json): boolean =>
  Object.entries(when).every(([path, values]) => values.includes(valueAt(json, path) as string));

function readRow(row: OwnEvent, json: Json): EngineEvent[] {
  const at = (path: string | undefined) => (path === undefined ? null : wordsAt(json, path));
  const text = (path: string | undefined) => (path === undefined ? null : textOf(valueAt(json, path)));
  const [model, tool, denied, server] = [text(row.model), text(row.tool), text(row.denied), text(row.server_failed)];
  const session = row.session === undefined ? null : sessionIn(valueAt(json, row.session));
  const [answer, piece] = [text(row.answer), text(row.piece)];
  const missing = [row.answer, row.piece].find((path) => path !== undefined && !isTextOrNull(valueAt(json, path)));
  const failed = (path: string | undefined) => {
    // Without a condition, the field is in each object, also in that of a success.
    const isNone = path !== undefined && Object.keys(row.when).length === 0 && isNothing(valueAt(json, path));
    const words = isNone ? null : at(path);
    return words === null ? null : failureOf(row, json, words);
  };
  const [warning, error, retry] = [at(row.warning), failed(row.error), failed(row.retry)];
  const failure = failed(row.failure);
  const usage = usageOf(row, json);
  const odd = oddIn(row, json);
  return [
    ...(session ? [{ how: 'session_named', id: session } as const] : []),
    ...(model ? [{ how: 'model_named', model } as const] : []),
    ...(row.requested ? [{ how: 'turn_began' } as const, { how: 'requested' } as const] : []),
    ...(tool ? [{ how: 'tool_ended', id: '', name: tool, denied: false } as const] : []),
    ...(denied ? [{ how: 'tool_denied', id: '', name: denied } as const] : []),
    ...(server ? [{ how: 'server', name: server, state: 'failed' } as const] : []),
    ...(answer === null ? [] : [{ how: 'said', text: answer, whole: true, message: null } as const]),
    ...(piece === null ? [] : [{ how: 'said', text: piece, whole: false, message: null } as const]),
    ...(usage === null ? [] : [{ how: 'counted', usage, ...(row.adds ? { adds: true as const } : {}) } as const]),
    ...(warning === null ? [] : [{ how: 'warned', message: warning } as const]),
    ...odd.map((message) => ({ how: 'warned', message }) as const),
    ...(error === null ? [] : [{ how: 'erred', failure: error } as const]),
    ...(retry === null ? [] : [{ how: 'retrying', failure: retry } as const]),
    ...(failure === null ? [] : [{ how: 'failed', failure } as const]),
    ...(missing === undefined || failure !== null
      ? []
      : [{ how: 'stopped', failure: noField(missing, valueAt(json, missing)), unless: 'answered' } as const]),
    ...(row.completed ? [{ how: 'completed' } as const] : []),
  ];
}

function failureOf({ status, code, details }: OwnEvent, json: Json, words: string): EngineFailure {
  const detailText = details === undefined ? null : wordsAt(json, details);
  const inner = detailText === null ? null : readFailure(detailText);
  const known: { [Key in keyof EngineFailure]?: EngineFailure[Key] | undefined } = {
    status: numberOf(status === undefined ? null : valueAt(json, status)) ?? inner?.status,
    code: (code === undefined ? null : textOf(valueAt(json, code))) ?? inner?.code,
    type: inner?.type,
    details: detailText ?? undefined,
  };
  return readFailure(words, withoutUnknown(known));
}

/** Whether a field for a cause says that there is none: `"error": ""`, `"is_error": false`, `"errors": []`, `"error": {}`. */
const isNothing = (value: unknown): boolean =>
  value === false || value === 0 || (typeof value === 'string' && value.trim() === '') || isEmpty(value);

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const withoutUnknown = (known: { [Key in keyof EngineFailure]?: EngineFailure[Key] | undefined }) =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as Partial<EngineFailure>;

/** Returns a text as it is, and anything else as JSON; null if there is no value. */
function wordsAt(json: Json, path: string): string | null {
  const value = valueAt(json, path);
  return value === undefined || value === null ? null : (textOf(value) ?? JSON.stringify(value));
}

function usageOf(row: OwnEvent, json: Json): ReportedUsage | null {
  const counts = Object.entries(countsOf(row)).flatMap(([name, path]) => {
    const value = path === undefined ? undefined : valueAt(json, path);
    return isCount(value) ? [[name, value] as const] : [];
  });
  if (counts.length === 0) return null;
  const usage: ReportedUsage = Object.fromEntries(counts);
  const { input_tokens: input = null, output_tokens: output = null } = usage;
  const total = input === null || output === null ? UNKNOWN_USAGE.total_tokens : input + output;
  return { ...usage, total_tokens: usage.total_tokens ?? total };
}

const countsOf = ({ tokens, requests, usd }: OwnEvent) => ({
  input_tokens: tokens?.input,
  cached_tokens: tokens?.cached,
  output_tokens: tokens?.output,
  total_tokens: tokens?.total,
  api_requests: requests,
  usd,
});

/** A negative count would be credited to a budget. */
const isCount = (value: unknown): value is number => (numberOf(value) ?? -1) >= 0;

/** A null is not an answer. Like an empty answer, it is not an error in the description. */
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

function sessionIn(value: unknown): string | null {
  const id = Number.isSafeInteger(value) ? String(value) : textOf(value);
  return id !== null && isSessionId(id) ? id : null;
}

/** Values in a described place that cannot be what was described. They remain unknown. */
function oddIn(row: OwnEvent, json: Json): string[] {
  const odd = (path: string | undefined, fits: (value: unknown) => boolean, what: string): string[] => {
    const value = path === undefined ? undefined : valueAt(json, path);
    if (value === undefined || value === null || fits(value)) return [];
    const shown = ['number', 'string'].includes(typeof value) ? ` (${JSON.stringify(value).slice(0, 40)})` : '';
    return [`its field ${path} has ${kindOf(value)}${shown}, which is no ${what}: it is taken for unknown`];
  };
  return [
    ...odd(row.session, (value) => sessionIn(value) !== null, 'id of a session'),
    ...odd(row.model, (value) => typeof value === 'string', 'name of a model'),
    ...Object.values(countsOf(row)).flatMap((path) => odd(path, isCount, 'count')),
  ];
}

/** Returns undefined if a step is missing; a number is the index in a list, and -1 its last. A name may have dots. */
function valueAt(json: unknown, path: string): unknown {
  const within = Array.isArray(json) ? (json as unknown as Json) : partOf(json);
  if (within === null) return undefined;
  if (Object.hasOwn(within, path)) return within[path];
  const [step = '', ...rest] = path.split('.');
  if (rest.length === 0) return Array.isArray(json) && step === '-1' ? json.at(-1) : undefined;
  const name = Array.isArray(json) && step === '-1' ? String(json.length - 1) : step;
  return Object.hasOwn(within, name) ? valueAt(within[name], rest.join('.')) : undefined;
}

/** Whether its document is a list. */
export const readsList = ({ events }: OwnToolRow): boolean =>
  events.some(({ answer }) => answer !== undefined && /^-?\d+(?:\.|$)/.test(answer));

/** Reads a log of JSON objects, each in one line, or from a line with its opening brace to a line with its closing brace. */
export function createLogReader(rows: readonly OwnEvent[]): (line: string) => EngineEvent[] {
  let begun = '';
  return (line) => {
    if (line === '{') begun = line;
    else if (begun !== '') begun = begun.length > MAX_LOGGED ? '' : `${begun}\n${line}`;
    const json = parseObject(begun === '' ? line : line === '}' ? begun : '');
    if (line === '}') begun = '';
    return json === null ? [] : readRows(rows, json);
  };
}

const MAX_LOGGED = 256 * 1024;

/** Reads a text without its lines that are not the answer. null: it is too large. */
export function readText({ omit = [], trailer = [] }: OwnToolRow, text: string | null): EngineEvent[] {
  if (text === null) return [{ how: 'outsized', what: 'answer' }];
  const said = (answer: string): EngineEvent => ({ how: 'said', text: answer, whole: true, message: null });
  if (omit.length + trailer.length === 0) return [said(text)];
  const lines = text.split('\n');
  const counted: EngineEvent[] = [];
  const isBeside = (line = '') => {
    const usage = trailer.map((phrase) => countedBy(phrase, line)).find((one) => one !== null);
    if (usage !== undefined) counted.push({ how: 'counted', usage });
    return line.trim() === '' || usage !== undefined || isOmitted(omit, line);
  };
  let [from, to] = [0, lines.length];
  while (from < to && isBeside(lines[from])) from += 1;
  while (to > from && isBeside(lines[to - 1])) to -= 1;
  return [...counted, said(lines.slice(from, to).join('\n'))];
}

/** Whether one of the phrases is the whole line. */
export const isOmitted = (phrases: readonly string[], line: string): boolean =>
  phrases.some((phrase) => wildTexts(phrase, line) !== null);

export const COUNTS = ['input', 'cached', 'output', 'total', 'usd'] as const;

const WILD = new RegExp(`\\*|\\{(${COUNTS.join('|')})\\}`, 'g');

/** The texts for the wildcards of a phrase that is the whole line; null if it is not. */
function wildTexts(phrase: string, line: string): string[] | null {
  const end = line.trimEnd();
  const [first = '', ...pieces] = phrase.split(/\*|\{[a-z]+\}/);
  const last = pieces.pop();
  if (last === undefined) return end === first ? [] : null;
  const texts = end.startsWith(first) ? textsAround(pieces, end.slice(first.length)) : null;
  const rest = texts?.pop();
  return texts && rest?.endsWith(last) ? [...texts, rest.slice(0, rest.length - last.length)] : null;
}

/** Finds each piece at the first place after the previous one. This takes time linear in the line. */
function textsAround(pieces: readonly string[], line: string): string[] | null {
  const texts: string[] = [];
  let at = 0;
  for (const piece of pieces) {
    const place = line.indexOf(piece, at);
    if (place === -1) return null;
    texts.push(line.slice(at, place));
    at = place + piece.length;
  }
  return [...texts, line.slice(at)];
}

function countedBy(phrase: string, line: string): ReportedUsage | null {
  const texts = wildTexts(phrase, line);
  if (texts === null) return null;
  const names = [...phrase.matchAll(WILD)].map(([, name]) => name);
  const counts = names.flatMap((name, i) => (name === undefined ? [] : [[name, amountIn(texts[i]!)] as const]));
  // A line with another text in the place of a count is not this line.
  if (counts.some(([, count]) => count === null)) return null;
  const tokens = Object.fromEntries(counts);
  return usageOf({ when: {}, tokens: IN_PLACE, usd: 'usd' }, tokens);
}

const IN_PLACE = { input: 'input', cached: 'cached', output: 'output', total: 'total' };

/** Reads `1,234`, `2.1k` and `$0.04`. */
function amountIn(text: string): number | null {
  const [, digits = '', unit = ''] = /^\s*\$?(\d[\d,]{0,20}(?:\.\d{1,12})?)\s?([kKM]?)\b/.exec(text) ?? [];
  const amount = Number(digits.replaceAll(',', '')) * ({ k: 1000, K: 1000, M: 1_000_000 }[unit] ?? 1);
  return digits === '' ? null : amount;
}

/** An answer is not where its CLI's description says. A retry would not find one either. */
export const NO_ANSWER_FIELD = 'no_answer_field';

/** @param why part of a sentence, such as `is no JSON object` */
export const noObject = (why: string): EngineFailure => ({
  message: `what it printed ${why}, where its description looks for the answer: fix it in tollgate.yaml (what was printed is kept beside the answer's file, as .raw)`,
  code: NO_ANSWER_FIELD,
});

/** @param path the field that the description names. @param value the value there; undefined if there is none. */
const noField = (path: string, value: unknown): EngineFailure =>
  noObject(value === undefined ? `has no field ${path}` : `has ${kindOf(value)} and no text in its field ${path}`);

const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? 'a list'
    : ({ number: 'a number', boolean: 'a boolean', string: 'a text' }[typeof value as string] ?? 'an object');

/** A JSON object that breaks off. Our rules recognise these words. */
export const cutObject = (what: string): EngineFailure => ({
  message: `JSON ended prematurely: ${what}, so that a part of the answer may be missing`,
});

/** @param why a sentence without a subject, such as `is a FIFO, and no regular file` */
export const unfitAnswer = (why: string): EngineFailure => ({
  message: `what it wrote in the place of {answer_file} ${why}, so that its answer cannot be read: have it write a regular file there`,
  code: NO_ANSWER_FIELD,
});

/** The text for the phrase's last `*`, up to the words after it; the whole line without a `*`; null for no match. */
export function announcedIn(phrases: readonly string[], line: string): string | null {
  for (const phrase of phrases) {
    const texts = textsAround(phrase.split('*'), line);
    if (texts !== null) return phrase.includes('*') ? texts.at(phrase.endsWith('*') ? -1 : -2)! : line;
  }
  return null;
}
