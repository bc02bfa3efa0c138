// Finds the numbers that tell two failures apart: HTTP status, exit code, errno, JSON-RPC code, compiler codes.

import { isDigit, isSpace, isWord } from './characters.ts';
import { type Cursor, START, wordAfter, wordBefore } from './cursor.ts';

/** `-32600` anywhere; another negative number only behind a label, as in `errno: -104`. */
export function scanNegativeCode(cursor: Cursor, at: number): number {
  const { text } = cursor;
  if (isWord(text.charCodeAt(at - 1)) || !isDigit(text.charCodeAt(at + 1))) return 0;
  let end = at + 1;
  while (end < at + 8 && isDigit(text.charCodeAt(end))) end += 1;
  const next = text.charCodeAt(end);
  if (isWord(next) || (next === 46 && isDigit(text.charCodeAt(end + 1)))) return 0;
  const value = Number(text.slice(at, end));
  if (value <= -32000 && value >= -32768) return end;
  return value > -100000 && LABELS.has(wordBefore(cursor, 1)) ? end : 0;
}

/** `exit code 1`, `HTTP 503`, `status: 429`, `401 Unauthorized`, `(502)`; never `line 401` or `app.ts:403`. */
export function scanCode(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  const length = unitEnd - at;
  if (length > 5 || !isDigit(text.charCodeAt(at))) return 0;
  for (let i = at + 1; i < unitEnd; i += 1) if (!isDigit(text.charCodeAt(i))) return 0;
  const last = wordBefore(cursor, 1);
  if (last === '' && length !== 3) return 0;
  const value = Number(text.slice(at, unitEnd));
  const labelled = LABELS.has(last) || (LINKS.has(last) && (LABELS.has(wordBefore(cursor, 2)) || last === 'returned'));
  const older = wordBefore(cursor, 2);
  if (labelled && !isHttpLabel(last, older)) return unitEnd;
  if (last === 'error' && older === 'os') return unitEnd;
  if (length !== 3 || value < 300 || value > 599) return labelled && length !== 3 ? unitEnd : 0;
  if (labelled || last === 'error' || last === 'http') return unitEnd;
  if (value < 400) return 0;
  const after = wordAfter(cursor, unitEnd);
  if (REASONS.has(after)) return unitEnd;
  return standsAlone(cursor, after) ? unitEnd : 0;
}

/** `E0425`, `TS2304`, `ORA-00942`, `ERR_HTTP2_STREAM_ERROR`, `E2BIG`, `0x80070005`. */
export function scanNamedCode(cursor: Cursor, at: number): number {
  const { text, unitEnd } = cursor;
  if (!LEADS.includes(text.charAt(at)) || unitEnd - at > 60) return 0;
  return NAMED_CODE.test(text.slice(at, unitEnd)) ? unitEnd : 0;
}

/** A status at the head of a clause, `400 No tool output`, or alone in brackets, `(502)`. */
function standsAlone(cursor: Cursor, after: string): boolean {
  const { text, unitEnd, lead } = cursor;
  const next = text.charCodeAt(unitEnd);
  if (lead === 40 || lead === 91) return next === 41 || next === 93;
  // 58 `:`, 46 `.`, 59 `;`, 33 `!`, 45 `-`, 62 `>`, 124 `|`
  if (!(lead === START || [58, 46, 59, 33, 45, 62, 124].includes(lead)) || !isSpace(next)) return false;
  return (
    after !== '' &&
    !isDigit(after.charCodeAt(0)) &&
    !(after.endsWith('s') && !ENDS_IN_S.has(after)) &&
    !COUNTED.has(after)
  );
}

const isHttpLabel = (last: string, older: string): boolean =>
  last === 'http' || /^(?:http_?)?status(?:_?code)?$/.test(last) ? older !== 'exit' : false;

const LEADS = 'ECTMOHP0S';
const NAMED_CODE =
  /^(?:E\d{4}|E2BIG|TS\d{4,5}|CS\d{4}|MSB\d{4}|ORA-\d{5}|HTTP_?\d{3}|PGRST\d{3}|CVE-\d{4}-\d{4,6}|ERR_[A-Z0-9_]+|0x80[0-9A-Fa-f]{6}|0x[Cc]0000[0-9A-Fa-f]{3}|SQLSTATE_?[A-Z0-9]{5})$/;
const LABELS = new Set(
  (
    'code status errno exit exited signal http rc statuscode status_code exitcode exit_code exitstatus exit_status ' +
    'errorcode error_code httpstatus http_status http_code httpcode returncode return_code native_exit_code err_code'
  ).split(' '),
);
const LINKS = new Set(['with', 'of', 'was', 'is', 'number', 'returned', 'received', 'got', 'error']);
const REASONS = new Set(
  (
    'unauthorized unauthorised forbidden bad internal gateway service payment conflict gone unprocessable too not method ' +
    'proxy precondition request unavailable insufficient locked'
  ).split(' '),
);
const COUNTED = new Set('ms s m h sec min kb mb gb b of more out and or per to x in'.split(' '));
const ENDS_IN_S = new Set(['this', 'is', 'was', 'has', 'access', 'does', 'address', 'success', 'process']);
