// Parses an error message: the JSON, status, code and type that engines pack into one line of text.

import { cut, withoutColours } from '../text/display.ts';
import { type Json, listOf, numberOf, parseObject, partOf, textOf } from '../text/json.ts';
import type { EngineFailure } from './engine-event.ts';

/** @param known What the stream reports outside the message; it overrides the text. */
export function readFailure(text: string, known: Partial<EngineFailure> = {}): EngineFailure {
  const plain = withoutColours(cut(text, MAX_TEXT));
  const { message, limited } = unwrap(plain);
  const stripped = message.replace(NAMES, '');
  const body = findBody(stripped);
  const named = /([A-Z]\w+(?:Error|Exception)): $/.exec(NAMES.exec(message)?.[0] ?? '')?.[1];
  const status = known.status ?? (limited ? 429 : undefined) ?? body?.status ?? statusIn(stripped) ?? statusIn(message);
  const code = known.code ?? body?.code ?? grpcCodeIn(message) ?? SYSTEM_CODE.exec(stripped)?.[0];
  const type = known.type ?? body?.type ?? named;
  const details = known.details ?? body?.details;
  return {
    message: body?.message ? stripped.replace(body.json, () => body.message!) : stripped,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(details === undefined ? {} : { details }),
  };
}

/** The class names of an error that was passed on; `type` has the last one. */
const NAMES = /^(?:Error: |exception |_?[A-Z]\w+(?:Error|Exception): )+/;

/** No service writes anything useful after this; it may echo the prompt there. */
const MAX_TEXT = 8000;

/** gemini's frame around each API error, with the advice that it adds only for status 429, where it drops the status. */
function unwrap(text: string): { message: string; limited: boolean } {
  const framed = /^\[API Error: ([\s\S]*?)\](\s*Please wait and try again later\b[\s\S]*)?$/.exec(text.trim());
  return framed ? { message: framed[1]!, limited: framed[2] !== undefined } : { message: text.trim(), limited: false };
}

interface Body extends Partial<EngineFailure> {
  json: string;
}

/** The service's own JSON, anywhere in the text; a message that is JSON itself is parsed too. */
function findBody(text: string, depth = 0): Body | null {
  const json = objectIn(text);
  if (json === null) return null;
  const whole = parseObject(json);
  if (whole === null) return null;
  const error = partOf(whole.error) ?? whole;
  const words = textOf(error.message) ?? textOf(whole.error) ?? textOf(whole.detail) ?? undefined;
  const inner = words !== undefined && depth < 3 ? findBody(words, depth + 1) : null;
  const body = { ...read(error), ...(words === undefined ? {} : { message: words }) };
  return inner === null ? { json, details: json, ...body } : { ...body, ...inner, json, details: json };
}

/** From the first brace to the one that closes it; more may follow. */
function objectIn(text: string): string | null {
  const from = text.indexOf('{');
  if (from === -1) return null;
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === '\\') at++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && char === '{') depth++;
    else if (!quoted && char === '}' && --depth === 0) return text.slice(from, at + 1);
  }
  return null;
}

function read(error: Json): Partial<EngineFailure> {
  const numbers = [error.code, error.status, error.statusCode].map(numberOf);
  const status = numbers.find((n) => n !== null && n >= 400 && n < 600);
  const words = [reasonOf(error), textOf(error.code), textOf(error.status)];
  const code = words.find((word) => word !== null && /^[\w.-]+$/.test(word));
  const type = textOf(error.type);
  return {
    ...(status == null ? {} : { status }),
    ...(code == null ? {} : { code }),
    ...(type === null ? {} : { type }),
  };
}

/** Google's ErrorInfo, or the `reason` of its older error lists: more specific than the code beside it. */
function reasonOf(error: Json): string | null {
  const parts = [...listOf(error.details), ...listOf(error.errors)].map(partOf);
  return parts.map((part) => textOf(part?.reason)).find((reason) => reason !== null) ?? null;
}

/** An HTTP status that the text names as one: a number alone is never enough. */
function statusIn(text: string): number | undefined {
  // Each of them needs one, and to compile them all takes 3 ms.
  if (!/[45]\d\d/.test(text)) return undefined;
  for (const pattern of STATUS) {
    const found = pattern.exec(text);
    if (found) return Number(found[1]);
  }
  return undefined;
}

const PHRASE = [
  'bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|proxy authentication required',
  'request time-?out|conflict|gone|payload too large|(?:request )?entity too large|content too large|uri too long',
  'unsupported media type|unprocessable (?:entity|content)|locked|too early|upgrade required|too many requests',
  'unavailable for legal reasons|client closed request|internal server error|not implemented|bad gateway',
  'service (?:temporarily )?unavailable|gateway time-?out|network authentication required|overloaded',
].join('|');

/** The more specific first. */
const STATUS = [
  /\bstatus(?:[ _]?code)?["']?\s{0,4}(?:[:=]|is|was|of)?\s{0,4}["']?([45]\d\d)\b/i,
  /(?<![\w:./-])([45]\d\d) (?:http )?status\b/i,
  /\bHTTP(?:\/\d(?:\.\d)?)?[ :_-]{0,4}(?:status|error|code|response){0,3}[ :=]{0,4}([45]\d\d)\b/i,
  /\bAPI error:?\s*\(?([45]\d\d)\b/i,
  /\bproxy response \(([45]\d\d)\)/i,
  /(?<!exit[ _-]?)(?<!exited with )(?<!\bdatabase:? \()\bcode["']?\s*[:=]\s*["']?([45]\d\d)\b/i,
  new RegExp(`(?<![\\w:./-])([45]\\d\\d)\\)?[ :,-]+\\(?["']?(?:${PHRASE})\\b`, 'i'),
  new RegExp(`\\b(?:${PHRASE})\\s*\\(([45]\\d\\d)\\)`, 'i'),
  /(?:Error|\bfailed): ([45]\d\d)(?= (?!items|lines|files|tests)\S|$)/,
  /(?:^|\bLast error: )([45]\d\d)(?=:? ["'{A-Z]|$)/,
  /\berror(?: code)?:?\s+\(?([45]\d\d)(?=\)?(?:[,;:.]?\s*$|[,;:]?\s*[{[<"'A-Z]))/i,
  // A port directly follows its host: `api.example.test:443`.
  /\b(?:fail\w*|error)\b.{0,60}(?:: |\(|(?<=\b(?:failed|error)):)([45]\d\d)\)?\.?$/im,
  /\b(?:responded with|returned|received|got)(?: an?)?(?: http)?(?: error)? ([45]\d\d)\b(?! (?:items|lines|files|rows|bytes|tests))/i,
];

/** Error codes of the operating system, Node and TLS. */
const SYSTEM_CODE =
  /\b(?:E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|NOTFOUND|AI_AGAIN|AI_FAIL|PIPE|NETUNREACH|NETDOWN|HOSTUNREACH|HOSTDOWN|ADDRNOTAVAIL|NOSPC|DQUOT|ROFS|ACCES|PERM|NOMEM|MFILE|NFILE|NOENT|NOEXEC|2BIG|IO)|UND_ERR_\w+|ERR_(?:TLS|SSL)_\w+|CERT_\w+|SELF_SIGNED_CERT\w*|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET)_\w+)\b/;

/** `PERMISSION_DENIED` for `rpc error: code = PermissionDenied …` and `status = StatusCode.PERMISSION_DENIED`. */
export function grpcCodeIn(text: string): string | undefined {
  const found = SAID.exec(text);
  if (found === null) return undefined;
  const word = found.slice(1).find((one) => one !== undefined)!;
  const name = /^\d+$/.test(word) ? BY_NUMBER[Number(word)] : capitals(word);
  return name !== undefined && BY_NUMBER.includes(name) ? name : undefined;
}

/** The forms of Go; Python and .NET; Rust; Ruby; Connect; and headers. */
const SAID =
  /\brpc error: code = (\w{1,30})|\bStatusCode(?:\.|=)"?(\w{1,30})|\bstatus: ([A-Z][A-Za-z]{1,30}), (?:message|details|self):|\bGRPC::(\w{1,30})|\bConnectError: \[(\w{1,30})\]|\bgrpc[-_ ](?:status|code)["']?\s{0,2}[:=]?\s{0,2}["']?(\d{1,2})\b/;

const capitals = (word: string): string => word.replace(/([a-z])(?=[A-Z])/g, '$1_').toUpperCase();

/** https://grpc.io/docs/guides/status-codes */
const BY_NUMBER: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
