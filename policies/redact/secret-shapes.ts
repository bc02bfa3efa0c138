// Finds secrets by their own shape, or by the name in front: tokens, headers, private keys, passwords in URLs, `api_key=…`.

import { tried } from '../text/tried.ts';

type Span = [from: number, to: number];

/** A token with its own prefix, where a word may begin. */
export function findShaped(pattern: RegExp): (text: string, at: number, floor: number) => Span | null {
  return (text, at, floor) => {
    if (!mayBegin(text, at, floor)) return null;
    const end = endOf(pattern, text, at);
    return end ? [at, end] : null;
  };
}

/** Extends to the end mark or, if that is missing, to the last line of base64; line ends may be escaped. */
export function findPrivateKey(text: string, at: number): Span | null {
  const end = endOf(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y, text, at);
  return end ? [at, closeOf(text, end) ?? Math.max(bareLines(text, end), shownLines(text, end))] : null;
}

function bareLines(text: string, from: number): number {
  for (let end = from; ; ) {
    const gap = endOf(/(?:[\r\n\t ]|\\+[nrt])+/y, text, end) || end;
    const close = endOf(/-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y, text, gap);
    if (close) return close;
    const line = endOf(/(?:[A-Za-z0-9+/=]{1,200}|[A-Z][\w-]{2,20}: [\w,. -]{1,100})(?=[\r\n\\"' ]|$)/y, text, gap);
    const short =
      line - gap < 40 && !/^(?:[\r\n\t ]|\\+[nrt])*(?:-----END|[A-Za-z0-9+/=]{40})/.test(text.slice(line, line + 60));
    if (!line || gap === end || (short && !text.slice(gap, line).includes(': '))) return end;
    end = line;
  }
}

/** Whole lines with something around them, in a text cut before the end mark; the last one as far as it goes. */
function shownLines(text: string, from: number): number {
  let end = from;
  for (let line = end; line; line = endOf(SHOWN_LINE, text, end)) end = line;
  return end === from ? end : endOf(CUT_LINE, text, end) || end;
}

const SHOWN_LINE = /(?:[^\r\n\\]{0,20}(?:\\+[rn]|[\r\n ])){1,3}[^\r\n]{0,60}?[A-Za-z0-9+/]{40,}={0,2}/y;
const CUT_LINE =
  /(?:[^\r\n\\]{0,20}(?:\\+[rn]|[\r\n ])){1,3}[^\r\n]{0,60}?(?:[A-Za-z0-9+/]{1,39}(?=…|\.{3})|[A-Za-z0-9+/]{16,39}(?="?\s*$))/y;

/** The end of the end mark, whatever a pager, grep, diff or quotation adds; null if no key precedes it. */
function closeOf(text: string, from: number): number | null {
  const mark = text.slice(from, from + MOST_KEY).search(/-----(?:END|BEGIN)/);
  const close = mark < 0 ? 0 : endOf(/-*END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y, text, from + mark);
  if (!close) return null;
  const body = text.slice(from, from + mark);
  const signs = (body.match(/[A-Za-z0-9+/]{24,}/g) ?? []).reduce((sum, run) => sum + run.length, 0);
  return signs >= body.length * LEAST_SIGNS ? close : null;
}

/** An RSA key of 16,384 bits, with as much again around its lines. */
const MOST_KEY = 24 * 1024;
/** In a program that contains both marks, hardly any text is a run of base64. */
const LEAST_SIGNS = 0.4;

/** `user:password@` after `://`: the password, or a user name that is a token. */
export function findUrlPassword(text: string, at: number): Span | null {
  const from = at + 3;
  let colon = 0;
  for (let end = from; end < text.length; end += 1) {
    const sign = text.charAt(end);
    if (sign === '@') {
      const start = colon ? colon + 1 : from;
      const secret = text.slice(start, end);
      const done = text.startsWith('[REDACTED:', from) || secret.includes('[REDACTED:');
      return secret !== '' && !done && (colon || isToken(secret)) ? [start, end] : null;
    }
    if (sign === ':' && !colon) colon = end;
    if (URL_STOPS.has(sign)) return null;
  }
  return null;
}

/** The text after `Bearer`, if it is not a word. */
export function findBearer(text: string, at: number, floor: number): Span | null {
  if (!mayBegin(text, at, floor)) return null;
  const from = at + 7;
  const end = endOf(/[\w.~+/=-]{8,}/y, text, from);
  const value = text.slice(from, end);
  return end && (/\d/.test(value) || value.length >= 30) ? [from, end] : null;
}

/** The text after `Basic`, if it is base64 of `user:password`. */
export function findBasic(text: string, at: number, floor: number): Span | null {
  if (!mayBegin(text, at, floor)) return null;
  const from = at + 6;
  const end = endOf(/[A-Za-z0-9+/]{6,}={0,2}(?![\w+/=])/y, text, from);
  return end && /^[\x20-\x7e\x80-\xff]*:[\x20-\x7e\x80-\xff]*$/.test(decoded(text.slice(from, end)))
    ? [from, end]
    : null;
}

/** The value of an `Authorization` header, without the name of its scheme. */
export function findHeader(text: string, at: number): Span | null {
  const from = endOf(/authorization(?:\\*["'])?\s{0,3}[:=]\s{0,3}(?:\\*["'])?/iy, text, at);
  if (!from) return null;
  const scheme = endOf(/(?:bearer|basic|token|digest|apikey|negotiate|aws4-hmac-sha256) +/iy, text, from);
  const end = endOf(/[^\s"'\\,;[\]<>{}]{6,}/y, text, scheme || from);
  if (!end) return null;
  const value = text.slice(scheme || from, end);
  return scheme
    ? (isValue(value) && [scheme, end]) || null
    : value.length >= 12 && /\d/.test(value)
      ? [from, end]
      : null;
}

/** The value of a `Cookie` header, up to the end of the line or of the string. */
export function findCookie(text: string, at: number): Span | null {
  const from = endOf(/cookie(?:\\*["'])?\s{0,3}:\s{0,3}(?:\\*["'])?/iy, text, at);
  const end = from && endOf(/[^\s"'\\=;[\]]{1,80}=[^\r\n"'\\[\]]{4,}/y, text, from);
  return end ? [from, end] : null;
}

/** A word may begin at the start, after a sign, after the last hit, and after an escape such as `\n`. */
function mayBegin(text: string, at: number, floor: number): boolean {
  if (at <= floor || !/\w/.test(text.charAt(at - 1))) return true;
  if ('nrtbf'.includes(text.charAt(at - 1)) && text.charAt(at - 2) === '\\') return true;
  return text.charAt(at - 6) === '\\' && text.charAt(at - 5) === 'u';
}

const URL_STOPS = new Set([
  '/',
  '\\',
  '"',
  "'",
  '`',
  '<',
  '>',
  '?',
  '#',
  ' ',
  '\t',
  '\r',
  '\n',
  '(',
  ')',
  '{',
  '}',
  '|',
  ',',
]);

const isToken = (text: string): boolean => text.length >= 20 && /\d/.test(text) && /[A-Za-z]/.test(text);
const isValue = (text: string): boolean => /\d/.test(text) || text.length >= 20;

const decoded = (base64: string): string => tried(() => atob(base64)) ?? '';

/** Returns the offset after the match at `at`, or 0. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}

/** How strongly a name indicates a secret. */
type Strength = 'password' | 'key' | 'token' | 'weak' | 'none';

/** Reads from the last word of a name, such as `key`, to the value after it: `api_key=…`, `"password":"…"`, `?token=…`. */
export function findAssigned(text: string, at: number, floor: number): Span | null {
  const wordEnd = endOf(WORD, text, at);
  const from = wordEnd && endOf(SEPARATOR, text, wordEnd);
  if (!from) return null;
  const name = nameBefore(text, at, wordEnd, floor);
  const strength = strengthOf(name);
  if (strength === 'none') return null;
  const open = endOf(QUOTE, text, from);
  const start = open || from;
  const end = endOf(open ? QUOTED : BARE, text, start);
  if (!end || (!open && '(*$'.includes(text.charAt(end) || ' '))) return null;
  const value = text.slice(start, end);
  if (value.includes('[REDACTED:') || PLACEHOLDER.test(value) || OWN_SIGNATURE.test(value)) return null;
  const inUrl = !open && /[?&;]/.test(text.charAt(at - (name.length - (wordEnd - at)) - 1));
  return isSecret(value, strength, open > 0, inUrl) ? [start, end] : null;
}

const WORD = /(?:key|token|secret|password|passwd|passphrase|credentials?|pwd|signature)(?![A-Za-z])/iy;
const SEPARATOR = /(?:\\*["'])?\s{0,3}(?:=>|:=|[:=])\s{0,3}/y;
const QUOTE = /\\*["']/y;
const QUOTED = /[^\s"'\\]{4,}(?=\\*["'])/y;
// Reads parts between `=` and `:`, and only some of them: in `key=key=key=…`, each name would otherwise read to the end.
const BARE = /[^\s"'`\\,;&<>(){}[\]|*$=:]+(?:[=:][^\s"'`\\,;&<>(){}[\]|*$=:]+){0,8}={0,2}/y;

/** Returns the whole name, including the letters before `at` that belong to it. */
function nameBefore(text: string, at: number, wordEnd: number, floor: number): string {
  let from = at;
  while (from > floor && from > at - 40 && /[\w.-]/.test(text.charAt(from - 1))) from -= 1;
  return text.slice(from, wordEnd);
}

function strengthOf(name: string): Strength {
  const flat = name.toLowerCase().replace(/[^a-z]/g, '');
  if (HARMLESS.test(flat)) return 'none';
  if (/(?:password|passwd|passphrase|pwd|secret)$/.test(flat)) return 'password';
  if (STRONG.test(flat) || /^[A-Z0-9]+_(?:[A-Z0-9]+_)*(?:KEY|TOKEN|CREDENTIALS?)$/.test(name)) return 'key';
  return flat === 'token' ? 'token' : 'weak';
}

function isSecret(value: string, strength: Strength, quoted: boolean, inUrl: boolean): boolean {
  const digit = /\d/.test(value);
  const letter = /[A-Za-z]/.test(value);
  if (inUrl) return strength === 'weak' || strength === 'token' ? value.length >= 6 && digit : value.length >= 4;
  // An identifier, a member access or a path in a program is not a secret.
  if (!quoted && (!digit || /^[A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)+$/.test(value) || value.startsWith('/'))) return false;
  if (strength === 'password') return value.length >= 6 && !ORDINARY.test(value);
  if (strength === 'key')
    return value.length >= 8 && (digit || (value.length >= 16 && /[A-Z]/.test(value) && /[a-z]/.test(value)));
  if (strength === 'token') return letter && /\d.*\d/.test(value) && value.length >= 10 && !COMMIT_OR_UUID.test(value);
  return digit && letter && value.length >= (quoted ? 12 : 20) && !KNOWN_SHAPE.test(value) && isMixed(value);
}

/** A weak name requires a value that is hardly a phrase: no part of it is a word of letters only. */
const isMixed = (value: string): boolean =>
  !value.split(/[^A-Za-z0-9]+/).some((part) => /^[A-Za-z]{3,}$/.test(part)) && /\d\D+\d/.test(value);

const STRONG =
  /(?:api|access|auth|account|admin|bearer|bot|client|deploy|encryption|github|gitlab|id|master|npm|oauth|personal|private|refresh|service|session|signing|storage|subscription|user|webhook)(?:key|token)$|apitoken$|credentials?$|signature$/;
const HARMLESS =
  /(?:public|cache|sort|primary|foreign|partition|idempotency|object|hot|row|column|page|next|continuation|csrfheader|i18n|shortcut|map|registry|dict|unexpected|invalid|stop|eos|bos|pad|unk|function|method|type)(?:key|token|signature)$/;
const PLACEHOLDER = /^(?:\$|%|<|\{|\.{3}|process\.|os\.|env\.|(.)\1*$|x{4,}|your[_-])/i;
/** The signature of a failure, whole or shortened: a public hash that reports print as `Signature: v1:…`. */
const OWN_SIGNATURE = /^v1:[0-9a-f]{12,64}$/;
const ORDINARY =
  /^(?:string|number|boolean|object|password|required|optional|undefined|secret|example|changeme|hidden|masked)$/i;
const COMMIT_OR_UUID = /^(?:[0-9a-f]{40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const KNOWN_SHAPE = /^(?:[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
