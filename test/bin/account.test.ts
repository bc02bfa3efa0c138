// Whose budget a wrapper charges, and where its files may lie: a slip of the hand neither opens an account nor writes over a task.

import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig; task: TestTask; tasks: string }>('account');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  context.tasks = path.dirname(context.task.folder);
});
test.after.each(({ rig }) => rig.dispose());

const { badInput } = WRAPPER_EXIT.codex;

const STRANGE: [what: string, word: string, isNew: boolean, says: (tasks: string) => string][] = [
  [
    'a mistyped id',
    'fxi',
    false,
    (tasks) =>
      `there is no task fxi in ${tasks}; did you mean fix? To open an account of 10 paid calls under that name: --new-task; to write a manifest: tollgate init fxi`,
  ],
  ['another case', 'Fix', false, (tasks) => `there is no task Fix in ${tasks}; did you mean fix? To open`],
  ['an id like no other', 'release', false, (tasks) => `there is no task release in ${tasks}. To open an account`],
  [
    'a folder of the system',
    '/etc/ssl',
    true,
    (tasks) =>
      `/etc/ssl is not a task (it has neither a manifest nor a journal), and a new one is opened only in ${tasks}; make it one: tollgate init /etc/ssl/`,
  ],
  ['a folder beside the tasks', './src/', true, () => '/src is not a task (it has neither'],
];
for (const [what, word, isNew, says] of STRANGE)
  test(`${what} opens no account`, async ({ rig, tasks }) => {
    mkdirSync(path.join(rig.project, 'src'));
    const { code, said } = await runWrapper(rig, 'codex', ['--task', word, ...(isNew ? ['--new-task'] : [])]).ended();
    assert.equal([code, rig.calls.length, existsSync(path.join(tasks, word))], [badInput, 0, false]);
    assert.ok(said.includes(says(tasks)), said);
  });

test('a folder that is there and no task yet is not proposed in its own place', async ({ rig, tasks }) => {
  mkdirSync(path.join(tasks, 'bare/state'), { recursive: true });
  const { code, said } = await runWrapper(rig, 'codex', ['--task', 'bare']).ended();
  assert.equal([code, rig.calls.length], [badInput, 0]);
  assert.ok(said.includes(`there is no task bare in ${tasks}. To open an account`), said);
});

test('--new-task opens one, which is there from then on', async ({ rig, tasks }) => {
  rig.answer(() => answerWith('codex', 'done'));
  const codes = [
    (await runWrapper(rig, 'codex', ['--task', 'other', '--new-task']).ended()).code,
    (await runWrapper(rig, 'codex', ['--task', 'other']).ended()).code,
    (await runWrapper(rig, 'codex', ['--task', 'fix']).ended()).code,
    (await runWrapper(rig, 'codex', ['--new-task']).ended()).code,
  ];
  assert.equal([codes, rig.calls.length], [[0, 0, 0, badInput], 3]);
  assert.ok(existsSync(path.join(tasks, 'other/state/journal.jsonl')));
});

const GUARDED: [flag: string, place: string, charged: string | null][] = [
  ['--out', '.tmp/task/fix/manifest.json', 'fix'],
  ['--out', '.tmp/task/fix/inputs/user_request.md', null],
  ['--err', '.tmp/task/fix/state/journal.jsonl', 'fix'],
  ['--result', '.tmp/task/fix/state/attempts/20260101000000-00000000/record.json', 'fix'],
  ['--done-marker', '.tmp/task/fix/done/codex_brief.done', 'fix'],
  ['--pid-file', '.tmp/task/fix/outputs/pid', null],
  ['--session-id-out', '.tmp/task/fix/outputs/session', 'other'],
  ['--session-id-out', '.tmp/state/sessions.json', null],
  ['--done-marker', 'way/done/codex_brief.done', null],
  ['--out', '.tmp/task/other/outputs/../../fix/state/stats.json', 'other'],
  ['--out', '../theirs/.tmp/task/pay/manifest.json', null],
  ['--err', '../theirs/.tmp/task/pay/inputs/context.md', 'fix'],
  ['--result', '../theirs/.tmp/state/sessions.json', null],
  ['--done-marker', '../home/.local/state/tollgate/judges/vouched/done', null],
];
for (const [flag, place, charged] of GUARDED)
  test(`${flag} ${place} is refused with ${charged === null ? 'no task' : `task ${charged}`}`, async ({
    rig,
    task,
  }) => {
    symlinkSync(task.folder, path.join(rig.project, 'way'));
    makeTask(rig, { stages: [{ tool: 'codex', role: 'brief' }] }, 'other');
    rig.write('../theirs/.tmp/task/pay/manifest.json', '{"task_id": "pay", "goal": "Find out."}');
    const file = path.join(rig.project, place);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
    const charge = charged === null ? [] : ['--task', charged];
    const { code, said } = await runWrapper(rig, 'codex', [flag, place, ...charge]).ended();
    assert.equal([code, rig.calls.length], [badInput, 0]);
    assert.match(said, /is in .+, which only tollgate itself writes; name another place/);
    assert.is(existsSync(file) ? readFileSync(file, 'utf8') : null, before);
  });

test('the outputs of the task that pays are free, and a hard link is left by what replaces its name', async ({
  rig,
  task,
}) => {
  const manifest = path.join(task.folder, 'manifest.json');
  linkSync(manifest, path.join(rig.project, 'linked'));
  const before = readFileSync(manifest, 'utf8');
  rig.answer(() => answerWith('codex', 'done'));
  const flags = ['--task=fix', '--out=.tmp/task/fix/outputs/mine', '--err=linked'];
  const { code } = await runWrapper(rig, 'codex', flags).ended();
  assert.equal([code, task.read('outputs/mine'), readFileSync(manifest, 'utf8')], [0, 'done', before]);
});

test.run();
