// Checks an entry of sessions.json before it is used: users edit it, and an id in it becomes an argument of a program.

import { NO_ID, type SessionEntry } from '../../policies/session/session-entry.ts';
import { partOf } from '../../policies/text/json.ts';

export function isSessionEntry(value: unknown): value is SessionEntry {
  const entry = partOf(value);
  return entry !== null && Object.entries(SHAPE).every(([name, fits]) => fits(entry[name]));
}

const count = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const text = (value: unknown) => typeof value === 'string' && value !== '';

/** An id becomes an argument of the CLI. */
const SHAPE = {
  session_id: (value) =>
    text(value) && /^[^-\s\p{Cc}][^\s\p{Cc}]*$/u.test(value as string) && !NO_ID.test(value as string),
  last_used: (value) => text(value) && !Number.isNaN(Date.parse(value as string)),
  error_count: count,
  total_tokens: count,
  context_tokens: (value) => value === null || count(value),
  feature_id: text,
  cwd: text,
  poisoned: (value) => value === undefined || typeof value === 'string',
  in_place_of: (value) => value === undefined || typeof value === 'string',
} as const satisfies Record<keyof SessionEntry, (value: unknown) => boolean>;
