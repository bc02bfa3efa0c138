// The command wait_parallel_tasks: what it prints where, and its exit codes.

import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite('wait_parallel_tasks');
let rig: TestRig;
test.before.each(async () => {
  rig = await TestRig.open({ tools: [] });
});
test.after.each(() => rig.dispose());

const run = (...argv: string[]) => rig.start('wait_parallel_tasks', argv).result;

/** What lies there before the wait begins is told as such. */
const EARLIER = ', since T, before this wait began';
const timeless = (text: string) => text.replaceAll(/since [\d-]+T[\d:.]+Z/g, 'since T');

/** Exit 2 and this sentence. */
const MISTAKES: readonly [argv: string, sentence: string][] = [
  ['', 'no task is named: give --task-1-done FILE, --task-1-pid PID, or a task folder'],
  ['--task-1-done', '--task-1-done needs a value'],
  ['--task-1-done --task-1-pid 5', '--task-1-done needs a value'],
  ['--task-1-done=', '--task-1-done needs a value'],
  ['--task-1-dnoe x', 'unknown flag --task-1-dnoe; did you mean --task-N-done?'],
  ['--timeout 5 --task-1-pid 5', 'unknown flag --timeout; did you mean --timeout-ms?'],
  ['--timeout-ms soon --task-1-pid 5', '--timeout-ms takes a whole number from 0 to 2147483647, not "soon"'],
  [
    '--timeout-ms 2147483648 --task-1-pid 5',
    '--timeout-ms takes a whole number from 0 to 2147483647, not "2147483648"',
  ],
  ['--constructor=x --task-1-pid 5', 'unknown flag --constructor'],
  ['--min-lines 0 --task-1-pid 5', '--min-lines takes a whole number from 1, not "0"'],
  ['--min-lines 1 --task-1-pid 5', '--min-lines needs a --task-N-out to count the lines of'],
  ['--task-7-out x', 'task 7 cannot be waited for: give --task-7-done or --task-7-pid'],
  ['--task-1-pid 0', '--task-1-pid takes a process number from 1, or a file, not "0"'],
  ['--task-1-pid 5 --label a --label b', '--label is given 2 times, and there are fewer tasks: 1'],
  ['here', '"here" would be the task ~/.tmp/task/here; for the folder here write ./here'],
  ['./here/file', "~/here/file is a file, not a task's folder"],
  [
    'none',
    'there is no task at ~/.tmp/task/none; name one that exists (tollgate report lists them), or make it (tollgate init)',
  ],
  [
    './no/where',
    'there is no task at ~/no/where; name one that exists (tollgate report lists them), or make it (tollgate init)',
  ],
];

for (const [argv, sentence] of MISTAKES)
  test(`"${argv}" is refused: ${sentence}`, async () => {
    rig.write('here/file', '');
    const { code, stdout, stderr } = await run(...argv.split(' ').filter((word) => word !== ''));
    const [first] = stderr.replaceAll(rig.project, '~').split('\n');
    assert.equal([code, stdout, first], [2, '', `wait_parallel_tasks: ${sentence}`]);
  });

test('all done: a line for each on stderr, nothing on stdout', async () => {
  rig.write('a.done', '{"exit_code":0}');
  rig.write('b.done', '0');
  rig.write('b.out', 'one\n');
  const argv = '--task-9-done a.done --task-2-done b.done --task-2-out b.out --min-lines 1 --label second';
  const { code, stdout, stderr } = await run(...argv.split(' '));
  // Both were there at the beginning: on a busy machine either may be read first.
  const [one, other, ...rest] = timeless(stderr).split('\n');
  assert.equal([code, stdout, rest], [0, '', ['2 tasks: 2 done', '']]);
  assert.equal([one, other].sort(), [`second: done${EARLIER}`, `task 9: done${EARLIER}`]);
});

test('a failure names who and why', async () => {
  rig.write('a.done', '{"exit_code":12,"class":"quota","reason":"per_day"}');
  rig.write('b.done', '0');
  const argv = '--task-1-done a.done --task-2-done b.done --task-3-done c.done --task-1-label brief --timeout-ms 1';
  const { code, stderr } = await run(...argv.split(' '));
  assert.is(code, 1);
  const [one, other, ...rest] = timeless(stderr).split('\n');
  // Both were there at the beginning: whichever was read first is told first.
  assert.equal(
    [[one, other].sort(), rest],
    [
      [`brief: failed with exit code 12: quota (per_day)${EARLIER}`, `task 2: done${EARLIER}`],
      [
        'task 3: timed out after 1 ms: there is no done marker c.done',
        '3 tasks: 1 done, 1 failed (brief), 1 timed out (task 3)',
        '',
      ],
    ],
  );
});

test('--fail-fast leaves the rest', async () => {
  rig.write('b.done', '1');
  const { code, stderr } = await run('--fail-fast', '--task-1-done', 'a.done', '--task-2-done', 'b.done');
  assert.is(code, 1);
  assert.is(
    timeless(stderr),
    `task 2: failed with exit code 1${EARLIER}\n2 tasks: 1 failed (task 2), 1 still waiting (task 1)\n`,
  );
});

test('--quiet says what went wrong, and how it ended', async () => {
  rig.write('a.done', '0');
  rig.write('b.done', '1');
  assert.is((await run('--quiet', '--task-1-done', 'a.done')).stderr, '1 task: 1 done\n');
  const { stderr } = await run('--quiet', '--task-1-done', 'a.done', '--task-2-done', 'b.done');
  assert.is(timeless(stderr), `task 2: failed with exit code 1${EARLIER}\n2 tasks: 1 done, 1 failed (task 2)\n`);
});

test('--json puts one object on stdout', async () => {
  rig.write('a.done', '{"exit_code":33,"class":"transient","reason":"timeout"}');
  const { code, stdout } = await run(
    '--json',
    '--task-1-done',
    'a.done',
    '--task-2-done',
    'b.done',
    '--timeout-ms',
    '0',
  );
  const report = JSON.parse(timeless(stdout), (key, value) => (key === 'waited_ms' ? typeof value : value));
  assert.is(code, 1);
  assert.equal(report, {
    schema: 1,
    ok: false,
    done: 0,
    failed: 1,
    timed_out: 1,
    left: 0,
    tasks: [
      {
        label: 'task 1',
        status: 'failed',
        exit_code: 33,
        class: 'transient',
        reason: 'timeout',
        message: `failed with exit code 33: transient (timeout)${EARLIER}`,
        lacks: [],
        earlier: true,
        waited_ms: 'number',
      },
      {
        label: 'task 2',
        status: 'timed_out',
        exit_code: null,
        class: null,
        reason: 'timed_out',
        message: 'timed out after 0 ms: there is no done marker b.done',
        lacks: [],
        earlier: false,
        waited_ms: 'number',
      },
    ],
  });
});

test('a task is named by id or by folder', async () => {
  const journal = (run_id: string) =>
    `{"v":1,"fact":"claimed","run_id":"${run_id}","over":null,"owner":{}}\n` +
    `{"v":1,"fact":"released","run_id":"${run_id}","exit_code":0,"state":"done","at":"2026-01-01T00:00:00.000Z"}\n`;
  rig.write('.tmp/task/api/state/journal.jsonl', journal('run1'));
  rig.write('docs/state/journal.jsonl', journal('run2'));
  const { code, stderr } = await run('api', './docs');
  const [since, lines] = ['since 2026-01-01T00:00:00.000Z, before this wait began', stderr.trimEnd().split('\n')];
  assert.is(code, 0);
  assert.equal(lines, [`api: done, ${since}: run run1`, `docs: done, ${since}: run run2`, '2 tasks: 2 done']);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  test(`${signal} ends the wait with ${code}, and says what is known`, async () => {
    rig.write('a.done', '0');
    const waiting = rig.start('wait_parallel_tasks', ['--json', '--task-1-done', 'a.done', '--task-2-done', 'b.done']);
    await waitWhile(() => !waiting.stderr.includes('task 1: done'));
    waiting.signal(signal);
    const result = await waiting.result;
    assert.is(result.code, code);
    assert.is(timeless(result.stderr), `task 1: done${EARLIER}\n2 tasks: 1 done, 1 still waiting (task 2)\n`);
    assert.equal([JSON.parse(result.stdout).done, JSON.parse(result.stdout).left], [1, 1]);
  });

test('waiting leaves nothing behind in the project', async () => {
  await run('--task-1-done', 'deep/er/done', '--timeout-ms', '0');
  assert.is(existsSync(`${rig.project}/deep`), false);
});

test.run();
