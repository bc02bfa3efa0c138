// Who sends slowly, too fast or without end: ended or refused in words, while others are answered.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServedProject } from '../../../../console/server/project.ts';
import { pageFile } from '../../../../console/server/replies.ts';
import { openConsole } from '../../../../console/server/server.ts';
import { TestRig } from '../../../rig/test-rig.ts';

interface Opened {
  port: number;
  cookie: string;
  pageToken: string;
  close(): Promise<void>;
}

const test = suite<{ rig: TestRig; open: Opened }>('pace of senders');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
  const { project: cwd, home: HOME } = context.rig;
  const environment = { ...process.env, HOME, XDG_STATE_HOME: '' };
  const project = { cwd, environment, clock: () => new Date(), version: '0', trustWorkspace: false };
  const patience = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };
  const opened = await openConsole(
    project as unknown as ServedProject,
    pageFile(Buffer.from('<p>page</p>'), { 'editor.js': Buffer.from(''), 'colours.js': Buffer.from('') }),
    0,
    patience,
  );
  assert.is(opened.how, 'open');
  const { url, port, close } = (opened as Extract<typeof opened, { how: 'open' }>).console;
  const entered = await fetch(url, { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
  const { token } = (await (await ask({ port, cookie }, '/api/page')).json()) as { token: string };
  context.open = { port, cookie, pageToken: token, close };
});
test.after.each(async ({ rig, open }) => {
  await open.close();
  await rig.dispose();
});

const ask = ({ port, cookie }: Pick<Opened, 'port' | 'cookie'>, address: string) =>
  fetch(`http://127.0.0.1:${port}${address}`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });

/** Sends a sign of it now and then, until the server has enough. */
async function dribble(socket: Socket, text: string): Promise<string> {
  let said = '';
  socket.setEncoding('utf8').on('data', (piece) => {
    said += piece;
  });
  socket.on('error', () => {});
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), 20);
  await once(socket, 'close');
  clearInterval(timer);
  return said;
}

const headOf = ({ port, cookie, pageToken }: Opened, more: string): string =>
  [
    'POST /api/limits HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Origin: http://127.0.0.1:${port}`,
    `Cookie: ${cookie}`,
    'Sec-Fetch-Site: same-origin',
    'Content-Type: application/json',
    `X-Tollgate-Page: ${pageToken}`,
    more,
    '',
    '',
  ].join('\r\n');

test('who sends the head of a request sign by sign is ended, and others are answered meanwhile', async ({ open }) => {
  const slow = Array.from({ length: 20 }, () =>
    dribble(connect(open.port, '127.0.0.1'), 'GET /api/page HTTP/1.1\r\nX: '),
  );
  assert.is((await ask(open, '/api/page')).status, 200);
  for (const said of await Promise.all(slow)) assert.match(said, /^(HTTP\/1\.1 408 |$)/);
});

test('who sends a body sign by sign is ended, and nothing is changed by it', async ({ open }) => {
  const socket = connect(open.port, '127.0.0.1');
  socket.write(headOf(open, 'Content-Length: 60'));
  const slow = dribble(socket, ' ');
  assert.is((await ask(open, '/api/page')).status, 200);
  assert.not.match(await slow, /HTTP\/1\.1 2/);
});

test('a body that is too large, as it says or as it comes, is not read to its end', async ({ open }) => {
  for (const [more, body] of [
    ['Content-Length: 5000000', 'x'],
    ['Transfer-Encoding: chunked', `${(5_000_000).toString(16)}\r\n${'x'.repeat(100_000)}`],
  ] as const) {
    const socket = connect(open.port, '127.0.0.1');
    socket.write(headOf(open, more) + body);
    assert.match(await dribble(socket, 'x'), /^HTTP\/1\.1 4(?:00|08|11|13) /, more);
  }
  assert.is((await ask(open, '/api/page')).status, 200);
});

test('too many requests at once are refused in words, and later ones answered again', async ({ open }) => {
  let answered = await ask(open, '/api/page');
  for (let n = 0; n < 2000 && answered.status === 200; n += 1) answered = await ask(open, '/api/page');
  const { message, way_out } = (await answered.json()) as Record<string, string>;
  assert.equal([answered.status, message, way_out], [429, 'too many requests at once', 'wait a moment']);
  let status = 429;
  while (status === 429) ({ status } = await ask(open, '/api/page'));
  assert.is(status, 200);
});

test.run();
