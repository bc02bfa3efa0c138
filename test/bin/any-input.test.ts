// Any bytes get a signature and a verdict, in little memory; JSONL is answered as it comes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TOOLS } from '../../policies/facts/tools.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('any input');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const BOOM = 'Error: boom: 401 Unauthorized\r\n';
const BINARY = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * i * 7919) >> 3));

const INPUTS: [what: string, bytes: Buffer, class_: string][] = [
  ['nothing', Buffer.alloc(0), 'unknown'],
  ['any bytes', BINARY, 'unknown'],
  ['invalid UTF-8', Buffer.concat([Buffer.from([0xff, 0xc3, 0x28, 0x0a]), Buffer.from(BOOM)]), 'auth'],
  ['NUL bytes', Buffer.alloc(100_000), 'unknown'],
  ['NUL bytes around an error', Buffer.from(`\0\0\n${BOOM}\0`), 'auth'],
  ['UTF-16', utf16(BOOM), 'auth'],
  ['UTF-16, big end first', utf16(BOOM).swap16(), 'auth'],
  ['a progress bar', Buffer.from('45% |████     | 9/20\r'.repeat(5000)), 'unknown'],
  ['a progress bar before an error', Buffer.from(`${'45% |████     | 9/20\r'.repeat(5000)}${BOOM}`), 'auth'],
  ['ANSI sequences', Buffer.from('\x1b[31m\x1b[2K\x1b[1G'.repeat(5000)), 'unknown'],
];
for (const [what, bytes, class_] of INPUTS)
  test(`${what}: one signature, and one verdict for each tool`, async ({ rig }) => {
    rig.write('err', bytes);
    const signed = await rig.run('tollgate', ['signature', 'err']);
    assert.equal([signed.code, signed.stderr], [0, '']);
    assert.match(signed.stdout, /^v1:[0-9a-f]{64}\n$/);
    for (const tool of TOOLS) {
      const { code, stdout, stderr } = await rig.run('tollgate', ['triage', 'err', '--tool', tool, '--json']);
      assert.equal([code, stderr], [0, '']);
      assert.is(JSON.parse(stdout).verdict.class, class_);
    }
  });

// A heap that would not hold the line: kept whole it ends Node. (A bound on all memory would depend on the machine.)
const SMALL_HEAP = { env: { NODE_OPTIONS: '--max-old-space-size=24' } };

test('a line of 40 MB is read in a heap of 24 MB, as stderr and as stdout', async ({ rig }) => {
  rig.write('err', `${'abc def 12 '.repeat(4e6)}\n${BOOM}`);
  const signed = await rig.run('tollgate', ['signature', 'err'], SMALL_HEAP);
  assert.equal([signed.code, signed.stderr], [0, '']);
  rig.write('empty', '');
  const argv = ['triage', 'empty', '--stdout', 'err', '--tool', 'gemini', '--exit-code', '0'];
  const judged = await rig.run('tollgate', argv, { env: { NODE_OPTIONS: '--max-old-space-size=64' } });
  assert.equal([judged.code, judged.stdout, judged.stderr], [0, 'success\n', '']);
});

test('JSONL: a line that is too long is a mistake, and the others are answered in order', async ({ rig }) => {
  const line = (id: number, text: string) => JSON.stringify({ id, text });
  const lines = [line(1, BOOM), line(2, 'x'.repeat(9e6)), '', 'no JSON', '[]', '{"id":6}', line(7, BOOM)];
  const { code, stdout, stderr } = await rig.run('tollgate', ['signature', '--jsonl'], { stdin: lines.join('\n') });
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((answer) => JSON.parse(answer));
  assert.is(code, 2);
  assert.is(answers[0].signature, answers[5].signature);
  assert.equal(
    answers.map(({ id, line, error }) => error ?? id ?? line),
    [
      1,
      'this is longer than 8388608 characters',
      'this is not JSON',
      'this is not a JSON object',
      'text must be a text',
      7,
    ],
  );
  assert.match(stderr, 'tollgate signature: line 2: this is longer than 8388608 characters\n');
});

function startJsonl(rig: TestRig) {
  const argv = [path.resolve(import.meta.dirname, '../../dist/tollgate.cjs'), 'triage', '--jsonl'];
  return spawn(process.execPath, argv, { cwd: rig.project, env: rig.env, timeout: 200_000 });
}
const CASE = `${JSON.stringify({ id: 1, tool: 'codex', stderr: BOOM })}\n`;

test('JSONL: each line is answered before the next one comes', async ({ rig }) => {
  const child = startJsonl(rig);
  for (let i = 0; i < 3; i += 1) {
    child.stdin.write(CASE);
    const [answer] = await once(child.stdout, 'data');
    assert.is(JSON.parse(String(answer)).verdict.class, 'auth');
  }
  child.stdin.end();
  assert.equal(await once(child, 'exit'), [0, null]);
});

test('JSONL: who reads the answers may go, and the command ends quietly', async ({ rig }) => {
  const child = startJsonl(rig);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.write(CASE);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const ended = once(child, 'exit');
  const feed = setInterval(() => child.stdin.write(CASE.repeat(100)), 10);
  assert.equal(await ended, [0, null]);
  clearInterval(feed);
  assert.is(said, '');
});

test.run();
