// tollgate console as it is typed: the address, a port that is taken, a second console, and what ends it.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openConsoleOf } from '../../../rig/console-client.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate console');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

test('a port that is taken is named, with the way out', async ({ rig }) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { code, stdout, stderr } = await rig.start('tollgate', ['console', '--port', String(port)]).result;
  assert.equal([code, stdout], [1, '']);
  assert.match(stderr, `port ${port} of 127.0.0.1 is taken, maybe by another console; give another one (--port `);
  other.close();
});

test('from within a call it is refused: what it does there is for a person to do', async ({ rig }) => {
  const { code, stdout, stderr } = await rig.start('tollgate', ['console'], {
    env: { TOLLGATE_CALL_ID: 'of-an-agent' },
  }).result;
  assert.equal([code, stdout], [2, '']);
  assert.match(stderr, 'a call may not open the console, and this was started from within the call of-an-agent');
});

test('the address that a browser is started with lets one in, and then nobody', async ({ rig }) => {
  const opened = path.join(rig.root, 'opened');
  execFileSync('mkfifo', [opened]);
  const browser = process.platform === 'darwin' ? 'open' : 'xdg-open';
  writeFileSync(path.join(rig.bin, browser), `#!/bin/sh\nprintf %s "$1" >'${opened}'\n`, { mode: 0o755 });
  const [page, address] = await Promise.all([openConsoleOf(rig, ['--open']), readFile(opened, 'utf8')]);
  assert.is.not(address, page.url);
  const enter = (url: string) => {
    const { pathname, search } = new URL(url);
    return page.raw(`GET ${pathname}${search} HTTP/1.1\r\nHost: 127.0.0.1:${page.port}\r\nConnection: close\r\n\r\n`);
  };
  assert.match(await enter(address), /^HTTP\/1\.1 303 [\s\S]*set-cookie: /);
  assert.match(await enter(address), /^HTTP\/1\.1 401 /);
  assert.match(await enter(page.url), /^HTTP\/1\.1 303 /);
  page.command.signal('SIGINT');
  assert.is((await page.command.result).code, 130);
});

test('two consoles of one project, each with a token of its own; Ctrl-C ends one with 130', async ({ rig }) => {
  const [first, second] = await Promise.all([openConsoleOf(rig), openConsoleOf(rig)]);
  assert.is((await first.get('/api/tasks')).status, 200);
  const strange = `GET /api/tasks HTTP/1.1\r\nHost: 127.0.0.1:${second.port}\r\nCookie: ${first.cookie}\r\n\r\n`;
  assert.match(await second.raw(strange), /^HTTP\/1\.1 401 [\s\S]*this browser has no access/);
  const stream = await first.stream();
  first.command.signal('SIGINT');
  assert.is((await first.command.result).code, 130);
  await stream
    .next(() => false)
    .then(
      () => assert.unreachable('it continues'),
      ({ message }) => assert.is(message, 'the stream has ended'),
    );
  assert.is((await second.get('/api/tasks')).status, 200);
  second.command.signal('SIGTERM');
  assert.is((await second.command.result).code, 143);
  assert.equal(rig.survivors(), []);
});

test('the token is changed for a cookie that no script reads, and leaves the address', async ({ rig }) => {
  const page = await openConsoleOf(rig);
  const { pathname, search } = new URL(page.url);
  const entered = await page.raw(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost:${page.port}\r\nConnection: close\r\n\r\n`,
  );
  assert.match(entered, /^HTTP\/1\.1 303 /);
  assert.match(entered, /\r\nlocation: \/\r\n/);
  assert.match(entered, /\r\nset-cookie: tollgate-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict\r\n/);
  const html = await page.get('/');
  assert.match(
    String(html.headers['content-security-policy']),
    /^default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+' 'sha256-[^']+'; style-src 'sha256-[^']+'; .*; require-trusted-types-for 'script'; trusted-types late-script$/,
  );
  page.command.signal('SIGINT');
  await page.command.result;
});

test('at most sixteen pages look on, and one that goes makes room', async ({ rig }) => {
  const page = await openConsoleOf(rig);
  const streams = await Promise.all(Array.from({ length: 16 }, () => page.stream()));
  assert.is((await page.get('/api/events')).status, 503);
  for (const stream of streams) stream.close();
  while (
    (await page.stream().then(
      (one) => one.status,
      () => 0,
    )) !== 200
  );
  page.command.signal('SIGINT');
  await page.command.result;
});

test('what is no flag or word of it', async ({ rig }) => {
  for (const flags of [['--port', '0'], ['--port', '70000'], ['x'], ['--host', '0.0.0.0']])
    assert.is((await rig.start('tollgate', ['console', ...flags]).result).code, 2, flags.join(' '));
});

test.run();
