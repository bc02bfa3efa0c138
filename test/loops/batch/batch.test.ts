// Many tasks at once over fake CLIs: all or some done, mistakes, stops, quotas, turns.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BatchReport } from '../../../loops/batch/report.ts';
import { actionLine } from '../../../policies/facts/next-action.ts';
import { shellWord } from '../../../policies/text/display.ts';
import type { FakeCall } from '../../rig/fake-call.ts';
import { faultEnv } from '../../rig/fault-shim.ts';
import type { RunningCommand } from '../../rig/running-command.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { where } from '../../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('batch');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const LOOK = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] };
const ASK = { stages: [{ tool: 'gemini', role: 'review', ...ANY_ANSWER }] };
const EDIT = { stages: [{ tool: 'codex', role: 'impl', may_be_empty: true, ...ANY_ANSWER }] };

function start(rig: TestRig, words: readonly string[], ...flags: string[]): RunningCommand {
  return rig.start('tollgate', ['batch', ...words, '--json', ...flags]);
}

async function batch(rig: TestRig, words: readonly string[], ...flags: string[]) {
  const { code, stdout, stderr } = await rig.run('tollgate', ['batch', ...words, '--json', ...flags]);
  return { code, said: stderr, report: JSON.parse(stdout) as BatchReport };
}

const states = ({ tasks }: BatchReport) => tasks.map(({ task_id, state, calls }) => [task_id, state, calls]);

/** Which task a fake works for. */
const taskOf = (call: FakeCall): string => /# Goal\n\n(\S+)/.exec(call.report.stdin.text)![1]!;

test('all done: one report, and a second time nothing is paid', async ({ rig }) => {
  rig.answer(({ report }) => answerWith(report.tool, 'done'));
  for (const id of ['a', 'b', 'c']) makeTask(rig, id === 'b' ? ASK : LOOK, id);
  const { code, said, report } = await batch(rig, ['a', 'b', 'c'], '--concurrency', '2');
  assert.equal(
    [code, report.state, states(report)],
    [
      0,
      'done',
      [
        ['a', 'done', 1],
        ['b', 'done', 1],
        ['c', 'done', 1],
      ],
    ],
  );
  assert.equal(
    [report.totals.calls, report.by_failure, report.next_actions.map(actionLine), report.files.left],
    [3, [], [`read ${report.files.summary}`], null],
  );
  assert.equal(JSON.parse(readFileSync(report.files.report, 'utf8')), report);
  assert.match(readFileSync(report.files.summary, 'utf8'), `# Batch ${report.batch_id}: 3 of 3 tasks done\n`);
  assert.equal(said.trim().split('\n').sort(), [...['a', 'b', 'c'].map((id) => expectLine(said, id))]);
  rig.write('ids', 'a\n\nb\nc\n');
  const again = await batch(rig, [], '--from', 'ids');
  assert.equal([again.code, again.report.totals.calls, rig.calls.length], [0, 0, 3]);
});

function expectLine(said: string, id: string): string {
  const line = said.split('\n').find((one) => one.startsWith(`tollgate: ${id}: done`));
  assert.match(line ?? '', /^tollgate: \w: done \[[123] of 3\]$/);
  return line!;
}

test('some fail: exit 1, grouped by what they have in common, and the line that continues', async ({ rig }) => {
  rig.answer((call) =>
    taskOf(call) === 'good'
      ? answerWith('codex', 'done')
      : failWith('codex', 'The model `gpt-9` does not exist or you do not have access to it.', 404),
  );
  for (const goal of ['good', 'bad', 'worse']) makeTask(rig, { ...LOOK, goal }, goal);
  const { code, report } = await batch(rig, ['good', 'bad', 'worse'], '--concurrency=2');
  assert.equal(
    [code, report.state, states(report)],
    [
      1,
      'failed',
      [
        ['good', 'done', 1],
        ['bad', 'failed', 1],
        ['worse', 'failed', 1],
      ],
    ],
  );
  const [group] = report.by_failure;
  assert.equal(
    [report.by_failure.length, group!.class, group!.count, group!.task_ids.sort()],
    [1, 'tooling', 2, ['bad', 'worse']],
  );
  assert.equal(report.next_actions.map(actionLine), [
    `run the 2 unfinished tasks again; finished stages are not paid twice: \`tollgate batch --from ${shellWord(report.files.left!)} --concurrency 2\``,
  ]);
  rig.answer(() => answerWith('codex', 'done'));
  const rest = await batch(rig, [], `--from=${report.files.left}`);
  assert.equal([rest.code, rest.report.totals.tasks, rest.report.totals.calls], [0, 2, 2]);
});

test('one bad task refuses all before anything is paid, unless the others are asked for', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'done'));
  makeTask(rig, LOOK, 'good');
  makeTask(rig, { stages: [] }, 'empty');
  const words = ['good', 'empty', 'absent', './.tmp/task/good', '../x'];
  const { code, stdout, stderr } = await rig.run('tollgate', ['batch', ...words, '--json']);
  assert.equal([code, JSON.parse(stdout).state, rig.calls.length], [2, 'refused', 0]);
  assert.match(
    stderr,
    '4 of 5 tasks cannot be run, so none was started; correct them, or use --skip-bad to run the others',
  );
  for (const line of [
    / {2}empty: .*stages/,
    / {2}absent: .*there is no task at/,
    /\.\/\.tmp\/task\/good: this task is named twice/,
    /\.\.\/x: /,
  ])
    assert.match(stderr, line);
  assert.not(existsSync(path.join(rig.project, '.tmp/batch')));
  const skipped = await batch(rig, words, '--skip-bad');
  assert.equal(
    [skipped.code, skipped.report.totals.done, skipped.report.totals.refused, rig.calls.length],
    [1, 1, 4, 1],
  );
  assert.equal(skipped.report.next_actions.map(actionLine), [
    'fix empty, absent, ./.tmp/task/good, ../x (Failures says what), then run it',
  ]);
});

test('what only the prompt of a task would show is found before another is paid', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'done'));
  const unmet = { stages: [{ ...LOOK.stages[0], attach: ['nowhere/*.ts'] }] };
  const tasks = [makeTask(rig, LOOK, 'a'), makeTask(rig, unmet, 'b')];
  const { code, stderr } = await rig.run('tollgate', ['batch', 'a', 'b', '--json']);
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(
    stderr,
    /1 of 2 tasks cannot be run.*\n {2}b: stage codex_review: attach "nowhere\/\*\.ts" matches no file/,
  );
  assert.equal(
    tasks.map(({ folder }) => readdirSync(folder)),
    [['manifest.json'], ['manifest.json']],
  );
  const skipped = await batch(rig, ['a', 'b'], '--skip-bad');
  assert.equal(
    [skipped.code, states(skipped.report)],
    [
      1,
      [
        ['b', 'refused', 0],
        ['a', 'done', 1],
      ],
    ],
  );
});

withFaults('a task that breaks in the middle: its calls are counted, and the others continue', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'done'));
  for (const id of ['a', 'b']) makeTask(rig, LOOK, id);
  // As on a disk that is full: the page of the run cannot be written.
  const under = path.join(rig.project, '.tmp/task/a/outputs/_summary.md');
  Object.assign(rig.env, faultEnv({ in: 'tollgate.cjs', under, at: 1, times: 0, does: 'ENOSPC' }));
  const { code, report } = await batch(rig, ['a', 'b']);
  assert.equal(
    [code, states(report), report.totals.calls],
    [
      1,
      [
        ['a', 'broken', 1],
        ['b', 'done', 1],
      ],
      2,
    ],
  );
  assert.match(report.tasks[0]!.message!, /^the run stopped because its state could not be written \(ENOSPC/);
});

test('without a task it says so', async ({ rig }) => {
  const { code, stderr } = await rig.run('tollgate', ['batch']);
  assert.equal([code, stderr], [2, 'tollgate batch: TASK (ids, or paths with a /) is missing\n']);
});

test('INT: those at work leave their records, the others are not begun, nobody is left', async ({ rig }) => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const tasks = ids.map((id) => makeTask(rig, LOOK, id));
  const running = start(rig, ids, '--concurrency=2');
  await rig.call();
  await rig.call();
  running.signal('SIGINT');
  const { code, stdout } = await running.result;
  const report = JSON.parse(stdout) as BatchReport;
  assert.equal([code, report.state, report.totals.calls], [130, 'interrupted', 2]);
  assert.equal([report.totals.interrupted, report.totals.not_started], [4, 2]);
  assert.is(tasks.filter((task) => task.failure()?.reason === 'cancelled').length, 4);
  assert.equal(rig.survivors(), []);
  rig.answer(() => answerWith('codex', 'done'));
  const again = await batch(rig, ids);
  assert.equal([again.code, again.report.totals.done], [0, 6]);
});

test('a quota that one task meets stops the tool for the others, and is told once', async ({ rig }) => {
  rig.answer(({ report }) =>
    report.tool === 'gemini'
      ? failWith('gemini', 'You exceeded your current quota, please check your plan and billing details.', 429)
      : answerWith('codex', 'done'),
  );
  const ids = ['g1', 'g2', 'g3', 'g4', 'c1', 'c2'];
  for (const id of ids) makeTask(rig, id.startsWith('g') ? ASK : LOOK, id);
  const { code, report } = await batch(rig, ids, '--concurrency=1');
  assert.is(code, 1);
  assert.equal(rig.calls.filter(({ report: { tool } }) => tool === 'gemini').length, 1);
  assert.equal([report.totals.done, report.totals.failed], [2, 4]);
  assert.equal(
    report.by_failure.map(({ class: errorClass, reason, count }) => [errorClass, reason === 'paused', count]),
    [
      ['quota', true, 3],
      ['quota', false, 1],
    ],
  );
  assert.is(report.notes.length, 1);
  assert.match(report.notes[0]!, /^the quota of gemini is used up \(\w+\); it is not called again /);
});

test('two tasks that write to one tree take turns', async ({ rig }) => {
  const lives: string[] = [];
  rig.answer(async (call) => {
    lives.push('begins');
    // Long enough for another to come, were it let.
    await call.tell({ do: 'wait', ms: 300 }, ...answerWith('codex', 'done'));
    await call.gone;
    lives.push('ends');
  });
  for (const id of ['a', 'b']) makeTask(rig, EDIT, id);
  const { code } = await batch(rig, ['a', 'b'], '--concurrency=2');
  assert.equal([code, lives], [0, ['begins', 'ends', 'begins', 'ends']]);
});

test('in worktrees of their own they need not', async ({ rig }) => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.project, env: { ...rig.env, ...WHO } });
  rig.write('.gitignore', '.tmp\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  for (const id of ['a', 'b']) makeTask(rig, { ...EDIT, worktree: true }, id);
  const running = start(rig, ['a', 'b'], '--concurrency=2');
  const fakes = [await rig.call(), await rig.call()];
  assert.equal(
    fakes.map(({ report }) => report.cwd).sort(),
    ['a', 'b'].map((id) => path.join(rig.project, '.tmp/worktrees', id)),
  );
  for (const fake of fakes) void fake.tell(...answerWith('codex', 'done'));
  assert.is((await running.result).code, 0);
  assert.equal(readdirSync(path.join(rig.project, '.tmp/worktrees')), ['a', 'b']);
  const summary = readFileSync(path.join(rig.project, '.tmp/task/a/outputs/_summary.md'), 'utf8');
  assert.match(
    summary,
    `Note: its changes are in ${rig.project}/.tmp/worktrees/a on branch tollgate/a; to take them: `,
  );
});

const WHO = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@localhost',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@localhost',
};

test.run();
