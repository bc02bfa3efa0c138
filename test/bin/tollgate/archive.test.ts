// tollgate archive: what has ended goes out of the way, what is at work stays, nothing is deleted by accident.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openJournal } from '../../../state/journal/journal.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate archive');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

/** macOS has another script(1), with other flags. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;
if (!hasTerminal) console.log('SKIPPED: there is no script(1) of util-linux to give a command a terminal');

const ONE = { stages: [{ tool: 'codex', role: 'review' }] };
const ANSWER = '# Findings\n\nNone.\n\n# Verdict\n\nGood.\n';
const NO_KEY = failWith('codex', 'unexpected status 401 Unauthorized: Incorrect API key provided', 401);

async function ended(rig: TestRig, id: string, how: 'done' | 'failed'): Promise<TestTask> {
  rig.answer(() => (how === 'done' ? answerWith('codex', ANSWER) : NO_KEY));
  const task = makeTask(rig, ONE, id);
  await task.run();
  return task;
}

/** As if all of it had happened years ago. */
function age({ journal }: TestTask): void {
  writeFileSync(journal.file, readFileSync(journal.file, 'utf8').replaceAll(/"at":"\d{4}/g, '"at":"2020'));
}

const settled = (text: string, rig: TestRig) => text.replaceAll(rig.project, 'PROJECT').replace(/\d{8}-\d{6}/g, 'TIME');

async function archive(rig: TestRig, ...argv: string[]): Promise<[code: number | null, out: string, err: string]> {
  const { code, stdout, stderr } = await rig.run('tollgate', ['archive', ...argv]);
  return [code, settled(stdout, rig), settled(stderr, rig)];
}

const tasksOf = (rig: TestRig) => readdirSync(path.join(rig.project, '.tmp/task')).sort();
const archiveOf = (rig: TestRig) => {
  const folder = path.join(rig.project, '.tmp/archive');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};

test('a named task is moved, whole, however new, and its journal says what it said', async ({ rig }) => {
  const task = await ended(rig, 'fix', 'failed');
  const before = readdirSync(task.folder, { recursive: true }).length;
  assert.equal(await archive(rig, 'fix'), [0, 'archived: fix → PROJECT/.tmp/archive/fix-TIME\n1 task archived\n', '']);
  const [name] = archiveOf(rig);
  const folder = path.join(rig.project, '.tmp/archive', name!);
  assert.equal([tasksOf(rig), readdirSync(folder, { recursive: true }).length], [[], before]);
  const { ledger } = openJournal(folder, () => new Date()).read();
  assert.equal([ledger.run, ledger.used, [...ledger.released.values()].at(-1)?.state], [null, 1, 'failed']);
  assert.equal(await archive(rig, 'fix'), [
    2,
    '',
    'tollgate archive: there is no task at PROJECT/.tmp/task/fix: it was archived to PROJECT/.tmp/archive/fix-TIME; `tollgate archive --restore fix` puts it back; nothing was done\n',
  ]);
});

test('without names: only what has rested for long, whatever its end; a task that never ran stays', async ({ rig }) => {
  for (const [id, how] of [
    ['good', 'done'],
    ['bad', 'failed'],
  ] as const)
    age(await ended(rig, id, how));
  await ended(rig, 'new', 'done');
  makeTask(rig, ONE, 'never');
  assert.equal(await archive(rig, '--dry-run'), [
    0,
    'would be archived: bad\nwould be archived: good\n2 tasks would be archived\n',
    '',
  ]);
  assert.equal([tasksOf(rig), archiveOf(rig)], [['bad', 'good', 'never', 'new'], []]);
  assert.is((await archive(rig))[0], 0);
  assert.equal([tasksOf(rig), archiveOf(rig).length], [['never', 'new'], 2]);
  assert.equal(await archive(rig), [0, '0 tasks archived\n', '']);
});

test('--drop-attempts leaves the private part out', async ({ rig }) => {
  const task = await ended(rig, 'fix', 'done');
  assert.ok(existsSync(path.join(task.folder, 'state/attempts')));
  await archive(rig, 'fix', '--drop-attempts');
  const folder = path.join(rig.project, '.tmp/archive', archiveOf(rig)[0]!);
  assert.equal(
    ['state/attempts', 'state/journal.jsonl', 'outputs/_summary.md'].map((name) => existsSync(path.join(folder, name))),
    [false, true, true],
  );
});

test('--delete wants names or an age, and then deletes', async ({ rig }) => {
  age(await ended(rig, 'old', 'done'));
  await ended(rig, 'fix', 'done');
  assert.equal(await archive(rig, '--delete'), [
    2,
    '',
    'tollgate archive: --delete is for good: name the tasks, or use --older-than DURATION with it\n',
  ]);
  assert.equal(tasksOf(rig), ['fix', 'old']);
  assert.equal(await archive(rig, '--delete', '--older-than', '7d'), [0, 'deleted: old\n1 task deleted\n', '']);
  assert.equal(await archive(rig, '--delete', 'fix'), [0, 'deleted: fix\n1 task deleted\n', '']);
  assert.equal([tasksOf(rig), archiveOf(rig)], [[], []]);
});

test('a named task that is not old enough stays, and is named', async ({ rig }) => {
  await ended(rig, 'fix', 'done');
  const [code, out, err] = await archive(rig, 'fix', '--older-than', '1h');
  assert.equal([code, out, tasksOf(rig)], [1, '0 tasks archived\n', ['fix']]);
  assert.match(err, /^tollgate archive: fix stays: the last thing happened at .*Z, which is not long enough ago\n$/);
});

test('a task that a run has, or a call of a dead run, stays', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const running = task.start();
  const fake = await rig.call();
  const [code, out, err] = await archive(rig, 'fix', '--delete');
  assert.equal([code, out], [1, '0 tasks deleted\n']);
  assert.match(err, /^tollgate archive: fix stays: a run has it \(pid \d+\)\n$/);
  running.signal('SIGKILL');
  await running.result;
  assert.match(
    (await archive(rig, 'fix'))[2],
    /^tollgate archive: fix stays: a call of codex_review has it \(pid \d+\)\n$/,
  );
  const [call] = task.journal.read().ledger.calls.values();
  process.kill(call!.reserved.guardian.pid, 'SIGKILL');
  await fake.tell({ do: 'exit', code: 1 });
  const dead =
    'tollgate archive: fix stays: a call of codex_review was begun and never settled; tollgate run fix settles it\n';
  let said = '';
  for (let looks = 0; looks < 100 && said !== dead; looks++) said = (await archive(rig, 'fix', '--dry-run'))[2];
  assert.equal([said, tasksOf(rig)], [dead, ['fix']]);
  // What is old is told in a sweep over all, and fails nothing.
  age(task);
  assert.equal(await archive(rig), [0, '0 tasks archived\n', dead]);
});

test('a task with a state that cannot be read stays', async ({ rig }) => {
  makeTask(rig, ONE);
  rig.write('.tmp/task/fix/state/journal.jsonl', '{"v":9,"at":"2020-01-01T00:00:00.000Z","fact":"x"}\n');
  const [code, , err] = await archive(rig, 'fix');
  assert.equal([code, tasksOf(rig)], [1, ['fix']]);
  assert.match(err, 'fix stays: its state cannot be read: ');
});

test('--json tells the same', async ({ rig }) => {
  await ended(rig, 'fix', 'done');
  makeTask(rig, ONE, 'never');
  const [code, out] = await archive(rig, 'fix', 'never', '--json');
  const archived = [
    { task_id: 'fix', from: 'PROJECT/.tmp/task/fix', to: 'PROJECT/.tmp/archive/fix-TIME', worktree: null },
  ];
  const left = [{ task_id: 'never', why: 'it was never run' }];
  assert.equal([code, JSON.parse(out)], [1, { schema: 1, dry_run: false, archived, deleted: [], batches: [], left }]);
});

test('the worktree of a task stays, and is named with the lines that remove it', async ({ rig }) => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.project, env: rig.env, stdio: 'ignore' });
  rig.write('.gitignore', '.tmp\n');
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-qm', 'one');
  rig.answer(() => answerWith('codex', ANSWER));
  await makeTask(rig, { ...ONE, worktree: true }).run();
  const worktree = path.join(rig.project, '.tmp/worktrees/fix');
  if (hasTerminal) {
    const command = `stty cols 500; '${process.execPath}' '${path.resolve('dist/tollgate.cjs')}' archive fix --dry-run`;
    const env = { ...rig.env, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' };
    const { stdout } = spawnSync('script', ['-qefc', command, '/dev/null'], { cwd: rig.project, env, input: '' });
    assert.match(String(stdout), /^1 task would be archived:\r\n {2}fix\r\n\r\nfix: its worktree stays: /);
  }
  const [code, out] = await archive(rig, 'fix');
  assert.equal([code, existsSync(worktree)], [0, true]);
  // As a shell needs the real path.
  const shown = (place: string) => (/\s/.test(rig.project) ? `'${place}'` : place);
  assert.is(
    out,
    `archived: fix → PROJECT/.tmp/archive/fix-TIME
  its worktree stays: PROJECT/.tmp/worktrees/fix on branch tollgate/fix; when its changes are taken:
  git -C ${shown('PROJECT')} worktree remove ${shown('PROJECT/.tmp/worktrees/fix')}
  git -C ${shown('PROJECT')} branch -d tollgate/fix
1 task archived
`,
  );
  for (const line of out.replaceAll('PROJECT', rig.project).split('\n').slice(2, 4))
    execFileSync('sh', ['-c', line], { env: rig.env, stdio: 'ignore' });
  assert.not(existsSync(worktree));
});

test('reports of batches that are old enough go with the tasks, where none is named', async ({ rig }) => {
  await ended(rig, 'fix', 'done');
  for (const id of ['20200101', '20260101']) rig.write(`.tmp/batch/${id}/report.json`, '{}');
  utimesSync(path.join(rig.project, '.tmp/batch/20200101'), 0, 0);
  assert.is((await archive(rig, 'fix', '--dry-run'))[1], 'would be archived: fix\n1 task would be archived\n');
  assert.is(
    (await archive(rig, '--dry-run'))[1],
    'would be archived: the report of batch 20200101\n0 tasks and 1 report would be archived\n',
  );
  assert.equal(await archive(rig), [
    0,
    'archived: the report of batch 20200101 → PROJECT/.tmp/archive/batch/20200101\n0 tasks and 1 report archived\n',
    '',
  ]);
  utimesSync(path.join(rig.project, '.tmp/batch/20260101'), 0, 0);
  const [code, out] = await archive(rig, '--older-than=1d', '--delete', '--json');
  const batches = [{ batch_id: '20260101', from: 'PROJECT/.tmp/batch/20260101', to: null }];
  assert.equal([code, JSON.parse(out).batches, readdirSync(path.join(rig.project, '.tmp/batch'))], [0, batches, []]);
});

test('from within a call: it may look, and put nothing away', async ({ rig }) => {
  await ended(rig, 'fix', 'done');
  const env = { TOLLGATE_CALL_ID: 'outer/inner' };
  const { code, stderr } = await rig.run('tollgate', ['archive', 'fix', '--delete'], { env });
  assert.equal(
    [code, stderr],
    [
      2,
      'tollgate archive: a call may not put a task away, and this was started from within the call outer/inner; ask the caller that started it\n',
    ],
  );
  assert.is((await rig.run('tollgate', ['archive', 'fix', '--dry-run'], { env })).code, 0);
  assert.equal(tasksOf(rig), ['fix']);
});

const MISTAKES: [argv: string[], said: string][] = [
  [['--older-than', 'old'], 'tollgate archive: --older-than takes a duration such as 7d, not "old"\n'],
  [
    ['fix', 'none'],
    'tollgate archive: there is no task at PROJECT/.tmp/task/none (tollgate status lists those that exist); nothing was done\n',
  ],
];
for (const [argv, said] of MISTAKES)
  test(`${argv.join(' ')}: exit 2, nothing done`, async ({ rig }) => {
    await ended(rig, 'fix', 'done');
    assert.equal(await archive(rig, ...argv), [2, '', said]);
    assert.equal(tasksOf(rig), ['fix']);
  });

test('--restore puts a task back as it was archived last, and overwrites none', async ({ rig }) => {
  const task = await ended(rig, 'fix', 'done');
  const before = readdirSync(task.folder, { recursive: true }).length;
  await archive(rig, 'fix');
  assert.equal(await archive(rig, '--restore', 'fix'), [0, 'restored: fix → PROJECT/.tmp/task/fix\n', '']);
  assert.equal([readdirSync(task.folder, { recursive: true }).length, archiveOf(rig)], [before, []]);
  const again = await rig.run('tollgate', ['run', 'fix', '--json']);
  assert.equal([again.code, rig.calls.length], [0, 1]);
  await archive(rig, 'fix');
  await ended(rig, 'fix', 'done');
  const [code, , err] = await archive(rig, '--restore', 'fix', 'none');
  assert.is(code, 1);
  assert.match(err, 'fix: there is a task at PROJECT/.tmp/task/fix');
  assert.match(err, 'none: PROJECT/.tmp/archive has no task of that id');
});

for (const [flags, says] of [
  [['--restore'], '--restore takes the ids'],
  [['--restore', '../fix'], 'is not a task id'],
  [['--restore', 'fix', '--delete'], 'contradict each other'],
] as const)
  test(`${flags.join(' ')} is refused`, async ({ rig }) => {
    const [code, , err] = await archive(rig, ...flags);
    assert.is(code, 2);
    assert.match(err, says);
  });

for (const argv of [['run'], ['explain'], ['status'], ['logs'], ['budget']])
  test(`${argv[0]} names what may have been meant: an archived task, or one of a similar name`, async ({ rig }) => {
    await ended(rig, 'fix-login', 'failed');
    const typo = await rig.run('tollgate', [...argv, 'fix-logni']);
    assert.is(typo.code, 2, typo.stderr);
    assert.match(typo.stderr, 'did you mean fix-login?');
    await archive(rig, 'fix-login');
    const gone = await rig.run('tollgate', [...argv, 'fix-login']);
    assert.is(gone.code, 2);
    assert.match(gone.stderr, '`tollgate archive --restore fix-login` puts it back');
  });

test('status TASK shows that task alone', async ({ rig }) => {
  await ended(rig, 'one', 'failed');
  await ended(rig, 'two', 'done');
  const { code, stdout } = await rig.run('tollgate', ['status', 'two', '--json']);
  const { tasks, totals } = JSON.parse(stdout) as { tasks: { task_id: string }[]; totals: { tasks: number } };
  assert.equal([code, totals.tasks, tasks.map(({ task_id }) => task_id)], [0, 1, ['two']]);
});

test.run();
