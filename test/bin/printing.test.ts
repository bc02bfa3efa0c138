// A command whose reader has gone continues to its own end, and exits with its own code.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { WriteStream } from 'node:tty';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fitting } from '../../bin/printing.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('printing');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const DIST = path.resolve(import.meta.dirname, '../../dist');

/** Starts a command whose stdout and stderr nobody reads any more; gives its exit code. */
async function endUnread(rig: TestRig, command: string, ...argv: string[]): Promise<number | null> {
  const file = path.join(DIST, `${command}.cjs`);
  const child = spawn(process.execPath, [file, ...argv], { cwd: rig.project, env: rig.env, timeout: 200_000 });
  child.stdout.destroy();
  child.stderr.destroy();
  const [code] = await once(child, 'exit');
  return code as number | null;
}

test('a run goes through its stages and leaves its report', async ({ rig }) => {
  rig.answer(() => answerWith(rig.calls.length === 1 ? 'gemini' : 'codex', 'ok'));
  const stages = [
    { tool: 'gemini', role: 'brief', ...ANY_ANSWER },
    { tool: 'codex', role: 'review', ...ANY_ANSWER },
  ];
  const task = makeTask(rig, { stages });
  assert.is(await endUnread(rig, 'tollgate', 'run', 'fix'), 0);
  assert.match(task.read('outputs/_summary.md'), '# Task fix: done');
});

const ENDS: [argv: string[], code: number][] = [
  [['tollgate', '--help'], 0],
  [['tollgate', 'no-such'], 2],
  [['wait_parallel_tasks', '--task-1-done=a.done'], 0],
  [['wait_parallel_tasks', '--task-1-done=a.done', '--json'], 1],
  [['preflight', '--tools=none'], 2],
  [['run_codex', '--prompt-file=none', '--out=o', '--err=e', '--json'], 2],
];
for (const [argv, code] of ENDS)
  test(`${argv.join(' ')} exits ${code} unread`, async ({ rig }) => {
    rig.write('a.done', '0');
    assert.is(await endUnread(rig, ...(argv as [string, ...string[]])), code);
  });

/** Tells on a descriptor of its own that the command is about to end. */
const ABOUT_TO_END = `const { getActiveResourcesInfo } = process;
process.getActiveResourcesInfo = () => {
  require('node:fs').writeSync(3, 'now');
  return Reflect.apply(getActiveResourcesInfo, process, []);
};`;

test('a message that is longer than a pipe waits for a reader who begins late', async ({ rig }) => {
  const pipe = path.join(rig.root, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const word = 'x'.repeat(120_000);
  const hook = rig.write('hook.cjs', ABOUT_TO_END);
  const child = spawn(process.execPath, ['--require', hook, path.join(DIST, 'tollgate.cjs'), word], {
    cwd: rig.project,
    env: rig.env,
    stdio: ['ignore', 'ignore', writer, 'pipe'],
  });
  closeSync(writer);
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdio[3]!, 'data'), ended]);
  const said = await text(new Socket({ fd: reader }));
  assert.equal(await ended, [2, null]);
  assert.ok(said.length > word.length);
  assert.ok(said.endsWith('lists the commands\n'));
});

test('a failed call keeps its exit code', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'Quota exceeded. Check your plan and billing details.', 429));
  rig.write('ask.md', 'x');
  assert.is(await endUnread(rig, 'run_codex', '--prompt-file=ask.md', '--out=o', '--err=e', '--exit-by-class'), 75);
});

test('on a terminal the next step begins a line; a pipe gets the text as it is', () => {
  const failure = 'it failed: transient (overloaded). Next: call codex again: `tollgate run fix`.\n';
  const on = (isTTY: boolean) => fitting(failure, { isTTY, columns: 80 } as WriteStream);
  assert.equal([on(true), on(false)], [failure.replace(' Next', '\nNext'), failure]);
});

test.run();
