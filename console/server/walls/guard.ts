// Decides who is admitted: checks each request in a fixed order before any code looks at what it requests.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PAGE_HEADER } from '../../contract/page.ts';
import { type ConsoleSecrets, cookieIn, cookieName, isSecret } from './secrets.ts';
import { type RequestTarget, readTarget } from './target.ts';

interface TurnedAway {
  how: 'turned_away';
  status: 400 | 401 | 403 | 405 | 411 | 413 | 415;
  message: string;
  way_out: string | null;
}

type Admitted =
  | { how: 'enters'; target: RequestTarget }
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

export function admit(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders' | 'httpVersion'>,
  gate: Gate,
): Admitted {
  const { method, headers } = request;
  const shape = shapeMistake(request);
  if (shape !== null) return away(400, shape);
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${gate.port}`);
  if (!hosts.includes(headers.host ?? '')) return away(403, 'this console does not go by that name', OPEN_ANEW);
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return away(403, 'another page may ask nothing of this one');
  const target = readTarget(request.url);
  if (target === null) return away(400, 'there is no such address');
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
  return method === 'GET' ? { how: 'enters', target } : admitChange(headers, target, gate);
}

function admitChange(headers: IncomingHttpHeaders, target: RequestTarget, { secrets }: Gate): Admitted {
  if (headers.origin === undefined) return away(403, 'a change needs the Origin of this page');
  if (!isSecret(headers[PAGE_HEADER] as string | undefined, secrets.page))
    return away(403, 'a change needs the token of this page', 'reload the page');
  if (headers['content-type'] !== 'application/json') return away(415, 'a change is sent as application/json');
  const length = headers['content-length'];
  if (length === undefined) return away(411, 'a change says how long it is');
  if (Number(length) > MAX_BODY) return away(413, `at most ${MAX_BODY} bytes are taken`, 'send less');
  return { how: 'enters', target };
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
  if (length !== undefined && !/^\d{1,12}$/.test(length)) return 'content-length is no number';
  return method === 'GET' && Number(length ?? 0) > 0 ? 'a GET has no body' : null;
}

const ONCE = ['host', 'origin', 'cookie', 'content-length', 'content-type', 'sec-fetch-site', PAGE_HEADER];
const NEVER = ['transfer-encoding', 'upgrade', 'expect', 'trailer', 'te', 'proxy-connection', 'x-http-method-override'];

/**
 * Checks what browsers report: `none` occurs only if the user opens the page. A client without the header has shown its cookie.
 */
function isOwnSite(headers: IncomingHttpHeaders, { parts }: RequestTarget): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return true;
  return site === 'none' && (parts.length === 0 || headers['sec-fetch-mode'] === 'navigate');
}

const away = (status: TurnedAway['status'], message: string, way_out: string | null = null): TurnedAway => ({
  how: 'turned_away',
  ...{ status, message, way_out },
});
