// Defines a session that can be resumed, its id and its tag, and the line that identifies it in the files of its CLI.

import { isSessionId } from '../facts/engine-event.ts';
import { ACCOUNT_NAME } from '../limits/user-accounts.ts';
import { oneLine } from '../text/display.ts';
import { partOf } from '../text/json.ts';

export interface SessionEntry {
  session_id: string;
  /** ISO time of its last call's end. */
  last_used: string;
  /** Consecutive failures. */
  error_count: number;
  /** The tokens of all its calls, as far as they were counted. */
  total_tokens: number;
  /** Prompt plus output of the last model request; null if unknown. */
  context_tokens: number | null;
  feature_id: string;
  /** The folder in which its CLI ran. */
  cwd: string;
  /** The account of the user's settings whose folder holds it; absent for the login of the environment. */
  account?: string;
  /** Why the session must not be resumed. */
  poisoned?: string;
  /** The session that this one replaced; a task may still name it. */
  in_place_of?: string;
}

/** @param counted `total_tokens` is null if its CLI counted none. */
export const newEntry = (
  id: string,
  tag: string,
  cwd: string,
  at: Date,
  { context_tokens, total_tokens }: { context_tokens: number | null; total_tokens: number | null } = UNCOUNTED,
): SessionEntry => ({
  session_id: id,
  last_used: at.toISOString(),
  error_count: 0,
  total_tokens: total_tokens ?? 0,
  context_tokens,
  feature_id: tag,
  cwd,
});

const UNCOUNTED = { context_tokens: null, total_tokens: null };

/** gemini reads these as "the last session" and "the n-th of its list". Either may belong to another task. */
const NO_ID = /^(?:latest|\d+)$/i;

/** The format that every CLI uses. */
export const WHOLE_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A whole id or its beginning. Fewer digits could easily be a word, or match another session. */
export const ID_OR_PREFIX = /^[0-9a-f]{7,8}$|^[0-9a-f]{8}-[0-9a-f-]{0,27}$/i;
export const ID_MUST = 'must be the id of a session as its CLI shows it, or the first 7 digits of it or more';

/** The tag must fit on one line between brackets, and must not look like a flag. */
export const TAG = /^[^-\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}\]][^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\]]{0,127}$/u;

export const TAG_MUST =
  'must be 1 to 128 characters on one line, without control characters and "]", and not begin with a dash or a space';

/** The tag of a task without a tag is the task's id. */
export const tagOf = (feature: string | undefined, taskId: string): string => feature ?? taskId;

/** The first line of the first prompt of a session. */
export const headerOf = (tag: string): string => `[Feature: ${tag}]`;

/** Matches such a header line with any tag. */
export const HEADER = /^\s*\[Feature: [^\n]*\](?:\r?\n|$)/;

/** @param headers the line as it was written, and as the CLI may store it. */
function beginsWith(prompt: string, headers: readonly string[]): boolean {
  const [first] = prompt.trimStart().split(/\r?\n/, 1);
  return headers.includes(first!.trimEnd());
}

/** A shorter goal could occur in any prompt. */
const LEAST_GOAL_CHARS = 20;

/** Whether this is the first prompt of a tag's session. Without a header it must contain the task's goal. */
export function isOf(prompt: string, { headers, goal }: { headers: readonly string[]; goal: string }): boolean {
  if (HEADER.test(prompt)) return beginsWith(prompt, headers);
  const wanted = squeezed(goal);
  return wanted.length >= LEAST_GOAL_CHARS && squeezed(prompt).includes(wanted);
}

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The length that a list shows. */
const TITLE_CHARS = 200;

/** Returns the goal and the tag if a task began the session, else the first prompt. */
export function sessionTitle(firstPrompt: string): string {
  const [, tag] = /^\s*\[Feature: ([^\n]*?)\](?=\s|$)/.exec(firstPrompt) ?? [];
  if (tag === undefined) return firstPrompt;
  const [, goal] = /\n# Goal\n\s*([^\n]+)/.exec(firstPrompt) ?? [];
  return goal === undefined ? tag : `${oneLine(goal.trim(), TITLE_CHARS)} [${tag}]`;
}

/** Checks an entry of sessions.json: users edit it. */
export function isSessionEntry(value: unknown): value is SessionEntry {
  const entry = partOf(value);
  return entry !== null && Object.entries(SHAPE).every(([name, fits]) => fits(entry[name]));
}

const count = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const text = (value: unknown) => typeof value === 'string' && value !== '';

const SHAPE = {
  session_id: (value) => typeof value === 'string' && isSessionId(value) && !NO_ID.test(value),
  last_used: (value) => text(value) && !Number.isNaN(Date.parse(value as string)),
  error_count: count,
  total_tokens: count,
  context_tokens: (value) => value === null || count(value),
  feature_id: text,
  cwd: text,
  poisoned: (value) => value === undefined || typeof value === 'string',
  in_place_of: (value) => value === undefined || typeof value === 'string',
  account: (value) => value === undefined || (typeof value === 'string' && ACCOUNT_NAME.test(value)),
} as const satisfies Record<keyof SessionEntry, (value: unknown) => boolean>;
