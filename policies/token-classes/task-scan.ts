// Finds the id of the task at hand, and leaves it alone where it is just a word.

import { isWord } from '../scan/characters.ts';
import type { Cursor } from '../scan/cursor.ts';
import { nextWord, pastWord } from '../scan/read-units.ts';
import { isAfter, isOneOf, wordsOf } from '../scan/words.ts';

/** A shorter id says too little. */
const SHORTEST = 3;
/** Holds what an ordinary word does not. */
const DISTINCT = /[\d._-]/;

/** `fix-login-7` wherever it stands alone; `api` only where it is called a task, for "Incorrect API key" is about none. */
export function scanTask(cursor: Cursor, at: number): number {
  const id = cursor.context.taskId ?? '';
  const end = at + id.length;
  if (id.length < SHORTEST || !isId(id, cursor, at) || isWord(cursor.codes[end]!)) return 0;
  return DISTINCT.test(id) || isCalledTask(cursor, end) ? end : 0;
}

function isId(id: string, { text, codes }: Cursor, at: number): boolean {
  const first = id.charCodeAt(0);
  if (codes[at] !== first && (codes[at]! | 32) !== (first | 32)) return false;
  return text.slice(at, at + id.length).toLowerCase() === id.toLowerCase();
}

/** `task: api`, `task "api"`, `task/api`, `"api" task`. A sign is asked for: without one it may be a sentence. */
function isCalledTask(cursor: Cursor, end: number): boolean {
  const { codes, lead, quote } = cursor;
  if (isAfter(LABELS, cursor) && (quote || LABELLING.includes(lead))) return true;
  if (!quote || codes[end] !== quote) return false;
  const next = nextWord(codes, end + 1);
  return isOneOf(TASK, codes, next, pastWord(codes, next));
}

const TASK = wordsOf('task');
const LABELS = wordsOf('task tasks taskid task_id task-id task.id');
const LABELLING = [...':=/([#'].map((sign) => sign.charCodeAt(0));
