// Finds the numbers that tell two failures apart: HTTP status, exit code, errno, JSON-RPC code, compiler codes.

import { isDigit, isSpace, isWord } from '../scan/characters.ts';
import { type Cursor, START } from '../scan/cursor.ts';
import { endOf, patternAt } from '../scan/pattern.ts';
import { codeBefore, nextWord, pastWord } from '../scan/read-units.ts';
import { isAfter, isOneOf, isSecondAfter, type Words, wordsOf } from '../scan/words.ts';

/** `-32600` anywhere; another negative number only behind a label, as in `errno: -104`. */
export function scanNegativeCode(cursor: Cursor, at: number): number {
  const { text, codes } = cursor;
  if (isWord(codeBefore(cursor, at)) || !isDigit(codes[at + 1]!)) return 0;
  let end = at + 1;
  while (end < at + 8 && isDigit(codes[end]!)) end += 1;
  const next = codes[end]!;
  if (isWord(next) || (next === 46 && isDigit(codes[end + 1]!))) return 0;
  const value = Number(text.slice(at, end));
  if (value <= -32000 && value >= -32768) return end;
  return value > -100000 && isAfter(LABELS, cursor) ? end : 0;
}

/** Node's `errno: -104` differs from system to system, and its name stands beside it. */
export const isOfSystem = (cursor: Cursor): boolean => isAfter(ERRNO, cursor);

/** `exit code 1`, `HTTP 503`, `status: 429`, `401 Unauthorized`, `(502)`; never `line 401` or `app.ts:403`. */
export function scanCode(cursor: Cursor, at: number): number {
  const { codes, unitEnd } = cursor;
  const length = unitEnd - at;
  if (length > 5 || (length !== 3 && cursor.lastFrom === cursor.lastTo)) return 0;
  let value = 0;
  for (let i = at; i < unitEnd; i += 1) {
    if (!isDigit(codes[i]!)) return 0;
    value = value * 10 + codes[i]! - 48;
  }
  if (isMeasured(cursor)) return 0;
  const labelled = isLabelled(cursor);
  // `exited with status 255` is no HTTP status.
  if (length === 3 && value < 256 && isAfter(STATUSES, cursor) && isSecondAfter(WITH, cursor)) return unitEnd;
  if (labelled && !isStatus(cursor)) return unitEnd;
  if (isAfter(ERROR, cursor) && isSecondAfter(OS, cursor)) return unitEnd;
  if (cursor.lead === 58 && isAfter(FAILED, cursor) && isOfFunction(cursor)) return unitEnd;
  if (length !== 3 || value < 300 || value > 599) return labelled && length !== 3 ? unitEnd : 0;
  if (labelled || isAfterError(cursor) || isAfterProtocol(cursor, at)) return unitEnd;
  return value >= 400 && (saysWhy(cursor) || isAnswer(cursor) || standsAlone(cursor)) ? unitEnd : 0;
}

/** `error`, or a name such as `CAPIError`. */
const isAfterError = ({ codes, lastFrom, lastTo }: Cursor): boolean =>
  lastTo - lastFrom >= 5 && isOneOf(ERROR, codes, lastTo - 5, lastTo);

/** `CreateProcessAsUserW failed: 1312`: the word before is written as functions are. */
function isOfFunction({ codes, olderFrom, olderTo }: Cursor): boolean {
  for (let at = olderFrom + 1; at < olderTo; at += 1)
    if (codes[at]! > 64 && codes[at]! < 91 && codes[at - 1]! > 96) return true;
  return false;
}

/** `exit code 1`, `status of 5`, `returned 3`. */
const isLabelled = (cursor: Cursor): boolean =>
  isAfterKey(LABELS, cursor) ||
  (isAfter(LINKS, cursor) && (isSecondAfter(LABELS, cursor) || isAfter(RETURNED, cursor)));

/** `status: 404 len: 176`: one figure of many in the log of a server, which tells of each request alike. */
function isMeasured({ codes, unitEnd, lead }: Cursor): boolean {
  if (lead !== 58 || codes[unitEnd] !== 32) return false;
  const to = pastWord(codes, unitEnd + 1);
  return isOneOf(MEASURES, codes, unitEnd + 1, to) && (codes[to] === 58 || codes[to] === 61) && isDigit(codes[to + 2]!);
}

const MEASURES = wordsOf('len length size bytes');

/** An HTTP status: "exit status" is none. */
const isStatus = (cursor: Cursor): boolean => isAfterKey(STATUSES, cursor) && !isSecondAfter(EXIT, cursor);

/** Also behind `error.status:`. */
function isAfterKey(words: Words, { codes, lastFrom, lastTo }: Cursor): boolean {
  let from = lastTo;
  while (from > lastFrom && codes[from - 1] !== 46) from -= 1;
  return isOneOf(words, codes, from, lastTo);
}

/** `HTTP/1.1" 429`, `HTTP/2 502`. */
function isAfterProtocol({ codes }: Cursor, at: number): boolean {
  let before = at - 2;
  if (codes[at - 1] !== 32) return false;
  if (codes[before] === 34 || codes[before] === 39) before -= 1;
  while (before > at - 8 && (isDigit(codes[before]!) || codes[before] === 46)) before -= 1;
  return codes[before] === 47 && (codes[before - 1]! | 32) === 112;
}

/** `E0425`, `TS2304`, `ORA-00942`, `ERR_HTTP2_STREAM_ERROR`, `E2BIG`, `0x80070005`. */
export function scanNamedCode({ text, codes, unitEnd }: Cursor, at: number): number {
  const first = codes[at]!;
  if ((first > 96 && first < 123) || unitEnd - at > 60) return 0;
  return endOf(NAMED_CODE, text, at) === unitEnd ? unitEnd : 0;
}

/** The reason stands behind the status: `401 Unauthorized`. */
function saysWhy({ codes, unitEnd }: Cursor): boolean {
  const from = nextWord(codes, unitEnd);
  return isOneOf(REASONS, codes, from, pastWord(codes, from));
}

/** `got 503`, `answered with 404`, and no more of the clause. */
function isAnswer(cursor: Cursor): boolean {
  const { codes, unitEnd } = cursor;
  const next = codes[unitEnd]!;
  const ends = next === 0 || next === 10 || next === 44 || next === 59 || next === 41;
  return ends && isAfter(ANSWERS, cursor);
}

const ANSWERS = wordsOf('with got received returned answered responded gave');

/** A status at the head of a clause, `400 No tool output`, or alone in brackets, `(502)`. */
function standsAlone(cursor: Cursor): boolean {
  const { codes, unitEnd, lead } = cursor;
  const next = codes[unitEnd]!;
  if (lead === 40 || lead === 91) return next === 41 || next === 93;
  // `Failed to list models: 403`, and nothing behind it.
  if (lead === 58 && cursor.spaced && (next === 10 || next === 0) && !isAfter(COUNTS, cursor)) return true;
  if (!(lead === START || HEADS_CLAUSE.includes(lead)) || !isSpace(next)) return false;
  const from = nextWord(codes, unitEnd);
  const to = pastWord(codes, from);
  if (from === to || isDigit(codes[from]!) || isOneOf(COUNTED, codes, from, to)) return false;
  return (codes[to - 1]! | 32) !== 115 || isOneOf(ENDS_IN_S, codes, from, to);
}

const COUNTS = wordsOf(
  'port line column col char pid position limit count size total tokens attempts attempt bytes requests used remaining',
);
const HEADS_CLAUSE = [...':.;!->|'].map((sign) => sign.charCodeAt(0));

const NAMED_CODE = patternAt(
  String.raw`(?:E\d{3,4}|AADSTS\d{4,9}|E2BIG|TS\d{4,5}|CS\d{4}|MSB\d{4}|ORA-\d{5}|HTTP_?\d{3}|PGRST\d{3}|CVE-\d{4}-\d{4,6}|ERR_[A-Z0-9_]{1,56}|0x80[0-9A-Fa-f]{6}|0x[Cc]0000[0-9A-Fa-f]{3}|SQLSTATE_?[A-Z0-9]{5})(?![\w])`,
  'y',
);
const STATUSES = wordsOf('http status http_status httpstatus status_code statuscode http_status_code');
const LABELS = wordsOf(
  'code status errno exit exited signal http rc statuscode status_code exitcode exit_code exitstatus exit_status ' +
    'errorcode error_code httpstatus http_status http_code httpcode returncode return_code native_exit_code err_code curl winerror alert sqlstate grpc-status grpc_status',
);
const LINKS = wordsOf('with of was is number returned received got error');
const RETURNED = wordsOf('returned');
const ERRNO = wordsOf('errno');
const EXIT = wordsOf('exit');
const ERROR = wordsOf('error');
const OS = wordsOf('os');
const WITH = wordsOf('with');
const FAILED = wordsOf('failed');
const REASONS = wordsOf(
  'unauthorized unauthorised forbidden bad internal gateway service payment conflict gone unprocessable too not method ' +
    'proxy precondition request unavailable insufficient locked',
);
const COUNTED = wordsOf('ms s m h sec min kb mb gb b of more out and or per to x in');
const ENDS_IN_S = wordsOf('status this is was has access does address success process');
