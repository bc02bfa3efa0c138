// Reads a JSON line of a described CLI by the rows of its description.

import type { EngineEvent, EngineFailure } from '../facts/engine-event.ts';
import { readFailure } from '../facts/engine-failure.ts';
import { type Json, numberOf, textOf } from '../text/json.ts';
import { noField } from './answer-field.ts';
import type { OwnEvent } from './description.ts';
import { isTextOrNull, oddIn, sessionIn, usageOf, valueAt } from './told-values.ts';

/** All rows that match count, in order. */
export const readRows = (rows: readonly OwnEvent[], json: Json): EngineEvent[] =>
  rows.filter((row) => fits(row, json)).flatMap((row) => readRow(row, json));

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
    const words = at(path);
    return words === null ? null : failureOf(row, json, words);
  };
  const [warning, error, retry] = [at(row.warning), failed(row.error), failed(row.retry)];
  const failure = failed(row.failure);
  const usage = usageOf(row, json);
  const odd = oddIn(row, json);
  return [
    ...(session ? [{ how: 'session_named', id: session } as const] : []),
    ...(model ? [{ how: 'model_named', model } as const] : []),
    ...(row.requested ? [{ how: 'requested' } as const] : []),
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
      : [{ how: 'stopped', failure: noField(missing, valueAt(json, missing)), unlessSaid: true } as const]),
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

const withoutUnknown = (known: { [Key in keyof EngineFailure]?: EngineFailure[Key] | undefined }) =>
  Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as Partial<EngineFailure>;

/** Returns a text as it is, and anything else as JSON; null if there is no value. */
function wordsAt(json: Json, path: string): string | null {
  const value = valueAt(json, path);
  return value === undefined || value === null ? null : (textOf(value) ?? JSON.stringify(value));
}
