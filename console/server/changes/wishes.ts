// Declares the fields that each change accepts; refuses a request with an unknown, a missing or a wrong field.

import type { Actions } from '../../contract/actions.ts';

type Field =
  | 'id'
  | 'word'
  | 'text'
  | 'text or null'
  | 'count'
  | 'count or null'
  | 'word or null'
  | 'flag?'
  | readonly string[];

export const WISHES = {
  '/api/stop': { task: 'id' },
  '/api/answer': { task: 'id', answer: 'text' },
  '/api/limits': {
    tool: 'word',
    per: ['day', 'week', 'month'],
    unit: ['calls', 'tokens', 'usd'],
    most: 'count or null',
  },
  '/api/release': { tool: 'word', account: 'word', model: 'word or null' },
  '/api/undo': { session: 'id' },
  '/api/redo': { session: 'id', n: 'count' },
  '/api/recover': { session: 'id', choice: ['rollback', 'clear', 'export', 'ignore'] },
  '/api/distill/start': { book: 'word', prompt: 'text or null', model: 'word', max_calls: 'count or null' },
  '/api/distill/pause': { name: 'id' },
  '/api/distill/stop': { name: 'id' },
  '/api/distill/resume': { name: 'id', accept: 'flag?' },
  '/api/distill/delete': { name: 'id', section: 'count' },
  '/api/sweep': {},
} as const satisfies { [P in keyof Actions]: Record<keyof Actions[P], Field> };

/** A text that a command takes as a name, and never as a flag. */
const ID = /^[A-Za-z0-9_.][A-Za-z0-9._-]{0,127}$/;
const MAX_WORD = 4096;
const MAX_COUNT = 1e12;

const TESTS: Record<Exclude<Field, readonly string[]>, (value: unknown) => boolean> = {
  id: (value) => typeof value === 'string' && ID.test(value),
  word: isWord,
  text: isText,
  'text or null': (value) => value === null || isText(value),
  count: isCount,
  'count or null': (value) => value === null || isCount(value),
  'word or null': (value) => value === null || isWord(value),
  'flag?': (value) => value === undefined || typeof value === 'boolean',
};

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= MAX_WORD && !/[\p{Cc}\p{Cf}]/u.test(value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= MAX_COUNT;
}

/** @returns the mistake in the request, or null. */
export function wishMistake(path: keyof Actions, wish: unknown): string | null {
  if (typeof wish !== 'object' || wish === null || Array.isArray(wish)) return 'the body is no object';
  const fields: Record<string, Field> = WISHES[path];
  const given = wish as Record<string, unknown>;
  const stray = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (stray !== undefined) return 'the body has a field too many';
  const wrong = Object.entries(fields).find(([name, field]) => !fits(given[name], field));
  return wrong === undefined ? null : `"${wrong[0]}" is not what it has to be`;
}

const fits = (value: unknown, field: Field): boolean =>
  typeof field === 'string' ? TESTS[field](value) : field.includes(value as string);
