// Tests the fakes themselves: their reports, their actions, and that the rig finds the processes that they started.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { answerWith } from './streams.ts';
import { isAlive } from './survivors.ts';
import { TestRig } from './test-rig.ts';

const test = suite<{ rig: TestRig }>('fake CLI');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

for (const tool of TOOLS) {
  test(`${tool} says how it was called and carries out a call`, async ({ rig }) => {
    const prompt = rig.write('prompt.md', 'naïve prompt\n');
    const running = run(rig, tool, ['--flag', 'a b'], { stdin: prompt });
    const call = await rig.call();
    assert.is(call.report.tool, tool);
    assert.equal(call.report.argv, ['--flag', 'a b']);
    assert.is(call.report.cwd, rig.project);
    assert.is(call.report.pid, running.pid);
    assert.equal(call.report.stdin, {
      kind: 'file',
      bytes: 14,
      sha256: createHash('sha256').update('naïve prompt\n').digest('hex'),
      text: 'naïve prompt\n',
    });
    await call.tell({ do: 'write', to: 'stderr', base64: 'AP8=' }, ...answerWith(tool, 'hello'));
    assert.equal(await running.ended, { code: 0, signal: null });
    assert.match(readFileSync(running.out, 'utf8'), /"hello"/);
    assert.equal([...readFileSync(running.err)], [0, 255]);
  });

  test(`${tool} prints its version without a report`, async ({ rig }) => {
    rig.install(tool, { version: '7.8.9' });
    const running = run(rig, tool, ['--version']);
    assert.equal(await running.ended, { code: 0, signal: null });
    assert.match(readFileSync(running.out, 'utf8'), '7.8.9');
    assert.is(rig.calls.length, 0);
  });
}

test('fills a stream with exactly the bytes asked for', async ({ rig }) => {
  const running = run(rig, 'codex');
  await (await rig.call()).tell({ do: 'fill', to: 'stderr', bytes: 3_000_001 }, { do: 'exit', code: 3 });
  assert.equal(await running.ended, { code: 3, signal: null });
  assert.is(readFileSync(running.err).length, 3_000_001);
});

test('a trapped signal is told and ignored; another one kills', async ({ rig }) => {
  const running = run(rig, 'gemini');
  const call = await rig.call();
  await call.tell({ do: 'trap', signals: ['SIGTERM'] });
  process.kill(call.report.pid, 'SIGTERM');
  await call.caught('SIGTERM');
  await call.tell({ do: 'die', signal: 'SIGINT' });
  assert.equal(await running.ended, { code: null, signal: 'SIGINT' });
});

test('a trap may end the fake with a code of its own', async ({ rig }) => {
  const running = run(rig, 'copilot');
  const call = await rig.call();
  await call.tell({ do: 'trap', signals: ['SIGTERM'], run: [{ do: 'exit', code: 0 }] });
  process.kill(call.report.pid, 'SIGTERM');
  assert.equal(await running.ended, { code: 0, signal: null });
});

test('what a fake leaves behind is seen, in whatever group or session, and gone after dispose', async ({ rig }) => {
  const running = run(rig, 'codex');
  const call = await rig.call();
  const stubborn = await call.spawn(['sh', '-c', 'trap "" TERM HUP INT; sleep 60 & wait'], { detached: true });
  const plain = await call.spawn(['sleep', '60']);
  await call.tell({ do: 'exit', code: 0 });
  await running.ended;
  const pids = rig.survivors().map((survivor) => survivor.pid);
  assert.ok(pids.includes(stubborn) && pids.includes(plain), `${pids} holds ${stubborn} and ${plain}`);
  await rig.dispose();
  assert.not(isAlive(stubborn));
  assert.not(isAlive(plain));
  assert.equal(rig.survivors(), []);
});

test('without a socket it obeys a script and keeps a log', async ({ rig }) => {
  const log = path.join(rig.root, 'calls.jsonl');
  rig.install('gemini', {
    script: [
      { do: 'save', file: 'made/by.txt', text: 'fake' },
      { do: 'exit', code: 42 },
    ],
    log,
  });
  for (const n of ['1', '2']) assert.equal(await run(rig, 'gemini', [n]).ended, { code: 42, signal: null });
  assert.is(readFileSync(path.join(rig.project, 'made/by.txt'), 'utf8'), 'fake');
  const argvs = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).argv);
  assert.equal(argvs, [['1'], ['2']]);
});

test('replays a capture: both streams, byte for byte, and its exit code', async ({ rig }) => {
  const folder = path.join(rig.root, 'capture');
  mkdirSync(folder);
  for (const [name, text] of Object.entries({ stdout: 'a\r\nb', stderr: 'c', 'meta.json': '{"exit_code":7}' })) {
    writeFileSync(path.join(folder, name), text);
  }
  const running = run(rig, 'copilot');
  await (await rig.call()).tell({ do: 'replay', folder });
  assert.equal(await running.ended, { code: 7, signal: null });
  assert.is(readFileSync(running.out, 'utf8') + readFileSync(running.err, 'utf8'), 'a\r\nbc');
});

test('a fake whose test is gone ends by itself', async ({ rig }) => {
  const running = run(rig, 'codex');
  const call = await rig.call();
  call.hangUp();
  assert.equal(await running.ended, { code: 96, signal: null });
});

test('the environment may steer it, over what lies beside it', async ({ rig }) => {
  const running = run(rig, 'codex', [], { env: { FAKE_CLI_SCRIPT: JSON.stringify([{ do: 'exit', code: 9 }]) } });
  assert.equal(await running.ended, { code: 9, signal: null });
});

test.run();

/** Starts a fake as a wrapper would: files for stdout and stderr. */
function run(rig: TestRig, tool: string, argv: string[] = [], { stdin = '/dev/null', env = {} } = {}) {
  const [out, err] = ['out', 'err'].map((name) => path.join(rig.root, name)) as [string, string];
  const stdio = [openSync(stdin, 'r'), openSync(out, 'w'), openSync(err, 'w')];
  const child = spawn(path.join(rig.bin, tool), argv, { cwd: rig.project, env: { ...rig.env, ...env }, stdio });
  for (const fd of stdio) closeSync(fd);
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return { pid: child.pid, ended, out, err };
}
