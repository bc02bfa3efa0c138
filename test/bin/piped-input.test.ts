// What a person names on the command line may be a pipe; what an agent could have put in a file's place may not.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite('piped input');
let rig: TestRig;
test.before.each(async () => {
  rig = await TestRig.open();
  rig.answer((call) => answerWith(call.report.tool, `Got ${call.report.stdin.text}`));
});
test.after.each(() => rig.dispose());

const DIST = path.resolve(import.meta.dirname, '../../dist');
const CODEX = `node ${DIST}/run_codex.cjs --out a.out --err a.err --result a.json --done-marker a.done`;

async function bash(script: string): Promise<{ code: number; said: string }> {
  const child = spawn('bash', ['-c', script], { cwd: rig.project, env: rig.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  return { code, said };
}

for (const [words, script] of [
  ['standard input from a pipe', `printf 'the pipe' | ${CODEX} --prompt-file /dev/stdin && cat a.out`],
  ['standard input from a file', `printf 'the pipe' >p; ${CODEX} --prompt-file /dev/stdin <p && cat a.out`],
  ['a process substitution', `${CODEX} --prompt-file <(printf 'the pipe') && cat a.out`],
  ['a FIFO', `mkfifo f; (printf 'the pipe' >f) & ${CODEX} --prompt-file f && cat a.out`],
] as const)
  test(`a prompt may come from ${words}`, async () => {
    assert.equal(await bash(script), { code: 0, said: 'Got the pipe' });
  });

test('a prompt may come through a socket, as other programs give standard input', async () => {
  const argv = ['--prompt-file', '/dev/stdin', '--out', 'a.out', '--err', 'a.err'];
  assert.is((await rig.start('run_codex', argv, { stdin: 'the socket' }).result).code, 0);
  assert.is(rig.calls[0]!.report.stdin.text, 'the socket');
});

test('an empty one is refused, and a FIFO that nobody writes to ends with the time of the call', async () => {
  const empty = await bash(`${CODEX} --prompt-file /dev/stdin </dev/null`);
  assert.equal(
    [empty.code, empty.said],
    [2, 'run_codex: tooling (empty_prompt): /dev/stdin is empty: there is nothing to ask\n'],
  );
  const silent = await bash(`mkfifo f; ${CODEX} --prompt-file f --timeout-ms 300`);
  assert.equal(silent, {
    code: 2,
    said: 'run_codex: tooling (no_prompt): --prompt-file f: no writer finished it within 300 ms\n',
  });
  assert.is(rig.calls.length, 0);
});

test('a signal ends the wait for a prompt, and the record says so', async () => {
  execFileSync('mkfifo', [path.join(rig.project, 'f')]);
  const argv = ['--prompt-file', 'f', '--out', 'a.out', '--err', 'a.err', '--result', 'a.json'];
  // A writer that opens the FIFO and says nothing: once it is open, the wrapper reads.
  const writer = spawn('sh', ['-c', 'exec 3>f; echo open; exec sleep 60'], { cwd: rig.project });
  const running = rig.start('run_codex', argv);
  await once(writer.stdout, 'data');
  running.signal('SIGTERM');
  const { code, stderr } = await running.result;
  writer.kill();
  assert.equal(
    [code, stderr],
    [143, 'run_codex: transient (cancelled): stopped by SIGTERM before anything was started\n'],
  );
  assert.ok(existsSync(path.join(rig.project, 'a.json')));
});

test('a device by its own name is no pipe', async () => {
  const { code, said } = await bash(`${CODEX} --prompt-file /dev/zero`);
  assert.equal(
    [code, said],
    [
      2,
      'run_codex: tooling (no_prompt): --prompt-file /dev/zero is not a regular file and no pipe that was handed over: save the prompt in a file\n',
    ],
  );
});

test('a corpus of labelled cases may be a pipe', async () => {
  const row = JSON.stringify({
    id: 'a',
    tool: 'codex',
    captured: { exit_code: 1, stderr: 'Error: unexpected status 401 Unauthorized' },
    label: { class: 'auth' },
  });
  rig.write('row.jsonl', `${row}\n`);
  const plain = await bash(`node ${DIST}/tollgate.cjs triage --test row.jsonl`);
  const piped = await bash(`node ${DIST}/tollgate.cjs triage --test <(cat row.jsonl)`);
  const stdin = await bash(`cat row.jsonl | node ${DIST}/tollgate.cjs triage --test /dev/stdin`);
  assert.is(piped.said.replaceAll(/\/dev\/fd\/\d+/g, 'row.jsonl'), plain.said);
  assert.is(stdin.said.replaceAll('/dev/stdin', 'row.jsonl'), plain.said);
  assert.equal([piped.code, stdin.code], [plain.code, plain.code]);
});

test.run();
