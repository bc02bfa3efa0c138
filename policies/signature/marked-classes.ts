// Defines the token classes that are recognised by a mark: a placeholder, a prefix, the label in front.

import { KEY_FORMATS } from './key-formats.ts';
import {
  DIGITS,
  DURATION,
  keep,
  LETTERS,
  LINE_HEAD,
  oneOf,
  quoted,
  secondsOf,
  type TokenClass,
  type TokenPlace,
  UNIT_END,
  VALUE,
  WORD,
} from './token-class.ts';

/** The beginnings of secrets, by the characters that may follow. */
const headsOf = (goesOn: '*-' | '' | '.-'): string =>
  KEY_FORMATS.flatMap(({ heads }) => heads?.[goesOn] ?? []).join('|');

/** The keys of services, also cut or masked, and a JWT. */
const SECRET = String.raw`(?:${headsOf('*-')})[\w*-]{0,65535}|(?:${headsOf('')})\w{0,65535}|(?:${headsOf('.-')})[\w.-]{0,65535}|(?<!-)eyJ[\w-]{8,65535}\.(?=\w)[\w.-]{1,65535}`;
const BEARERS = oneOf('bearer basic');

// The words that announce a wait end right before the amount: "try again in", "resets in", "Retry-After:", `"retryDelay":"`.
const ASKS =
  /(?:again|resets?|retry[ _-]?(?:after|delay|in)?|wait|available|renews?|refresh(?:es)?)(?:[^a-z0-9]+(?:in|after|for|another|about|approximately|around|at|least|is|up|to|within|the|next))*[^a-z0-9]*$/;
/** The end of the word before such an amount. This check quickly excludes most places. */
const MAY_ASK =
  /(?:again|resets?|retry|wait|available|renews?|refresh(?:es)?|in|after|for|another|about|around|at|least|is|up|to|within|the|next)$|.{10}/i;
const ASKS_IN_UNIT =
  /(?:reset|retry|wait)[a-z_-]*?(?:_|in)(seconds?|secs?|ms|milliseconds|minutes|hours)[^a-z0-9]*$|(retry-after)[^a-z0-9]*$/;

/** The text before an amount that may announce it as a wait. */
const before = ({ text, at }: TokenPlace): string => text.slice(Math.max(0, at - 40), at).toLowerCase();

/** Less than a minute, less than an hour, or more: "resets in 5s" and "in 8h44m" require different actions. */
function bucket(piece: string, place: TokenPlace): string {
  const seconds = secondsOf(piece, ASKS_IN_UNIT.exec(before(place))?.[1] ?? 's');
  return seconds < 60 ? '<wait:s>' : seconds < 3600 ? '<wait:m>' : '<wait:h>';
}

/** `id`, `request_id`, `sessionId`; `quotaId` is the name of a limit. */
const isIdLabel = (word: string): boolean =>
  (/(?:^|[_-])id$/i.test(word) || /[a-z\x80-\uffff]I[dD]$/.test(word)) && !/^q.{6}$/i.test(word);

const TELLING_KEYS = oneOf(
  'error err reason code status statuscode type message msg level kind cause errno signal result detail details title category errortype error_type error_code desc description',
);

const TASK_LABELS = oneOf('task tasks taskid task_id task-id task.id');

/** `fix-login-7` anywhere, but `api` only if marked as a task: "Incorrect API key" is not. The caller knows the id. */
function findTask({ text, at, lead, last, quote, context }: TokenPlace): number {
  const id = context.taskId ?? '';
  const end = at + id.length;
  if (id.length < 3 || text.slice(at, end).toLowerCase() !== id.toLowerCase() || /^\w/.test(text.slice(end, end + 1)))
    return 0;
  if (/[\d._-]/.test(id) || (TASK_LABELS.test(last) && (quote !== '' || /^[:=/([#]$/.test(lead)))) return end;
  return quote !== '' && text[end] === quote && /^\W{0,4}task(?!\w)/i.test(text.slice(end + 1, end + 10)) ? end : 0;
}

export const MARKED: readonly TokenClass[] = [
  // The placeholders of an earlier pass: codes and waits remain.
  {
    name: 'placeholder',
    put: keep,
    begins: '<',
    is: String.raw`<(?:path|url|mail|host|time|secret|task|prompt|name|v|n|wait:[smh]|code:[\w-]{1,60})>`,
    flags: 'iy',
    masks: [['in <path> got <code:401>', 'in got <code:401>']],
  },
  {
    name: 'redacted',
    put: '<secret>',
    isSecret: true,
    begins: '[',
    needs: ':',
    is: String.raw`\[REDACTED:[^\]\s]{1,80}\]`,
    flags: 'iy',
    masks: [['key [REDACTED:github_token] expired', 'key expired']],
  },
  {
    name: 'task',
    put: '<task>',
    begins: WORD,
    needs: 'T',
    is: null,
    find: findTask,
    masks: [['stage of fix-login-7 failed', 'stage of failed']],
  },
  // A secret of which only the ends are visible.
  {
    name: 'shortened secret',
    put: '<secret>',
    isSecret: true,
    begins: WORD,
    needs: '.',
    is: String.raw`(?:[sS][kK]|[kK][eE][yY]|[xX][aA][iI]|[gG][sS][kK])-?\.{3}\w{1,400}={0,9}|\w[\w.-]{0,11}?(?<=\w)-?\.{3}(?=[a-z_]{0,400}[A-Z\d])\w{1,400}={0,9}`,
    masks: [
      [
        'received API Key = sk-...FghN, the encrypted content gAAA...Qk0= is bad',
        'received api key the encrypted content is bad',
      ],
      ['blocked: xai-...abcd', 'blocked'],
    ],
    keeps: [['wait...done', 'wait done']],
  },
  {
    name: 'secret',
    put: '<secret>',
    isSecret: true,
    begins: 'srgGaAyYxXeESR',
    is: SECRET,
    flags: 'iy',
    masks: [['Incorrect API key provided: sk-pr****abcd', 'incorrect api key provided']],
    keeps: [['a task-oriented risk-free plan', 'a task-oriented risk-free plan']],
  },
  {
    name: 'bearer',
    put: '<secret>',
    isSecret: true,
    begins: WORD,
    needs: '0',
    is: String.raw`(?=[\w.-]{0,400}\d)[\w.~+/=-]{16,65535}`,
    given: ({ lead, last }) => lead === '' && BEARERS.test(last),
    masks: [['Authorization: Bearer a1b2c3d4e5f6a7b8c9', 'authorization bearer']],
  },
  {
    name: 'wait',
    put: bucket,
    begins: DIGITS,
    is: DURATION,
    flags: 'iy',
    needs: 'U',
    given: ({ last }) => MAY_ASK.test(last),
    when: (_, place) => ASKS.test(before(place)),
    masks: [
      ['resets in 5s', 'resets in <wait:s>'],
      ['try again in 3 hours 12 minutes', 'try again in <wait:h>'],
      ['"retryDelay":"36.5s"', 'retrydelay <wait:s>'],
    ],
    keeps: [['total retry wait time: 60.84 seconds', 'total retry wait time']],
  },
  {
    name: 'bare wait',
    put: bucket,
    begins: DIGITS,
    needs: 'L',
    is: String.raw`(?=\d{1,10}${UNIT_END})(?:${DURATION}|\d{1,10})`,
    flags: 'iy',
    given: (place) => /[sdcr]$/i.test(place.last) && ASKS_IN_UNIT.test(before(place)),
    masks: [
      ['resets_in_seconds: 1234', 'resets_in_seconds <wait:m>'],
      ['Retry-After: 30, Retry-After: 120 seconds', 'retry-after <wait:s> retry-after <wait:m>'],
    ],
  },
  {
    name: 'trace id',
    put: '',
    begins: 'rtcoxRTCOX',
    is: String.raw`(?:(?:x-)?(?:(?:github|oai|amzn|goog|ms|cloudaicompanion|client)-)?(?:request|req|trace|correlation|ray|operation)[ _-]?id|cf-ray|traceparent)["\x27]?\s{0,2}[:= ]\s{0,12}["\x27(]{0,2}[\w:.-]{6,80}`,
    flags: 'iy',
    when: (piece) => /\d\S{0,80}$/.test(piece),
    masks: [['failed (Request ID: 1BC7:1E58A2:641155F), cf-ray: d0f2755d033e9685-AMS', 'failed']],
    keeps: [['request id: not found', 'request id not found']],
  },
  // The class names that bundlers shorten.
  {
    name: 'minified name',
    put: '',
    begins: LETTERS,
    needs: ':',
    is: String.raw`${LINE_HEAD}[a-zA-Z](?: \[\w{1,40}\])?:(?= )`,
    masks: [['e: You exceeded it', 'you exceeded it']],
  },
  {
    name: 'shell',
    put: '',
    begins: 'bszdkaBSZDKA',
    needs: ':',
    is: String.raw`${LINE_HEAD}(?:bash|sh|zsh|dash|ksh|ash):(?: (?:line )?\d{1,6}:)?(?= )`,
    flags: 'iy',
    masks: [['bash: line 1: codex: command not found', 'codex command not found']],
  },
  {
    name: 'labelled id',
    put: '<n>',
    begins: WORD,
    needs: 'L',
    is: VALUE,
    given: ({ last }) => isIdLabel(last),
    when: (piece, { quote, spaced }) => quote !== '' || !spaced || /[\dA-Z]/.test(piece),
    masks: [
      ['request id: Abc-dEf failed', 'request id failed'],
      ['{"session_id":"abcdef","ok":false}', 'session_id ok false'],
      ['traceId=abcdef', 'traceid'],
    ],
    keeps: [
      ['session id: not found', 'session id not found'],
      ['invalid: abc', 'invalid abc'],
    ],
  },
  {
    name: 'value',
    put: '<v>',
    isSecret: true,
    begins: `${WORD}/~.-`,
    needs: '=L',
    is: `${quoted(199)}|${VALUE}`,
    given: ({ lead, spaced, last }) => lead === '=' && !spaced && last !== '' && !TELLING_KEYS.test(last),
    masks: [['uid=0 user="alice smith" stage=Unknown', 'uid user stage']],
    keeps: [['error=unsupported call', 'error unsupported call']],
  },
];
