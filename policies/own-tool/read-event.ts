// What a line of JSON of a described CLI tells, by the rows of its description.

import { type EngineEvent, type EngineFailure, UNKNOWN_USAGE, type Usage } from '../facts/engine-event.ts';
import { readFailure } from '../facts/engine-failure.ts';
import { type Json, numberOf, partOf, textOf } from '../text/json.ts';
import { noField } from './answer-field.ts';
import type { OwnEvent } from './description.ts';

/** All rows that fit count, in their order. */
export const readRows = (rows: readonly OwnEvent[], json: Json): EngineEvent[] =>
  rows.filter((row) => fits(row, json)).flatMap((row) => readRow(row, json));

const fits = ({ when }: OwnEvent, json: Json): boolean =>
  Object.entries(when).every(([path, values]) => values.includes(valueAt(json, path) as string));

function readRow(row: OwnEvent, json: Json): EngineEvent[] {
  const at = (path: string | undefined) => (path === undefined ? null : wordsAt(json, path));
  const text = (path: string | undefined) => (path === undefined ? null : textOf(valueAt(json, path)));
  const [session, model, tool] = [text(row.session), text(row.model), text(row.tool)];
  const [answer, piece] = [text(row.answer), text(row.piece)];
  const missing = [row.answer, row.piece].find((path) => path !== undefined && valueAt(json, path) === undefined);
  const failed = (path: string | undefined) => {
    const words = at(path);
    return words === null ? null : failureOf(row, json, words);
  };
  const [warning, error, retry] = [at(row.warning), failed(row.error), failed(row.retry)];
  const failure = failed(row.failure);
  const usage = usageOf(row, json);
  return [
    ...(session ? [{ how: 'session_named', id: session } as const] : []),
    ...(model ? [{ how: 'model_named', model } as const] : []),
    ...(row.requested ? [{ how: 'requested' } as const] : []),
    ...(tool ? [{ how: 'tool_ended', id: '', name: tool, denied: false } as const] : []),
    ...(answer === null ? [] : [{ how: 'said', text: answer, whole: true, message: null } as const]),
    ...(piece === null ? [] : [{ how: 'said', text: piece, whole: false, message: null } as const]),
    ...(usage === null ? [] : [{ how: 'counted', usage, ...(row.adds ? { adds: true as const } : {}) } as const]),
    ...(warning === null ? [] : [{ how: 'warned', message: warning } as const]),
    ...(error === null ? [] : [{ how: 'erred', failure: error } as const]),
    ...(retry === null ? [] : [{ how: 'retrying', failure: retry } as const]),
    ...(failure === null ? [] : [{ how: 'failed', failure } as const]),
    ...(missing === undefined || failure !== null
      ? []
      : [{ how: 'stopped', failure: noField(missing), unlessSaid: true } as const]),
    ...(row.completed ? [{ how: 'completed' } as const] : []),
  ];
}

function failureOf({ status, code, details }: OwnEvent, json: Json, words: string): EngineFailure {
  const told = details === undefined ? null : wordsAt(json, details);
  const inner = told === null ? null : readFailure(told);
  const known: { [Key in keyof EngineFailure]?: EngineFailure[Key] | undefined } = {
    status: numberOf(status === undefined ? null : valueAt(json, status)) ?? inner?.status,
    code: (code === undefined ? null : textOf(valueAt(json, code))) ?? inner?.code,
    type: inner?.type,
    details: told ?? undefined,
  };
  return readFailure(words, withoutUnknown(known));
}

const withoutUnknown = (known: { [Key in keyof EngineFailure]?: EngineFailure[Key] | undefined }) =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as Partial<EngineFailure>;

function usageOf({ tokens, requests, usd }: OwnEvent, json: Json): Partial<Usage> | null {
  const paths = {
    input_tokens: tokens?.input,
    cached_tokens: tokens?.cached,
    output_tokens: tokens?.output,
    total_tokens: tokens?.total,
    api_requests: requests,
    usd,
  };
  const told = Object.entries(paths).flatMap(([name, path]) => {
    const value = path === undefined ? null : numberOf(valueAt(json, path));
    return value === null ? [] : [[name, value] as const];
  });
  if (told.length === 0) return null;
  const usage: Partial<Usage> = Object.fromEntries(told);
  const { input_tokens: input = null, output_tokens: output = null } = usage;
  const total = input === null || output === null ? UNKNOWN_USAGE.total_tokens : input + output;
  return { ...usage, total_tokens: usage.total_tokens ?? total };
}

/** A text as it is, anything else as JSON; null where there is nothing. */
function wordsAt(json: Json, path: string): string | null {
  const value = valueAt(json, path);
  return value === undefined || value === null ? null : (textOf(value) ?? JSON.stringify(value));
}

/** undefined where a step is missing; a number is the place in a list. */
function valueAt(json: Json, path: string): unknown {
  let at: unknown = json;
  for (const step of path.split('.')) {
    const within = Array.isArray(at) ? (at as unknown as Json) : partOf(at);
    if (within === null || !Object.hasOwn(within, step)) return undefined;
    at = within[step];
  }
  return at;
}
