// Defines the token classes for figures: times, the codes that distinguish failures and are kept, and amounts.

import { DIGITS, DURATION, keep, oneOf, START, type TokenClass, type TokenPlace } from './token-class.ts';

/** `exit code 1`, `HTTP 503`, `status: 429`, `401 Unauthorized`, `(502)`; never `line 401` or `app.ts:403`. */
function isCode(piece: string, place: TokenPlace): boolean {
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
const isOfSystem = ({ last }: TokenPlace): boolean => /^errno$/i.test(last);

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

const LABELS = oneOf(
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

const keepCode = (piece: string): string => `<code:${keep(piece)}>`;

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:\s?[ap]\.?m(?![a-z])\.?)?`;
const ZONE =
  String.raw`(?:\s?(?:\(?[a-z]{2,12}\/[a-z_]{2,20}(?:\/[a-z_]{2,20})?\)?|[+-]\d{2}:?\d{2}(?!\d)` +
  String.raw`|\(?(?:utc|gmt|[pmcea][sd]?t|ces?t|wes?t|ees?t|bst|ist|jst|kst|sgt|hkt|aes?t|aedt|nz[sd]t|z)(?![a-z])(?:[+-]\d{1,2}(?::?\d{2})?)?\)?))?`;
const DAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}';
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const DATE = String.raw`(?:${MONTH}\.?\s{1,2}\d{1,2}(?:st|nd|rd|th)?|\d{1,2}(?:st|nd|rd|th)?[\s-]${MONTH})(?:,?[\s-]\d{4}(?![\d:]))?`;
const AM_PM = String.raw`\d{1,2}\s?[ap]m(?![a-z])`;
const HOUR = `(?:${CLOCK}|${AM_PM})`;
const SLASHED = String.raw`\d{1,2}\/\d{1,2}\/\d{2,4}(?:,?\s${HOUR})?`;
const ISO = String.raw`\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[t_\s-]{1,2}\d{1,2}[:-]\d{2}(?:[:-]\d{2})?(?:[.,:-]\d{1,9})?)?`;
const NAMED = String.raw`(?:${DAY},?\s)?${DATE}(?:,?(?:\sat)?\s${HOUR})?(?:\s\d{4}(?!\d))?|${DAY}(?:\sat)?,?\s${HOUR}`;

const AT = oneOf('at until by from since time reset resets');

/** Whether a time does not end within a word. */
const endsTime = (_piece: string, { text }: TokenPlace, end: number): boolean =>
  !/\w\w/.test(text.slice(end - 1, end + 1));

// Fast checks for most places, because the expressions for times take long to compile.
const startsAs =
  (head: RegExp) =>
  ({ text, at }: TokenPlace): boolean =>
    head.test(text.slice(at, at + 8));
const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const startsNamed = startsAs(
  new RegExp(
    `^(?:(?:${MONTHS})[a-z]{0,6}\\W|(?:${MONTHS})[a-z]{4}|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[ ,]|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{3})`,
    'i',
  ),
);

export const FIGURES: readonly TokenClass[] = [
  {
    name: 'date',
    put: '<time>',
    begins: DIGITS,
    needs: '0',
    is: String.raw`(?:${SLASHED}|${ISO})(?:-(?:preview|alpha|beta)(?!\w)|${ZONE})`,
    flags: 'iy',
    given: startsAs(/^\d{1,4}[-/.]\d/),
    when: endsTime,
    masks: [
      ['2026-11-21T20:16:49.882Z 2026-11-21 20:16:49,882 2026-11-21T20-16-49-882Z', ''],
      ['11/21/2026, 8:30 PM', ''],
      ['API version 2025-03-01-preview, API version 2025-11-01', 'api version api version'],
    ],
  },
  {
    name: 'day of month',
    put: '<time>',
    begins: DIGITS,
    needs: 'U',
    is: `(?:${NAMED})${ZONE}`,
    flags: 'iy',
    given: startsAs(new RegExp(String.raw`^\d{1,2}(?:st|nd|rd|th)?[\s-](?:${MONTHS}|$)`, 'i')),
    when: endsTime,
    masks: [['21 Nov 2026 20:16:49 GMT, 21-Nov-2026, 21st Nov 2026', '']],
  },
  {
    name: 'named date',
    put: '<time>',
    begins: 'jfmasondtwJFMASONDTW',
    is: `(?:${NAMED})${ZONE}`,
    flags: 'iy',
    given: startsNamed,
    when: endsTime,
    masks: [
      ['Nov 21 20:16:49 host', 'host'],
      ['try again at Sep 18th, 2026 12:04 AM.', 'try again at'],
      ['Fri, 21 Nov 2026 20:16:49 GMT', ''],
      ['[Sun Dec 04 04:47:44 2005] resets Monday at 9:00 AM', 'resets'],
    ],
    keeps: [
      ['you may do so', 'you may do so'],
      ['the sun, on mondays', 'the sun on mondays'],
    ],
  },
  // An hour alone only after "at" and similar words.
  {
    name: 'clock',
    put: '<time>',
    begins: DIGITS,
    needs: '0',
    is: `(?:${CLOCK}|${AM_PM})${ZONE}`,
    flags: 'iy',
    given: startsAs(/^\d{1,2}(?::\d\d|\s?[ap]m)/i),
    when: (piece, place, end) =>
      endsTime(piece, place, end) &&
      (AT.test(place.last) || /^\d{1,2}(?::\d{2}(?::\d{2}|\s?[ap]\.?m|\s?z|\s?utc)|\s?[ap]m)/i.test(piece)),
    masks: [['20:16:49.882 resets at 8pm (America/Los_Angeles), at 8:30', 'resets at at']],
  },
  // JSON-RPC codes anywhere, others after a label.
  {
    name: 'negative code',
    put: (piece, place) => (isOfSystem(place) ? '' : keepCode(piece)),
    begins: '-',
    needs: '0',
    is: String.raw`(?<!\w)-\d{1,7}(?!\w|\.\d)`,
    when: (piece, { last }) =>
      (Number(piece) <= -32000 && Number(piece) >= -32768) || (Number(piece) > -100000 && LABELS.test(last)),
    masks: [['(code -32600) code: -104, errno: -104, but -7', 'code <code:-32600> code <code:-104> errno but']],
  },
  {
    name: 'code',
    put: keepCode,
    begins: DIGITS,
    needs: '0',
    is: String.raw`\d{1,5}`,
    whole: true,
    when: isCode,
    masks: [
      [
        'exited with code 1; exit status 2; (os error 104)',
        'exited with code <code:1> exit status <code:2> os error <code:104>',
      ],
      ['{"code":401,"status":"UNAUTHENTICATED"}', 'code <code:401> status unauthenticated'],
      ['Last error: 429 You exceeded', 'last <code:429> you exceeded'],
      ['502 Bad Gateway', '<code:502> bad gateway'],
      [
        'upstream got 503, answered with 404; started with 500 workers',
        'upstream got <code:503> answered with <code:404> started with workers',
      ],
      ['exited with status 255', 'exited with status <code:255>'],
      ['CreateProcessW failed: 1312, tests failed: 13', 'createprocessw failed <code:1312> tests failed'],
      [
        '"GET /a HTTP/1.1" status: 404 len: 176 time: 0.01; "POST /a HTTP/1.1" 429',
        'get http status len time post http <code:429>',
      ],
    ],
    keeps: [['line 401, 450 items, limit: 429 requests, status: 200', 'line items limit requests status']],
  },
  {
    name: 'named code',
    put: keepCode,
    begins: '0EACTMOHPS',
    needs: '0',
    is: String.raw`(?:E\d{3,4}|AADSTS\d{4,9}|E2BIG|TS\d{4,5}|CS\d{4}|MSB\d{4}|ORA-\d{5}|HTTP_?\d{3}|PGRST\d{3}|CVE-\d{4}-\d{4,6}|ERR_[A-Z0-9_]{1,56}|0x80[0-9A-Fa-f]{6}|0x[Cc]0000[0-9A-Fa-f]{3}|SQLSTATE_?[A-Z0-9]{5})`,
    whole: true,
    masks: [
      [
        'error[E0425], TS2304, npm ERR! code E401, AADSTS50020',
        'error <code:e0425> <code:ts2304> npm err code <code:e401> <code:aadsts50020>',
      ],
    ],
  },
  // None at all, and not the size of a limit.
  {
    name: 'zero limit',
    put: keepCode,
    begins: '0',
    needs: 'L0',
    is: '0',
    whole: true,
    given: ({ last }) => /^limit$/i.test(last),
    masks: [['requests, limit: 0, model: m; limit: 250', 'requests limit <code:0> model m limit']],
  },
  {
    name: 'duration',
    put: '<n>',
    begins: DIGITS,
    needs: 'U',
    is: DURATION,
    flags: 'iy',
    masks: [['took 14.61 seconds, 1h 2m 3s, 5099ms in all', 'took in all']],
  },
  // `(1.13 KB)` after `1165 bytes` is one more phrase, in any unit.
  {
    name: 'size',
    put: (_, { lead, spaced, last }) => (lead === '(' && !spaced && /.{2}bytes$/i.test(last) ? 'kb' : ''),
    begins: DIGITS,
    needs: 'U',
    is: String.raw`\d{1,15}(?:[.,]\d{1,9})?\s?(?:[kmgtp]i?b|bytes?|[kmgt]bytes?)(?:\/s(?:ec)?)?(?![a-z_])`,
    flags: 'iy',
    masks: [
      ['truncated to 8388608 bytes of 1.5 GiB', 'truncated to of'],
      ['close, 1165 bytes (1.13 KB) sent, 403 bytes received, lifetime <1 sec', 'close kb sent received lifetime'],
    ],
  },
];
