// A task with a mistake in it, and what the summary makes of much: bad input is named and pays nothing.

import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith, failWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('run input');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ONE = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

const BAD: [what: string, manifest: string, message: RegExp][] = [
  ['no YAML', 'task_id: [', /manifest\.yaml:1: /],
  [
    'an unknown field',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief}]\nbugets: {}\n',
    /manifest\.yaml:4: bugets is unknown; did you mean budgets\?/,
  ],
  [
    'a wrong type',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief, timeout_ms: soon}]\n',
    /manifest\.yaml:3: stages\[0\]\.timeout_ms must be number, not string/,
  ],
  [
    'an unknown tool',
    'task_id: fix\ngoal: g\nstages: [{tool: acme, role: brief}]\n',
    /manifest\.yaml:3: stages\[0\]\.tool must be one of gemini, copilot, codex, claude/,
  ],
  [
    'no dollars at all',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief}]\nbudgets: {max_usd: 0}\n',
    /manifest\.yaml:4: budgets\.max_usd must be more than 0/,
  ],
  [
    'a wall clock that no timer holds',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief}]\nbudgets: {max_wallclock_sec: 9999999}\n',
    /manifest\.yaml:4: budgets\.max_wallclock_sec must be at most 1036800/,
  ],
  [
    'no goal',
    'task_id: fix\nstages: [{tool: codex, role: brief}]\n',
    /manifest\.yaml:1: goal is missing; expected string/,
  ],
  [
    'another id',
    'task_id: fax\ngoal: g\nstages: [{tool: codex, role: brief}]\n',
    /task_id is "fax", but its folder is "fix"/,
  ],
  [
    'two stages of one name',
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: a}, {tool: codex, role: a}]\n',
    /two stages are called "codex_a"/,
  ],
  ['a YAML tag', 'task_id: fix\ngoal: !!js/function "x"\nstages: [{tool: codex, role: a}]\n', /manifest\.yaml:2: /],
  [
    'a billion laughs',
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n`,
    /it says the same too often by aliases/,
  ],
];
for (const [what, manifest, message] of BAD)
  test(`a manifest with ${what}: exit 2, named, nothing paid`, async ({ rig }) => {
    const task = makeTask(rig, ONE);
    rmSync(path.join(task.folder, 'manifest.json'));
    writeFileSync(path.join(task.folder, 'manifest.yaml'), manifest);
    const { code, said } = await task.run();
    assert.equal([code, rig.calls.length], [2, 0]);
    assert.match(said, message);
  });

const FOLDERS: [what: string, cwd: string, message: RegExp | null, flags: string[], more: object][] = [
  ['missing', 'nowhere', /cwd: "nowhere" does not exist \(.+\/nowhere\); make it, or name another folder/, [], {}],
  ['no folder', 'file.txt', /cwd: "file\.txt" is not a folder/, [], {}],
  ['missing, though trusted', '../nowhere', /cwd: "\.\.\/nowhere" does not exist/, ['--trust-workspace'], {}],
  [
    'beside the project',
    '../beside',
    /cwd: "\.\.\/beside" leads out of the project \(.+\); name a folder in it, or use --trust-workspace/,
    [],
    {},
  ],
  ['a link that leads out', 'out', /cwd: "out" leads out of the project/, [], {}],
  ['beside it in a worktree', '../beside', /cwd: "\.\.\/beside" leads out of the project/, [], { worktree: true }],
  ['beside the project, trusted', '../beside', null, ['--trust-workspace'], {}],
  ['beside the project, trusted by its manifest', '../beside', null, [], { security: { trust_workspace: true } }],
  ['in the project', 'sub', null, [], {}],
];
for (const [what, cwd, message, flags, more] of FOLDERS)
  test(`a working folder that is ${what}: ${message === null ? 'is used' : 'exit 2 before a call, in a dry run too'}`, async ({
    rig,
  }) => {
    mkdirSync(path.join(rig.project, 'sub'));
    mkdirSync(path.join(rig.project, '../beside'));
    rig.write('file.txt', '');
    symlinkSync('../beside', path.join(rig.project, 'out'));
    rig.answer(() => answerWith('codex', 'ok'));
    makeTask(rig, { ...ONE, ...more, cwd });
    for (const dry of [['--dry-run'], []]) {
      const { code, stderr } = await rig.run('tollgate', ['run', 'fix', ...flags, ...dry]);
      assert.is(code, message === null ? 0 : 2, stderr);
      if (message !== null) assert.match(stderr, message);
    }
    assert.equal(
      rig.calls.map(({ report }) => report.cwd),
      message === null ? [realpathSync(path.join(rig.project, cwd))] : [],
    );
  });

test('a task that is not there, and ids that are paths', async ({ rig }) => {
  for (const [word, message] of [
    ['nothing', /there is no task at /],
    ['..', /"\.\." is not a task id/],
    ['a b', /"a b" is not a task id/],
    ['x'.repeat(129), /is not a task id/],
  ] as const) {
    const { code, stderr } = await rig.run('tollgate', ['run', word]);
    assert.is(code, 2);
    assert.match(stderr, message);
  }
});

test('a missing CLI is tooling, pays nothing and names preflight', async ({ rig }) => {
  rig.uninstall('codex');
  const task = makeTask(rig, ONE);
  const { code, report } = await task.run();
  assert.equal(
    [code, report.failure?.reason, report.budget.used, report.stages[0]!.calls],
    [1, 'binary_missing', 0, 0],
  );
  assert.ok(report.next_actions.some((action) => action.command?.includes('preflight')));
  const { signature } = report.failure!;
  await task.run();
  const { signatures } = JSON.parse(task.read('state/stats.json'));
  const { count, class: errorClass, first_seen, last_seen } = signatures[signature!];
  assert.equal([Object.keys(signatures), count, errorClass], [[signature], 2, 'tooling']);
  assert.ok(first_seen < last_seen);
});

test('a summary never runs over 80 lines, however long the stderr', async ({ rig }) => {
  rig.answer(() => [
    {
      do: 'write',
      to: 'stderr',
      text: Array.from({ length: 5000 }, (_, i) => `Error: line ${i} of very many`).join('\n'),
    },
    ...failWith('codex', 'no', 401),
  ]);
  const task = makeTask(rig, ONE);
  const { summary } = await task.run();
  assert.ok(summary.trimEnd().split('\n').length <= 80);
  assert.match(summary, 'Error: line 0 of');
  assert.match(summary, 'Error: line 4999 of');
});

test.run();
