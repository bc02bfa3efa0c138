// Decides who is admitted, by secrets and a fixed order of checks, and at what rate, before any code looks at a request.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PAGE_HEADER } from '../../contract/page.ts';

interface TurnedAway {
  how: 'refused';
  status: 400 | 401 | 403 | 405 | 411 | 413 | 415;
  message: string;
  way_out: string | null;
}

type Admitted =
  | { how: 'admitted'; target: RequestTarget }
  /** The request has the token of the printed address, and receives the cookie for it. */
  | { how: 'signs_in'; by: 'token' | 'once' }
  | TurnedAway;

interface Gate {
  secrets: ConsoleSecrets;
  port: number;
}

/** The limit of a body in bytes: a prompt is the longest text that is sent. */
export const MAX_BODY = 256 * 1024;

const OPEN_ANEW = 'open the address that tollgate console has printed';

export function admit(request: IncomingMessage, gate: Gate): Admitted {
  const { method, headers } = request;
  const shape = shapeMistake(request);
  if (shape !== null) return away(400, shape);
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${gate.port}`);
  if (!hosts.includes(headers.host ?? '')) return away(403, 'this console does not go by that name', OPEN_ANEW);
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return away(403, 'another page may ask nothing of this one');
  const target = readTarget(request.url);
  if (target === null) return away(400, 'this address does not exist');
  if (method !== 'GET' && method !== 'POST') return away(405, 'only GET and POST are taken');
  if (target.token !== null) {
    const { token, once } = gate.secrets;
    if (method === 'GET' && isSecret(target.token, token)) return { how: 'signs_in', by: 'token' };
    if (method === 'GET' && once !== null && isSecret(target.token, once)) return { how: 'signs_in', by: 'once' };
    return away(
      401,
      'the token in this address is another console’s, has ended with it, or was for one browser and is used',
      OPEN_ANEW,
    );
  }
  if (!isOwnSite(headers, target)) return away(403, 'another page may ask nothing of this one');
  if (!isSecret(cookieIn(headers.cookie, cookieName(gate.port)), gate.secrets.cookie))
    return away(401, 'this browser has no access, or the console was restarted', OPEN_ANEW);
  return method === 'GET' ? { how: 'admitted', target } : admitChange(headers, target, gate);
}

function admitChange(headers: IncomingHttpHeaders, target: RequestTarget, { secrets }: Gate): Admitted {
  if (headers.origin === undefined) return away(403, 'a change needs the Origin of this page');
  if (!isSecret(headers[PAGE_HEADER] as string | undefined, secrets.page))
    return away(403, 'a change needs the token of this page', 'reload the page');
  if (headers['content-type'] !== 'application/json') return away(415, 'a change is sent as application/json');
  const length = headers['content-length'];
  if (length === undefined) return away(411, 'a change needs a Content-Length header');
  if (Number(length) > MAX_BODY) return away(413, `at most ${MAX_BODY} bytes are taken`, 'send less');
  return { how: 'admitted', target };
}

/** A request that can be read in two ways is refused unread. */
function shapeMistake({ method, headers, rawHeaders, httpVersion }: Parameters<typeof admit>[0]): string | null {
  if (httpVersion !== '1.1') return 'only HTTP/1.1 is spoken here';
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const twice = ONCE.find((name) => names.filter((each) => each === name).length > 1);
  if (twice !== undefined) return `${twice} is there more than once`;
  const never = NEVER.find((name) => names.includes(name));
  if (never !== undefined) return `${never} is not taken`;
  const length = headers['content-length'];
  if (length !== undefined && !/^\d{1,12}$/.test(length)) return 'the Content-Length header is not a number';
  return method === 'GET' && Number(length ?? 0) > 0 ? 'a GET has no body' : null;
}

const ONCE = ['host', 'origin', 'cookie', 'content-length', 'content-type', 'sec-fetch-site', PAGE_HEADER];
const NEVER = ['transfer-encoding', 'upgrade', 'expect', 'trailer', 'te', 'proxy-connection', 'x-http-method-override'];

/** What browsers report: `none` occurs only if the user opens the page. Without the header a cookie was shown. */
function isOwnSite(headers: IncomingHttpHeaders, { parts }: RequestTarget): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return true;
  return site === 'none' && (parts.length === 0 || headers['sec-fetch-mode'] === 'navigate');
}

const away = (status: TurnedAway['status'], message: string, way_out: string | null = null): TurnedAway => ({
  how: 'refused',
  ...{ status, message, way_out },
});

interface Pace {
  /** Takes one request from the bucket. @returns whether there was one. */
  take(nowMs: number): boolean;
}

/** A bucket that refills over time. */
export function paceOf({ atOnce, aSecond }: { atOnce: number; aSecond: number }): Pace {
  let allowance = atOnce;
  let seenMs: number | null = null;
  return {
    take(nowMs) {
      allowance = Math.min(atOnce, allowance + ((nowMs - (seenMs ?? nowMs)) / 1000) * aSecond);
      seenMs = nowMs;
      if (allowance < 1) return false;
      allowance -= 1;
      return true;
    },
  };
}

/** The random secrets that admit a browser: new for each console, only in memory, compared in constant time. */
interface ConsoleSecrets {
  /** In the printed address; the browser exchanges it for the cookie. */
  token: string;
  /** In the address that starts the browser, which others may read; invalid after its first use. */
  once: string | null;
  /** In the cookie, which no script can read. */
  cookie: string;
  /** Held by the page, which sends it with each change. */
  page: string;
}

export const makeSecrets = (): ConsoleSecrets => ({
  ...{ token: secret(), once: null },
  ...{ cookie: secret(), page: secret() },
});

/** 256 bits. */
export const secret = (): string => randomBytes(32).toString('base64url');

/** The time that it takes reveals nothing about either value. */
function isSecret(given: string | undefined | null, held: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given ?? ''), hash(held));
}

/** A browser sends a cookie to all ports of a host: two consoles must not overwrite each other's cookie. */
export const cookieName = (port: number): string => `tollgate-${port}`;

function cookieIn(header: string | undefined, name: string): string | null {
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return found.length === 1 ? found[0]!.slice(name.length + 1) : null;
}

export interface RequestTarget {
  /** The decoded parts; empty for the page itself. No part is empty, `.` or `..`. */
  parts: readonly string[];
  /** Only for the page: the token that `tollgate console` printed; null if there is none. */
  token: string | null;
}

const MAX_LENGTH = 2048;
const TOKEN = /^\?token=([A-Za-z0-9_-]{1,128})$/;

/** @returns null for an ambiguous target: with a host, `//`, `/x/../api`, needless encoding or an unexpected query. */
export function readTarget(target: string | undefined): RequestTarget | null {
  if (target === undefined || target.length > MAX_LENGTH || !target.startsWith('/')) return null;
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  const query = at < 0 ? null : target.slice(at);
  if (path === '/') {
    if (query === null) return { parts: [], token: null };
    const token = TOKEN.exec(query)?.[1];
    return token === undefined ? null : { parts: [], token };
  }
  if (query !== null) return null;
  const parts = path.slice(1).split('/').map(partOf);
  return parts.includes(null) ? null : { parts: parts as string[], token: null };
}

/** Accepts only the encoding that a browser uses. */
function partOf(encoded: string): string | null {
  try {
    const part = decodeURIComponent(encoded);
    const isPlain = part !== '' && part !== '.' && part !== '..' && !CONTROL.test(part);
    return isPlain && encodeURIComponent(part) === encoded ? part : null;
  } catch {
    return null;
  }
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]/u;
