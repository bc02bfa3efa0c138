// The console shows what each writing stage changed: apart from earlier changes, without secrets and forbidden files, bounded.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DiffShown, DiffsShown } from '../../../../console/contract/task.ts';
import { filesOfDiff } from '../../../../console/page/text/diff-files.ts';
import { type ConsoleClient, openConsoleOf } from '../../../rig/console-client.ts';
import type { FakeCommand } from '../../../rig/fake-call.ts';
import { answerWith, failWith } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`;
const IMPL = { tool: 'codex', role: 'impl', ...ANY_ANSWER };

const test = suite<{ rig: TestRig; page: ConsoleClient }>('diffs of stages');
test.before.each(async (world) => {
  world.rig = await TestRig.open();
  const { rig } = world;
  const git = (...args: string[]) => gitIn(rig, ...args);
  git('init', '-q');
  rig.write('.gitignore', '.tmp/\n');
  rig.write('src/a.ts', 'one\ntwo\n');
  rig.write('kept.txt', 'kept\n');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  world.page = await openConsoleOf(rig);
});
test.after.each(async ({ rig, page }) => {
  page.command.signal('SIGTERM');
  await page.command.result;
  await rig.dispose();
});

const gitIn = (rig: TestRig, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: rig.project, stdio: 'pipe' });
const save = (file: string, text: string): FakeCommand => ({ do: 'save', file, text });
const listed = async (page: ConsoleClient) => (await page.get('/api/tasks/fix/diff')).value as DiffsShown;
const shown = async (page: ConsoleClient, stage: string) =>
  (await page.get(`/api/tasks/fix/diff/${encodeURIComponent(stage)}`)).value as DiffShown;
const pathsIn = (diff: string) => filesOfDiff(diff).map(({ path: at, how }) => [at, how]);

test('where no diff can be shown, it says why', async ({ rig, page }) => {
  const whyOf = async (id: string) => ((await page.get(`/api/tasks/${id}/diff`)).value as DiffsShown).why_none;
  makeTask(rig, { stages: [{ ...IMPL, role: 'brief' }] }, 'reads');
  makeTask(rig, { stages: [IMPL] }, 'writes');
  assert.is(await whyOf('reads'), 'The stages of this task only read files, so there is nothing to show.');
  assert.is(await whyOf('writes'), 'No stage that may change files was called yet.');
  rmSync(path.join(rig.project, '.git'), { recursive: true });
  assert.is(await whyOf('writes'), 'This folder is not a git repository, so changes are not stored.');
});

test('each stage has its own diff, apart from what had changed before', async ({ rig, page }) => {
  rig.write('src/a.ts', 'one\ntwo\nby hand\n');
  rig.answer(({ report }) =>
    report.tool === 'codex'
      ? [save('src/a.ts', `one\n2\nby hand\n${TOKEN}\n`), save('odd\nname', 'x\n'), ...answerWith('codex', 'Done.')]
      : [save('src/b.ts', 'new\n'), ...answerWith('gemini', 'Done.')],
  );
  const stages = [IMPL, { ...IMPL, tool: 'gemini' }];
  const { code } = await makeTask(rig, { stages }).run();
  assert.is(code, 0);
  assert.equal(await listed(page), {
    stages: [
      { stage: 'codex_impl', changed: 2, kept: true },
      { stage: 'gemini_impl', changed: 1, kept: true },
    ],
    whole: false,
    why_none: null,
  });
  const [one, two] = [await shown(page, 'codex_impl'), await shown(page, 'gemini_impl')];
  assert.equal(
    [pathsIn(one.text), pathsIn(one.earlier), one.notes],
    [
      [
        ['odd\nname', 'added'],
        ['src/a.ts', 'modified'],
      ],
      [['src/a.ts', 'modified']],
      [],
    ],
  );
  assert.match(one.text, /^-two$/m);
  assert.match(one.earlier, /^\+by hand$/m);
  assert.not.ok(JSON.stringify([one, two]).includes(TOKEN.slice(0, 12)));
  assert.equal([pathsIn(two.text), two.outside], [[['src/b.ts', 'added']], []]);
  // The tree as it is now does not matter.
  rig.write('src/b.ts', 'other\n');
  assert.is((await shown(page, 'gemini_impl')).text, two.text);
});

test('what is out of scope is named, and forbidden files are omitted', async ({ rig, page }) => {
  rig.answer(() => [
    save('src/a.ts', '1\n'),
    save('kept.txt', 'x\n'),
    save('own/secret', 'x\n'),
    ...answerWith('codex', 'Done.'),
  ]);
  const scope = { allow: ['src/**'] };
  await makeTask(rig, { stages: [IMPL], scope, security: { forbidden_paths: ['own/**'] } }).run();
  const { text, outside, notes } = await shown(page, 'codex_impl');
  assert.equal(
    pathsIn(text).map(([at]) => at),
    ['kept.txt', 'src/a.ts'],
  );
  assert.equal([...outside].sort(), ['kept.txt', 'own/secret']);
  assert.equal(notes, []);
});

test('a stage without a gate ends with the tree as it is; lost objects are reported', async ({ rig, page }) => {
  rig.answer(() => [save('src/a.ts', '1\n'), ...failWith('codex', 'invalid api key', 401)]);
  const task = makeTask(rig, { stages: [IMPL] });
  await task.run();
  const { text, notes } = await shown(page, 'codex_impl');
  assert.equal([pathsIn(text), notes.length], [[['src/a.ts', 'modified']], 1]);
  assert.match(notes[0]!, /as it is now/);
  const trees = path.join(task.folder, 'state/trees/codex_impl');
  rmSync(path.join(trees, 'before'), { recursive: true });
  gitIn(rig, 'checkout', '-q', 'src/a.ts');
  rmSync(path.join(rig.project, '.git/objects'), { recursive: true });
  const lost = await shown(page, 'codex_impl');
  assert.is(lost.text, '');
  assert.ok(lost.notes.length > 0);
  rmSync(trees, { recursive: true });
  assert.match((await shown(page, 'codex_impl')).notes.join(), /is not stored/);
});

test('an agent that turns the folder of the trees leads nothing elsewhere', async ({ rig, page }) => {
  const trees = path.join(rig.project, '.tmp/task/fix/state/trees');
  const elsewhere = path.join(rig.root, 'elsewhere');
  mkdirSync(elsewhere);
  rig.answer(() => {
    cpSync(trees, path.join(elsewhere, 'copy'), { recursive: true });
    rmSync(trees, { recursive: true });
    symlinkSync(path.join(elsewhere, 'copy'), trees);
    return [save('src/a.ts', '1\n'), ...answerWith('codex', 'Done.')];
  });
  await makeTask(rig, { stages: [IMPL] }).run();
  assert.equal(readdirSync(path.join(elsewhere, 'copy/codex_impl')).sort(), ['before', 'trees.json']);
  assert.match((await shown(page, 'codex_impl')).text, /^\+1$/m);
});

test('of a diff of many megabytes the beginning is shown, and the command for the rest', async ({ rig, page }) => {
  const part = 'A line of words that do not matter at all.\n'.repeat(80_000);
  rig.answer(() => [
    ...['a', 'b', 'c'].map((name) => save(`big/${name}.txt`, part)),
    save('huge.txt', part.repeat(2)),
    ...answerWith('codex', 'Done.'),
  ]);
  await makeTask(rig, { stages: [IMPL] }).run();
  const { text, notes, command } = await shown(page, 'codex_impl');
  assert.equal([text.length > 1_900_000, text.length <= 2 * 1024 * 1024], [true, true]);
  assert.match(notes.join('\n'), /The diff of 3 files is larger than 2 MB/);
  assert.match(notes.join('\n'), /not stored, since above 4 MB or unreadable: huge\.txt\./);
  const whole = execFileSync('/bin/sh', ['-c', command!], { encoding: 'utf8', maxBuffer: 2 ** 30 });
  assert.is(whole.match(/^\+A line/gm)!.length, 3 * 80_000);
});

test('changes above 64 MB are reported as too large to be stored, with the command that shows them', async ({
  rig,
  page,
}) => {
  const part = 'A line of words that do not matter at all.\n'.repeat(90_000);
  const names = Array.from({ length: 18 }, (_, n) => `large/${n}.txt`);
  const leave = () => {
    for (const name of names) rmSync(path.join(rig.project, name));
  };
  rig.answer(() => [
    ...names.map((name) => save(name, part)),
    save('src/a.ts', 'changed\n'),
    ...answerWith('codex', 'Done.'),
  ]);
  const task = makeTask(rig, { stages: [IMPL] });
  await task.run();
  const large = await shown(page, 'codex_impl');
  assert.match(large.notes.join('\n'), /have 67 MB, and at most 64 MB are stored/);
  assert.not.match(large.notes.join('\n'), /not looked/);
  assert.is(large.changes.length, 19);
  assert.match(execFileSync('/bin/sh', ['-c', large.command!], { encoding: 'utf8' }), /^\+changed$/m);
  leave();
  const { text, notes } = await shown(page, 'codex_impl');
  assert.equal(pathsIn(text), [['src/a.ts', 'modified']]);
  assert.match(notes.join('\n'), /after this stage was not stored: .* as it is now/);
  // The tree was too large before the stage already.
  for (const name of names) rig.write(name, part);
  rig.answer(() => [save('src/a.ts', 'again\n'), ...answerWith('codex', 'Done.')]);
  await task.run('--redo', 'codex_impl');
  const before = await shown(page, 'codex_impl');
  assert.match(before.notes.join('\n'), /before this stage was not stored: .* 67 MB/);
  assert.match(execFileSync('/bin/sh', ['-c', before.command!], { encoding: 'utf8' }), /^\+again$/m);
});

test.run();
