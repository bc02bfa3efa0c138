// Reads the values that a CLI's description points to, and finds those that cannot be what was described.

import { UNKNOWN_USAGE, type Usage } from '../facts/engine-event.ts';
import { type Json, numberOf, partOf, textOf } from '../text/json.ts';
import { kindOf } from './answer-field.ts';
import type { OwnEvent } from './description.ts';

export function usageOf(row: OwnEvent, json: Json): Partial<Usage> | null {
  const counts = Object.entries(countsOf(row)).flatMap(([name, path]) => {
    const value = path === undefined ? undefined : valueAt(json, path);
    return isCount(value) ? [[name, value] as const] : [];
  });
  if (counts.length === 0) return null;
  const usage: Partial<Usage> = Object.fromEntries(counts);
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
export const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

/** The id is passed as an argument, where a leading dash would make it a flag. */
const SESSION = /^[^-\s\p{Cc}][^\p{Cc}]{0,299}$/u;

export function sessionIn(value: unknown): string | null {
  const id = Number.isSafeInteger(value) ? String(value) : textOf(value);
  return id !== null && SESSION.test(id) ? id : null;
}

/** Values in a described place that cannot be what was described. They remain unknown. */
export function oddIn(row: OwnEvent, json: Json): string[] {
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

/** Returns undefined if a step is missing; a number is the index in a list. */
export function valueAt(json: Json, path: string): unknown {
  let at: unknown = json;
  for (const step of path.split('.')) {
    const within = Array.isArray(at) ? (at as unknown as Json) : partOf(at);
    if (within === null || !Object.hasOwn(within, step)) return undefined;
    at = within[step];
  }
  return at;
}
