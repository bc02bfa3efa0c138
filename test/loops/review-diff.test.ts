// A review stage is sent what has changed: from a base, or since the task's first run began.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('review diff');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.rig.write('a.ts', 'one\n');
  git(context.rig, 'init', '-q', '-b', 'main');
  git(context.rig, 'add', 'a.ts');
  git(context.rig, '-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-qm', 'one');
});
test.after.each(({ rig }) => rig.dispose());

const git = (rig: TestRig, ...args: string[]) => execFileSync('git', args, { cwd: rig.project, stdio: 'ignore' });
const review = (diff: object) => ({ tool: 'gemini', role: 'review', ...ANY_ANSWER, diff });

test('since a base: it is in what is sent and shown, and a changed tree is another prompt', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, 'Fine.'));
  const task = makeTask(rig, { stages: [review({ base: 'main' })] });
  rig.write('a.ts', 'changed\n');
  rig.write('new.ts', 'new\n');
  const shown = await rig.run('tollgate', ['run', 'fix', '--dry-run', '--show-prompt']);
  for (const part of ['-one\n+changed\n', '+++ b/new.ts\n', 'characters, 2 files) ====='])
    assert.match(shown.stdout, part);
  assert.is((await task.run()).code, 0);
  assert.match(rig.calls[0]!.report.stdin.text, '-one\n+changed\n');
  assert.equal([(await task.run()).code, rig.calls.length], [0, 1]);
  rig.write('a.ts', 'changed again\n');
  const again = await task.run();
  assert.equal([again.code, rig.calls.length], [2, 1]);
  assert.match(again.said, '--keep');
});

test('since the task began: what was there before its first run is no change, and stays none in later runs', async ({
  rig,
}) => {
  rig.write('a.ts', 'before the task\n');
  rig.write('untracked.ts', 'before the task\n');
  rig.answer((call) =>
    rig.calls.length === 1
      ? [{ do: 'save', file: 'made.ts', text: 'made\n' }, ...answerWith(call.report.tool, 'Done.')]
      : answerWith(call.report.tool, 'Fine.'),
  );
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }, review({ since: 'start' })] });
  assert.is((await task.run()).code, 0);
  rig.write('untracked.ts', 'by hand\n');
  const { code, said } = await task.run('--redo=gemini_review');
  assert.is(code, 0, said);
  const tree = path.join(task.folder, 'state/start/tree');
  writeFileSync(tree, '--output=x\n');
  assert.match((await task.run()).said, `diff: ${tree} names no tree of git; remove its folder to begin again`);
  const [first, second] = [rig.calls[1]!, rig.calls.at(-1)!].map(({ report: { stdin } }) => stdin.text);
  assert.equal(first!.match(/^diff --git .*/gm), ['diff --git a/made.ts b/made.ts']);
  assert.match(first!, 'changes since the task began (');
  assert.equal(second!.match(/^[-+][^-+ ].*/gm), ['+made', '-before the task', '+by hand']);
});

test('in the worktree of a task, the reviewer sees what an earlier stage changed there', async ({ rig }) => {
  rig.answer((call) => [
    ...(rig.calls.length === 1 ? [{ do: 'save', file: 'made.ts', text: 'made\n' } as const] : []),
    ...answerWith(call.report.tool, 'Done.'),
  ]);
  const stages = [{ tool: 'codex', role: 'impl', ...ANY_ANSWER }, review({ since: 'start' })];
  assert.is((await makeTask(rig, { stages, worktree: true }).run()).code, 0);
  assert.equal(rig.calls[1]!.report.stdin.text.match(/^diff --git .*/gm), ['diff --git a/made.ts b/made.ts']);
});

for (const [what, diff, message] of [
  ['a base that is not there', { base: 'nowhere' }, /stage gemini_review: diff: there is no commit "nowhere"/],
  [
    'one that looks like a flag',
    { base: '--output=x' },
    /stages\[0\]\.diff\.base must be one line .* that does not begin with a dash/,
  ],
  ['both', { base: 'main', since: 'start' }, /stages\[0\]\.diff must have base or since, one of them/],
  ['neither', {}, /stages\[0\]\.diff must have base or since, one of them/],
  ['another beginning', { since: 'yesterday' }, /stages\[0\]\.diff\.since must be one of start/],
] as const)
  test(`${what}: exit 2 before a call, in a dry run too`, async ({ rig }) => {
    makeTask(rig, { stages: [review(diff)] });
    for (const flags of [[], ['--dry-run']]) {
      const { code, stderr } = await rig.run('tollgate', ['run', 'fix', ...flags]);
      assert.equal([code, rig.calls.length], [2, 0]);
      assert.match(stderr, message);
    }
  });

test.run();
