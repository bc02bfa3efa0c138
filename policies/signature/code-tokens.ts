// Recognises figures that distinguish failures: HTTP status, exit code, errno. It uses the words around a figure.

import { oneOf, START, type TokenPlace } from './token-class.ts';

/** `exit code 1`, `HTTP 503`, `status: 429`, `401 Unauthorized`, `(502)`; never `line 401` or `app.ts:403`. */
export function isCode(piece: string, place: TokenPlace): boolean {
  const { text, unitEnd, last, older, lead } = place;
  if (piece.length !== 3 && last === '') return false;
  const behind = text.slice(unitEnd, unitEnd + 48);
  // One figure of many in a server's log, which prints the same ones for each request.
  if (lead === ':' && MEASURED.test(behind)) return false;
  const key = last.slice(last.lastIndexOf('.') + 1);
  const isLabelled = LABELS.test(key) || (LINKS.test(last) && (LABELS.test(older) || RETURNED.test(last)));
  const isStatus = STATUSES.test(key) && !EXIT.test(older);
  const value = Number(piece);
  // In `exited with status 255`, the number is not an HTTP status.
  if (piece.length === 3 && value < 256 && STATUSES.test(last) && WITH.test(older)) return true;
  if (isLabelled && !isStatus) return true;
  if (/^error$/i.test(last) && /^os$/i.test(older)) return true;
  // `CreateProcessAsUserW failed: 1312`: the word before is written like a function's name.
  if (lead === ':' && /^failed$/i.test(last) && /[a-z][A-Z]/.test(older)) return true;
  if (piece.length !== 3 || value < 300 || value > 599) return isLabelled && piece.length !== 3;
  if (isLabelled || /error$/i.test(last) || isAfterProtocol(place)) return true;
  if (value < 400) return false;
  return SAYS_WHY.test(behind) || (ANSWERS.test(last) && /^(?:$|[\n,;)])/.test(behind)) || isAlone(place, behind);
}

/** Node's `errno: -104` differs between systems, and the error's name is next to it. */
export const isOfSystem = ({ last }: TokenPlace): boolean => /^errno$/i.test(last);

/** `HTTP/1.1" 429`, `HTTP/2 502`. */
const isAfterProtocol = ({ text, at }: TokenPlace): boolean =>
  /p\/[\d.]{0,6}["']? $/i.test(text.slice(Math.max(0, at - 10), at));

/** A status at the beginning of a clause, `400 No tool output`; alone in brackets, `(502)`; or last, `Failed: 403`. */
function isAlone({ lead, spaced, last }: TokenPlace, behind: string): boolean {
  if (lead === '(' || lead === '[') return /^[)\]]/.test(behind);
  if (lead === ':' && spaced && /^(?:$|\n)/.test(behind) && !COUNTS.test(last)) return true;
  const [, word = ''] =
    ((lead === START || '.;!->|:'.includes(lead || '\0')) && /^\s\W{0,3}([a-z_]\w{0,39})/i.exec(behind)) || [];
  return word !== '' && !COUNTED.test(word) && (!/s$/i.test(word) || ENDS_IN_S.test(word));
}

export const LABELS = oneOf(
  'code status errno exit exited signal http rc statuscode status_code exitcode exit_code exitstatus exit_status ' +
    'errorcode error_code httpstatus http_status http_code httpcode returncode return_code native_exit_code err_code curl winerror alert sqlstate grpc-status grpc_status',
);
const STATUSES = oneOf('http status http_status httpstatus status_code statuscode http_status_code');
const LINKS = oneOf('with of was is number returned received got error');
const RETURNED = oneOf('returned');
const EXIT = oneOf('exit');
const WITH = oneOf('with');
const ANSWERS = oneOf('with got received returned answered responded gave');
const MEASURED = /^ (?:len|length|size|bytes)[:=].?\d/i;
/** `401 Unauthorized`. */
const SAYS_WHY =
  /^\W{0,4}(?:unauthorized|unauthorised|forbidden|bad|internal|gateway|service|payment|conflict|gone|unprocessable|too|not|method|proxy|precondition|request|unavailable|insufficient|locked)(?!\w)/i;
const COUNTS = oneOf(
  'port line column col char pid position limit count size total tokens attempts attempt bytes requests used remaining',
);
const COUNTED = oneOf('ms s m h sec min kb mb gb b of more out and or per to x in');
const ENDS_IN_S = oneOf('status this is was has access does address success process');
