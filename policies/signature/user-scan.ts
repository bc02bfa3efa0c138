// Finds the names of users, and leaves alone what a user merely has or does.

import { isHostAt } from './address-scan.ts';
import { isSpace } from './characters.ts';
import { type Cursor, pastWord } from './cursor.ts';
import { isAfter, isOneOf, wordsOf } from './words.ts';

/** `user jo from 10.0.0.1`, `for root from …`, `session opened for user jo by`: who it was. */
export function scanUser(cursor: Cursor, at: number): number {
  const { codes, unitEnd } = cursor;
  if (codes[unitEnd] !== 32 || !isOneOf(USERS, codes, at, unitEnd)) return 0;
  const end = pastWord(codes, unitEnd + 1);
  if (end === unitEnd + 1) return 0;
  if (isOneOf(USER, codes, at, unitEnd) && isAfter(BEFORE_USER, cursor) && isNamed(cursor, unitEnd + 1, end))
    return end;
  if (codes[end] !== 32) return 0;
  const past = pastWord(codes, end + 1);
  // The host is what a normal form lacks: in one this is just a sentence.
  return isOneOf(FROM, codes, end + 1, past) && codes[past] === 32 && isHostAt(codes, past + 1) ? end : 0;
}

/** A name, and not the rest of a sentence such as "waiting for user input". */
function isNamed({ codes }: Cursor, from: number, to: number): boolean {
  if (isOneOf(OF_USERS, codes, from, to) || codes[to - 1] === 45) return false;
  let next = to;
  if (codes[next] === 46 && isSpace(codes[next + 1]!)) next += 1;
  if (ENDS_NAME.includes(codes[next]!)) return true;
  if (codes[next] !== 32) return false;
  const past = pastWord(codes, next + 1);
  return codes[next + 1] === 40 || codes[next + 1] === 91 || isOneOf(BEHIND_USER, codes, next + 1, past);
}

const ENDS_NAME = [0, 10, 13, 44, 59, 41, 93];
const USER = wordsOf('user');
const BEFORE_USER = wordsOf('for invalid unknown of as by');
const BEHIND_USER = wordsOf('by from at on via');
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
