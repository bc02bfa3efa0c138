// Finds the names of users, and leaves alone what a user merely has or does.

import type { Cursor } from '../scan/cursor.ts';
import { pastWord } from '../scan/read-units.ts';
import { isAfter, isOneOf, isSecondAfter, wordsOf } from '../scan/words.ts';
import { isHostAt } from './address-scan.ts';

/** `user jo from 10.0.0.1`, `for root from …`, `session opened for user jo by`: who it was. */
export function scanUser(cursor: Cursor, at: number): number {
  const { codes, unitEnd } = cursor;
  if (codes[unitEnd] !== 32 || !isOneOf(USERS, codes, at, unitEnd)) return 0;
  const end = pastWord(codes, unitEnd + 1);
  if (end === unitEnd + 1) return 0;
  if (isNamed(cursor, at)) return end;
  if (codes[end] !== 32) return 0;
  const past = pastWord(codes, end + 1);
  // The host is what a normal form lacks: in one this is just a sentence.
  return isOneOf(FROM, codes, end + 1, past) && codes[past] === 32 && isHostAt(codes, past + 1) ? end : 0;
}

/** `opened for user jo`, `invalid user jo`: a name, and not the rest of a sentence such as "waiting for user input". */
function isNamed(cursor: Cursor, at: number): boolean {
  const { codes, unitEnd } = cursor;
  if (!isOneOf(USER, codes, at, unitEnd)) return false;
  if (!isAfter(NO_SUCH, cursor) && !(isAfter(FOR, cursor) && isSecondAfter(SESSIONS, cursor))) return false;
  const from = unitEnd + 1;
  return !isOneOf(OF_USERS, codes, from, pastWord(codes, from));
}

/** What stands for it: a word behind which no name is looked for again. */
export const userPut = (cursor: Cursor, at: number): string => (isNamed(cursor, at) ? 'username' : wordAt(cursor, at));

const wordAt = ({ text, unitEnd }: Cursor, at: number): string => text.slice(at, unitEnd).toLowerCase();

const USER = wordsOf('user');
const NO_SUCH = wordsOf('invalid unknown');
const FOR = wordsOf('for');
const SESSIONS = wordsOf('opened closed started ended');
/** What a user has or does. */
const OF_USERS = wordsOf(
  'account accounts action actions agent approval authentication authorization cancellation code command confirmation ' +
    'consent content credentials data email error errors feedback group groups home id ids identity info information ' +
    'input inputs interaction interrupt intervention key keys limit limits location login management memory message ' +
    'messages mode name names namespace password permission permissions pool preferences profile profiles project ' +
    'prompt prompts property query quota quotas request requests response role roles scope session sessions settings ' +
    'space state store tier to token tokens type types value action_required who with',
);
const USERS = wordsOf('user for account');
const FROM = wordsOf('from');
