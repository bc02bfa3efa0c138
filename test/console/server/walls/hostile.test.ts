// Hostile requests, as bytes on the wire of a console that runs: none gets through, and the one that they are made of does.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleClient, openConsoleOf } from '../../../rig/console-client.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; page: ConsoleClient }>('hostile requests');
test.before(async (world) => {
  world.rig = await TestRig.open({ tools: [] });
  world.page = await openConsoleOf(world.rig);
});
test.after(async ({ rig, page }) => {
  page.command.signal('SIGINT');
  assert.is((await page.command.result).code, 130);
  await rig.dispose();
});

interface Sent {
  line: string;
  /** null leaves it out. */
  headers: Record<string, string | null>;
  /** As they are, behind the others. */
  more?: string[];
  body?: string;
}

const WISH = JSON.stringify({ tool: 'any', per: 'day', unit: 'calls', most: 7 });

const reading = ({ port, cookie }: ConsoleClient): Sent => ({
  line: 'GET /api/page HTTP/1.1',
  headers: { Host: `127.0.0.1:${port}`, Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', Connection: 'close' },
});
const changing = (page: ConsoleClient): Sent => ({
  line: 'POST /api/limits HTTP/1.1',
  headers: {
    ...reading(page).headers,
    Origin: `http://127.0.0.1:${page.port}`,
    'Content-Type': 'application/json',
    'Content-Length': String(WISH.length),
    'X-Tollgate-Page': page.pageToken,
  },
  body: WISH,
});

function bytesOf({ line, headers, more = [], body = '' }: Sent): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return `${[line, ...lines, ...more].join('\r\n')}\r\n\r\n${body}`;
}

type Made = (page: ConsoleClient) => Sent;

const read =
  (headers: (page: ConsoleClient) => Sent['headers'], more: (page: ConsoleClient) => string[] = () => []): Made =>
  (page) => {
    const sent = reading(page);
    return { ...sent, headers: { ...sent.headers, ...headers(page) }, more: more(page) };
  };
const readAt =
  (line: (page: ConsoleClient) => string): Made =>
  (page) => ({ ...reading(page), line: line(page) });
const change =
  (
    headers: (page: ConsoleClient) => Sent['headers'],
    other: (page: ConsoleClient) => Partial<Sent> = () => ({}),
  ): Made =>
  (page) => {
    const sent = changing(page);
    return { ...sent, headers: { ...sent.headers, ...headers(page) }, ...other(page) };
  };

const lengthOf = (body: string): Sent['headers'] => ({ 'Content-Length': String(Buffer.byteLength(body)) });
const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const other = (token: string): string => `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;

const HOSTILE: Record<string, Made> = {
  // Host
  'another host': read(() => ({ Host: 'evil.example' })),
  'another host at this port (rebinding)': read(({ port }) => ({ Host: `evil.example:${port}` })),
  'no host': read(() => ({ Host: null })),
  'an empty host': read(() => ({ Host: '' })),
  'a host without the port': read(() => ({ Host: '127.0.0.1' })),
  'the host at another port': read(({ port }) => ({ Host: `127.0.0.1:${port + 1}` })),
  'a host that ends like ours': read(({ port }) => ({ Host: `x.127.0.0.1:${port}` })),
  'a host that begins like ours': read(({ port }) => ({ Host: `127.0.0.1:${port}.evil.example` })),
  'a host with a user': read(({ port }) => ({ Host: `evil@127.0.0.1:${port}` })),
  'the host as another number': read(({ port }) => ({ Host: `2130706433:${port}` })),
  'any address': read(({ port }) => ({ Host: `0.0.0.0:${port}` })),
  'the address of IPv6': read(({ port }) => ({ Host: `[::1]:${port}` })),
  'two hosts': read(
    () => ({}),
    () => ['Host: evil.example'],
  ),
  'two hosts, ours last': read(
    () => ({ Host: 'evil.example' }),
    ({ port }) => [`Host: 127.0.0.1:${port}`],
  ),
  // Origin, and what browsers say of where a request comes from
  'another origin': read(() => ({ Origin: 'http://evil.example' })),
  'the origin of nothing': read(() => ({ Origin: 'null' })),
  'our origin with another scheme': read(({ port }) => ({ Origin: `https://127.0.0.1:${port}` })),
  'our origin at another port': read(({ port }) => ({ Origin: `http://127.0.0.1:${port + 1}` })),
  'our other name as the origin': read(({ port }) => ({ Origin: `http://localhost:${port}` })),
  'an origin that begins like ours': read(({ port }) => ({ Origin: `http://127.0.0.1:${port}.evil.example` })),
  'two origins': read(
    ({ port }) => ({ Origin: `http://127.0.0.1:${port}` }),
    () => ['Origin: http://evil.example'],
  ),
  'from another site': read(() => ({ 'Sec-Fetch-Site': 'cross-site' })),
  'from another port of this host': read(() => ({ 'Sec-Fetch-Site': 'same-site' })),
  'from nowhere, and no page': read(() => ({ 'Sec-Fetch-Site': 'none' })),
  // Path
  'a way around': readAt(() => 'GET /x/../api/page HTTP/1.1'),
  'a way around, encoded': readAt(() => 'GET /x/%2e%2e/api/page HTTP/1.1'),
  'a double slash': readAt(() => 'GET //api/page HTTP/1.1'),
  'an encoded letter': readAt(() => 'GET /%61pi/page HTTP/1.1'),
  'an encoded slash': readAt(() => 'GET /api%2Fpage HTTP/1.1'),
  'a backslash': readAt(() => 'GET /api\\page HTTP/1.1'),
  'other letters': readAt(() => 'GET /API/page HTTP/1.1'),
  'an address with a host': readAt(({ port }) => `GET http://127.0.0.1:${port}/api/page HTTP/1.1`),
  'an address with another host': readAt(() => 'GET http://evil.example/api/page HTTP/1.1'),
  'a query': readAt(() => 'GET /api/page?x=1 HTTP/1.1'),
  'a fragment': readAt(() => 'GET /api/page#x HTTP/1.1'),
  'a file of the machine': readAt(() => 'GET /api/tasks/..%2F..%2Fetc%2Fpasswd HTTP/1.1'),
  'a text outside of its task': readAt(() => 'GET /api/tasks/x/texts/..%2F..%2F..%2Fetc%2Fpasswd HTTP/1.1'),
  'a NUL in the address': readAt(() => 'GET /api/tasks/x%00 HTTP/1.1'),
  'a very long address': readAt(() => `GET /api/tasks/${'a'.repeat(9000)} HTTP/1.1`),
  // Token and cookie
  'no cookie': read(() => ({ Cookie: null })),
  'another cookie': read(({ cookie }) => ({ Cookie: other(cookie) })),
  'an empty cookie': read(({ port }) => ({ Cookie: `tollgate-${port}=` })),
  'the cookie by another name': read(({ cookie }) => ({ Cookie: cookie.replace('tollgate', 'Tollgate') })),
  'the cookie twice': read(({ cookie }) => ({ Cookie: `${cookie}; ${cookie}` })),
  'two headers of cookies': read(
    () => ({}),
    ({ cookie }) => [`Cookie: ${other(cookie)}`],
  ),
  'the token of the page as the cookie': read(({ port, pageToken }) => ({ Cookie: `tollgate-${port}=${pageToken}` })),
  'another token': readAt(({ url }) => `GET /?token=${other(new URL(url).searchParams.get('token')!)} HTTP/1.1`),
  'an empty token': readAt(() => 'GET /?token= HTTP/1.1'),
  'the cookie as the token': readAt(({ cookie }) => `GET /?token=${cookie.split('=')[1]} HTTP/1.1`),
  'two tokens': readAt(({ url }) => `GET /${new URL(url).search}&token=x HTTP/1.1`),
  'the token by POST': change(
    () => ({}),
    ({ url }) => ({ line: `POST /${new URL(url).search} HTTP/1.1` }),
  ),
  'the token of a page beside it, from another site': (page) => ({
    ...reading(page),
    line: `GET /${new URL(page.url).search} HTTP/1.1`,
    headers: { ...reading(page).headers, Origin: 'http://evil.example' },
  }),
  // Changes
  'a change without the cookie': change(() => ({ Cookie: null })),
  'a change without an origin': change(() => ({ Origin: null })),
  'a change from another origin': change(() => ({ Origin: 'http://evil.example' })),
  'a change without the token of the page': change(() => ({ 'X-Tollgate-Page': null })),
  'a change with the cookie as the token of the page': change(({ cookie }) => ({
    'X-Tollgate-Page': cookie.split('=')[1]!,
  })),
  'a change as a form': change(() => ({ 'Content-Type': 'application/x-www-form-urlencoded' })),
  'a change as plain text': change(() => ({ 'Content-Type': 'text/plain' })),
  'a change as JSON of another kind': change(() => ({ 'Content-Type': 'application/json; charset=utf-7' })),
  'a change without a type': change(() => ({ 'Content-Type': null })),
  'a change from another site': change(() => ({ 'Sec-Fetch-Site': 'cross-site' })),
  'a change by GET': change(
    () => ({}),
    () => ({ line: 'GET /api/limits HTTP/1.1' }),
  ),
  'a change where there is none': change(
    () => ({}),
    () => ({ line: 'POST /api/page HTTP/1.1' }),
  ),
  'a change of what every object has': change(
    () => ({}),
    () => ({ line: 'POST /api/constructor HTTP/1.1' }),
  ),
  'no JSON': change(
    () => lengthOf('{'),
    () => ({ body: '{' }),
  ),
  'a field too many': change(
    () => lengthOf(`{"x":1,${WISH.slice(1)}`),
    () => ({ body: `{"x":1,${WISH.slice(1)}` }),
  ),
  'a field of all objects': change(
    () => lengthOf(`{"__proto__":{},${WISH.slice(1)}`),
    () => ({ body: `{"__proto__":{},${WISH.slice(1)}` }),
  ),
  'an array': change(
    () => lengthOf(`[${WISH}]`),
    () => ({ body: `[${WISH}]` }),
  ),
  'a flag in the place of a tool': change(
    () => lengthOf(WISH.replace('any', '--help')),
    () => ({ body: WISH.replace('any', '--help') }),
  ),
  // Methods
  ...Object.fromEntries(
    ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'].map((method) => [
      method,
      readAt(() => `${method} /api/page HTTP/1.1`),
    ]),
  ),
  'a tunnel': readAt(({ port }) => `CONNECT 127.0.0.1:${port} HTTP/1.1`),
  'a method that is none': readAt(() => 'GIVE /api/page HTTP/1.1'),
  'a method in another header': read(() => ({ 'X-HTTP-Method-Override': 'POST' })),
  // Size
  'a body that is too long': change(
    () => lengthOf('x'.repeat(300_000)),
    () => ({ body: 'x'.repeat(300_000) }),
  ),
  'a length that is too long, and no body': change(
    () => ({ 'Content-Length': '99999999999' }),
    () => ({ body: '' }),
  ),
  'headers that are too long': read(() => ({ 'X-Long': 'x'.repeat(20_000) })),
  'thousands of headers': read(
    () => ({}),
    () => Array.from({ length: 4000 }, (_, n) => `X-${n}: 1`),
  ),
  // What two readers read in two ways
  'two lengths': change(
    () => ({}),
    () => ({ more: ['Content-Length: 5'] }),
  ),
  'a length and chunks': change(
    () => ({ 'Transfer-Encoding': 'chunked' }),
    () => ({ body: chunked(WISH) }),
  ),
  'chunks alone': change(
    () => ({ 'Transfer-Encoding': 'chunked', 'Content-Length': null }),
    () => ({ body: chunked(WISH) }),
  ),
  'chunks by a strange name': change(() => ({ 'Transfer-Encoding': 'xchunked', 'Content-Length': null })),
  'a length that is not a number': change(() => ({ 'Content-Length': '+42' })),
  'a negative length': change(() => ({ 'Content-Length': '-1' })),
  'no length': change(() => ({ 'Content-Length': null })),
  'a space before the colon': read(
    () => ({}),
    () => ['Cookie : x'],
  ),
  'a header over two lines': read(
    () => ({}),
    () => ['X-A: 1', ' Cookie: x'],
  ),
  'a lone line feed': (page) => ({ ...reading(page), line: 'GET /api/page HTTP/1.1\nHost: evil.example' }),
  'a GET with a body': read(() => ({ 'Content-Length': '3' })),
  'a request within a body': change(
    () => ({ 'Content-Type': 'text/plain' }),
    (page) => ({ body: bytesOf(reading({ ...page, cookie: 'x=1' })) }),
  ),
  'an old protocol': readAt(() => 'GET /api/page HTTP/1.0'),
  'no protocol': readAt(() => 'GET /api/page'),
  'another protocol': readAt(() => 'GET /api/page HTTP/3.0'),
  'an upgrade to a web socket': read(() => ({
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'x3JJHMbDL1EzLkh9GBhXDw==',
    'Sec-WebSocket-Version': '13',
  })),
  'an upgrade to HTTP/2': read(() => ({ Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': '' })),
  'the beginning of HTTP/2': () => ({ line: 'PRI * HTTP/2.0', headers: {}, body: 'SM\r\n\r\n' }),
  'the beginning of TLS': () => ({ line: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', headers: {} }),
  'an expectation': change(() => ({ Expect: '200-ok' })),
};

test('what they are made of gets through', async ({ page }) => {
  assert.match(await page.raw(bytesOf(reading(page))), /^HTTP\/1\.1 200 /);
});

for (const [name, made] of Object.entries(HOSTILE))
  test(`${name} does not get through`, async ({ rig, page }) => {
    const said = await page.raw(bytesOf(made(page)));
    assert.not.match(said, /^HTTP\/1\.1 [1-3]\d\d /m, said.slice(0, 400));
    assert.not.match(said, /set-cookie|access-control-allow/i);
    assert.not.ok(said.includes(page.pageToken) || said.includes(page.cookie.split('=')[1]!));
    assert.not.ok(existsSync(path.join(rig.home, '.local/state/tollgate/limits/limits.json')), 'a limit was set');
  });

test('behind a refused request nothing more of its connection is read', async ({ page }) => {
  const first = bytesOf({
    ...reading(page),
    headers: { ...reading(page).headers, Host: 'evil.example', Connection: 'keep-alive' },
  });
  const said = await page.raw(first + bytesOf(reading(page)));
  assert.is(said.match(/^HTTP\/1\.1 /gm)?.length, 1);
  assert.not.ok(said.includes(page.pageToken));
});

test('a browser that opened a refused address gets a page that says what to do, and other clients get JSON', async ({
  page,
}) => {
  const opened = (more: Sent['headers']) =>
    page.raw(
      bytesOf({ ...reading(page), line: 'GET /api/%3Cb%3E HTTP/1.1', headers: { ...reading(page).headers, ...more } }),
    );
  const navigated = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate', Accept: 'text/html,*/*;q=0.8' };
  const shut = await opened({ ...navigated, Cookie: null });
  assert.match(
    shut,
    /^HTTP\/1\.1 401 .*\r\ncontent-security-policy: default-src 'none'.*\r\ncontent-type: text\/html/s,
  );
  assert.match(shut, '<p>What to do: open the address that tollgate console has printed.</p>');
  const unknown = await opened(navigated);
  assert.match(unknown, /^HTTP\/1\.1 404 .*<p>What happened: this address does not exist\.<\/p>/s);
  assert.not.match(unknown, '<b>');
  assert.match(await opened({ Accept: '*/*' }), /^HTTP\/1\.1 404 .*\{"way_out":null,"message":/s);
});

test('there are more than sixty of them', () => assert.ok(Object.keys(HOSTILE).length > 60));

test('the change that they are made of is made, last of all', async ({ rig, page }) => {
  assert.match(await page.raw(bytesOf(changing(page))), /^HTTP\/1\.1 200 /);
  assert.ok(existsSync(path.join(rig.home, '.local/state/tollgate/limits/limits.json')));
});

test.run();
