// Which success counts: one that the CLI reported before our first signal and within the limit of output.

import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { signallingUnread } from '../../wrappers/following/cut.ts';
import { read } from '../../wrappers/reading.ts';
import { SESSION, STREAMS } from '../rig/streams.ts';

interface Context {
  files: { stdout: string; stderr: string; usage: string };
}

const test = suite<Context>('reading');
test.before.each((context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reading-'));
  const file = (name: string) => path.join(folder, name);
  context.files = { stdout: file('stdout'), stderr: file('stderr'), usage: file('usage') };
  for (const name of [context.files.stdout, context.files.stderr]) writeFileSync(name, '');
});
test.after.each(({ files }) => rmSync(path.dirname(files.stdout), { recursive: true }));

const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** What a reader that comes later, such as the next run, finds in the same files. */
async function readAgain({ files }: Context, adapter: Adapter = ADAPTERS.codex, maxOutputBytes?: number) {
  const reading = read(files, adapter, maxOutputBytes);
  await reading.finish();
  reading.release();
  return reading;
}

for (const tool of TOOLS)
  for (const id of ['--json', 'a b', 'a\u001b[2J', 'x'.repeat(301)])
    test(`${tool}: ${JSON.stringify(id.slice(0, 9))} is no id of a session, but unknown, with a warning`, async (context) => {
      const { opens, says, succeeds } = STREAMS[tool];
      writeFileSync(context.files.stdout, text([...opens(id), ...says('answer'), ...succeeds(id)]));
      const named: string[] = [];
      const reading = read(context.files, ADAPTERS[tool]);
      reading.watch(
        (event) => void (event.how === 'session_named' && named.push(event.id)),
        () => {},
      );
      await reading.finish();
      reading.release();
      const { completed, sessionId, warnings } = reading.capture();
      assert.equal([completed, sessionId, named], [true, null, []]);
      const shown = JSON.stringify(id.slice(0, 40));
      assert.equal(warnings, [`its session id ${shown} has a wrong form: it is taken for unknown`]);
    });

for (const tool of TOOLS)
  test(`${tool}: of a failed call without events and without stderr, stdout tells the failure`, async (context) => {
    const { files } = context;
    const linesAfter = async (stdout: string, stderr: string, exit: number) => {
      writeFileSync(files.stdout, stdout);
      writeFileSync(files.stderr, stderr);
      const reading = read(files, ADAPTERS[tool]);
      await reading.finish(exit);
      reading.release();
      return reading.errorLines();
    };
    const said = "You've hit your usage limit: rate limit exceeded";
    const { opens, says } = STREAMS[tool];
    assert.equal(await linesAfter(`Hello there\n${said}\n`, '', 1), [said]);
    assert.equal(await linesAfter(`${said}\n`, '', 0), []);
    assert.equal(await linesAfter(`${said}\n`, 'Error: boom\n', 1), ['Error: boom']);
    assert.equal(await linesAfter(`${said}\n${text([...opens(SESSION), ...says('an answer')])}`, '', 1), []);
  });

for (const tool of TOOLS) {
  const adapter = ADAPTERS[tool];
  const { opens, says, succeeds } = STREAMS[tool];
  const begun = text([...opens(SESSION), ...says('half of an')]);
  const rest = text([...says('answer'), ...succeeds(SESSION)]);

  test(`${tool}: a success after our signal does not count, for this reader and for the next one`, async (context) => {
    writeFileSync(context.files.stdout, begun);
    const reading = read(context.files, adapter);
    reading.signalling();
    appendFileSync(context.files.stdout, rest);
    await reading.finish('ended');
    reading.release();
    const { completed, answer } = reading.capture();
    assert.equal([completed, answer], [false, 'half of an']);
    assert.is((await readAgain(context, adapter)).capture().completed, false);
  });

  test(`${tool}: a success that was written before our signal counts, though nothing had read it`, async (context) => {
    writeFileSync(context.files.stdout, begun + rest);
    const reading = read(context.files, adapter);
    reading.signalling();
    appendFileSync(context.files.stdout, text(says('and more')));
    await reading.finish('ended');
    reading.release();
    assert.is(reading.capture().completed, true);
    assert.not.match(reading.capture().answer, /more/);
    assert.is((await readAgain(context, adapter)).capture().completed, true);
  });

  test(`${tool}: an answer over the limit of output is no success, for this reader and for the next one`, async (context) => {
    writeFileSync(context.files.stdout, text([...opens(SESSION), ...says('x'.repeat(5000)), ...succeeds(SESSION)]));
    const reading = await readAgain(context, adapter, 4000);
    assert.equal([reading.capture().completed, reading.isOversized()], [false, true]);
    assert.is((await readAgain(context, adapter)).capture().completed, false);
  });

  test(`${tool}: a success within the limit counts, whatever follows it`, async (context) => {
    const whole = begun + rest;
    writeFileSync(context.files.stdout, whole + text(says('x'.repeat(5000))));
    const reading = await readAgain(context, adapter, Buffer.byteLength(whole));
    assert.equal([reading.capture().completed, reading.isOversized()], [true, false]);
  });
}

const { opens, says, succeeds } = STREAMS.codex;

test('a success without a line end before our signal counts', async ({ files }) => {
  writeFileSync(files.stdout, text([...opens(SESSION), ...says('answer')]) + succeeds().join('\n'));
  const reading = read(files, ADAPTERS.codex);
  reading.signalling();
  await reading.finish('ended');
  reading.release();
  assert.is(reading.capture().completed, true);
});

test('a success whose line our signal divides does not count', async (context) => {
  const [line = ''] = succeeds();
  writeFileSync(context.files.stdout, text([...opens(SESSION), ...says('answer')]) + line.slice(0, 20));
  signallingUnread(context.files);
  appendFileSync(context.files.stdout, `${line.slice(20)}\n`);
  assert.is((await readAgain(context)).capture().completed, false);
});

test('copilot: that the turn was aborted does not count after our signal, which it follows', async (context) => {
  const line = (type: string, more: object) => `${JSON.stringify({ type, ...more })}\n`;
  const message = 'The provider rejected the prompt as too long';
  writeFileSync(context.files.stdout, line('session.error', { data: { errorType: 'query', message } }));
  const reading = read(context.files, ADAPTERS.copilot);
  reading.signalling();
  const ends =
    line('abort', { data: { reason: 'user_initiated' } }) + line('result', { sessionId: SESSION, exitCode: 1 });
  appendFileSync(context.files.stdout, ends);
  await reading.finish('ended');
  reading.release();
  assert.match(reading.capture().failure!.message, message);
  assert.match((await readAgain(context, ADAPTERS.copilot)).capture().failure!.message, message);
});

test('codex: words of a prompt on stderr are none after the model has spoken', async ({ files }) => {
  const { opens, says, succeeds } = STREAMS.codex;
  // The answer is written after stdout was read, and before stderr is.
  const readStderr = (line: string) => {
    if (line === 'first') appendFileSync(files.stdout, text([...opens(SESSION), ...says('an answer')]));
    return [];
  };
  const reading = read(files, { ...ADAPTERS.codex, readStderr });
  writeFileSync(files.stderr, 'first\nPassphrase:\n');
  reading.look();
  assert.is(reading.unmet(), null);
  appendFileSync(files.stdout, text(succeeds()));
  await reading.finish(0);
  reading.release();
  const { completed, answer } = reading.capture();
  assert.equal([completed, answer], [true, 'an answer']);
});

test('codex: a prompt on stderr before the model has spoken asks a person to sign in', async ({ files }) => {
  const reading = read(files, ADAPTERS.codex);
  writeFileSync(files.stderr, 'Passphrase:\n');
  reading.look();
  assert.ok(reading.unmet());
  reading.release();
});

test('of two signals the first one counts', async (context) => {
  const { stdout } = context.files;
  writeFileSync(stdout, text([...opens(SESSION), ...says('half')]));
  signallingUnread(context.files);
  appendFileSync(stdout, text(succeeds()));
  const reading = read(context.files, ADAPTERS.codex);
  reading.signalling();
  await reading.finish('ended');
  reading.release();
  assert.is(reading.capture().completed, false);
});

test('a success after our signal does not count where the stream is a flood', async (context) => {
  const { stdout } = context.files;
  const line = text(says('The same words again and again. '.repeat(100)));
  writeFileSync(stdout, text(opens(SESSION)) + line.repeat(1000));
  const reading = read(context.files, ADAPTERS.codex);
  reading.signalling();
  const { size } = statSync(stdout);
  appendFileSync(stdout, text(succeeds()));
  await reading.finish('ended');
  reading.release();
  assert.is(reading.capture().completed, false);
  // The bytes before the signal were all read.
  assert.ok(size > 2 * 1024 * 1024 && reading.capture().answer.length > 2 * 1024 * 1024);
});

test.run();
