// --commit: one commit of what the stages changed in scope, without the user's changes, staged files, hooks and foreign filters.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeCommand } from '../../rig/fake-call.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('run --commit');
test.before.each(async (world) => {
  world.rig = await TestRig.open();
  const { rig } = world;
  git(rig, 'init', '-q', '-b', 'main');
  writeFileSync(path.join(rig.home, '.gitconfig'), '[user]\n\tname = User\n\temail = user@localhost\n');
  rig.write('.gitignore', '.tmp/\n');
  rig.write('src/a.ts', 'one\n');
  rig.write('src/old.ts', 'old\n');
  rig.write('mine.txt', 'mine\n');
  git(rig, 'add', '-A');
  git(rig, 'commit', '-q', '-m', 'first');
});
test.after.each(({ rig }) => rig.dispose());

const IMPL = { tool: 'codex', role: 'impl', ...ANY_ANSWER };
const git = ({ project, env }: TestRig, ...args: string[]) =>
  execFileSync('git', args, {
    cwd: project,
    env: { ...env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const save = (file: string, text: string): FakeCommand => ({ do: 'save', file, text });
const committed = (rig: TestRig) =>
  git(rig, 'show', '--no-renames', '--name-status', '--format=', 'HEAD').trim().split('\n');
const status = (rig: TestRig) => git(rig, 'status', '--porcelain').trimEnd().split('\n').filter(Boolean);

/** Every codex call of the task saves these files. */
const saving = (rig: TestRig, ...files: FakeCommand[]) => rig.answer(() => [...files, ...answerWith('codex', 'Done.')]);

test('it contains what the stages changed, leaves what was uncommitted before, and runs no hook and no filter', async ({
  rig,
}) => {
  const ran = path.join(rig.root, 'ran');
  rig.write('mine.txt', 'edited\n');
  rig.write('notes.txt', 'untracked\n');
  rig.write('staged.txt', 'staged\n');
  git(rig, 'add', 'staged.txt');
  for (const hook of ['pre-commit', 'commit-msg', 'post-commit', 'reference-transaction', 'post-index-change']) {
    const file = path.join(rig.project, '.git/hooks', hook);
    writeFileSync(file, `#!/bin/sh\ntouch '${ran}'\n`);
    chmodSync(file, 0o755);
  }
  git(rig, 'config', 'filter.up.clean', `touch '${ran}'; tr a-z A-Z`);
  rig.write('.git/info/attributes', '*.up filter=up\n');
  saving(rig, save('src/a.ts', 'two\n'), save('src/new.ts', 'new\n'), save('mine.txt', 'edited twice\n'));
  const task = makeTask(rig, { stages: [IMPL], goal: 'Fix the counter.\nIt counts twice.' });
  const { code, report, summary } = await task.run('--commit');
  assert.equal([code, existsSync(ran)], [0, false]);
  assert.equal(committed(rig), ['M\tsrc/a.ts', 'A\tsrc/new.ts']);
  assert.is(
    git(rig, 'log', '-1', '--format=%an <%ae>%n%B').trim(),
    'User <user@localhost>\nFix the counter.\n\nFix the counter.\nIt counts twice.\n\nTollgate-Task: fix',
  );
  const id = git(rig, 'rev-parse', 'HEAD').trim();
  assert.equal(report.commit, { id, branch: 'main', files: ['src/a.ts', 'src/new.ts'] });
  assert.match(summary, `- Commit: ${id} on main, 2 files`);
  assert.ok(report.notes.includes('not in the commit: mine.txt had uncommitted changes before the task'));
  assert.equal(status(rig), [' M mine.txt', 'A  staged.txt', '?? notes.txt']);
});

test('in a folder whose name has a line end, a worktree is made, continued, and has the commit', async ({ rig }) => {
  const folder = path.join(rig.project, 'new\nline');
  git(rig, 'clone', '-q', '.', folder);
  const manifest = { task_id: 'fix', goal: 'Fix it.', stages: [IMPL], worktree: true };
  rig.write('new\nline/.tmp/task/fix/manifest.json', JSON.stringify(manifest));
  const change = 'echo two >> src/a.ts';
  rig.answer(() => [{ do: 'run', argv: ['sh', '-c', change], to: '/dev/null' }, ...answerWith('codex', 'Done.')]);
  for (const argv of [[], ['--redo', 'all']]) {
    const { code, stdout } = await rig.run('tollgate', ['run', 'fix', '--commit', '--json', ...argv], { cwd: folder });
    assert.is(code, 0, stdout);
  }
  assert.is(git(rig, '-C', folder, 'show', 'tollgate/fix:src/a.ts'), 'one\ntwo\ntwo\n');
});

test('changes in submodules, in nested repositories and of names that are not UTF-8 are named', async ({ rig }) => {
  for (const name of ['sub', 'clean']) {
    git(rig, 'init', '-q', name);
    git(rig, '-C', name, 'commit', '-q', '--allow-empty', '-m', 'in it');
    git(rig, 'add', name);
  }
  git(rig, 'commit', '-q', '-m', 'submodules');
  const change =
    "echo x > sub/i; git init -q nested; echo x > nested/x; echo x > $(printf 'l\\351.txt'); echo x > mine.txt";
  rig.answer(() => [{ do: 'run', argv: ['sh', '-c', change], to: '/dev/null' }, ...answerWith('codex', 'Done.')]);
  const { code, report } = await makeTask(rig, { stages: [IMPL] }).run('--commit');
  assert.equal([code, report.commit?.files], [0, ['mine.txt']]);
  assert.equal(
    report.notes.filter((note) => note.startsWith('not in the commit')),
    [
      'not in the commit: l\ufffd.txt has a name that is not UTF-8, nested/ is a repository of its own, sub is a repository of its own',
    ],
  );
});

test('a second run commits nothing again, and one without --commit commits nothing', async ({ rig }) => {
  saving(rig, save('src/a.ts', 'two\n'));
  const task = makeTask(rig, { stages: [IMPL] });
  assert.is((await task.run()).report.commit, undefined);
  assert.is(git(rig, 'rev-list', '--count', 'HEAD').trim(), '1');
  assert.ok((await task.run('--commit')).report.commit);
  const again = await task.run('--commit');
  assert.equal([again.code, again.report.commit], [0, null]);
  assert.ok(again.report.notes.includes('there is nothing to commit'));
  assert.is(git(rig, 'rev-list', '--count', 'HEAD').trim(), '2');
  assert.is(rig.calls.length, 1);
});

test('a removed and a renamed file are committed as such, with their modes; author and trailers come from tollgate.yaml', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', 'commit: {author: "Bot <bot@example.org>", trailers: ["Assisted-by: codex"]}\n');
  git(rig, 'add', '-A');
  git(rig, 'commit', '-q', '-m', 'settings');
  rig.answer(async (call) => {
    git(rig, 'mv', 'src/old.ts', 'src/moved.ts');
    git(rig, 'reset', '-q');
    chmodSync(path.join(rig.project, 'src/moved.ts'), 0o755);
    await call.tell(...answerWith('codex', 'Done.'));
  });
  const { report } = await makeTask(rig, { stages: [IMPL] }).run('--commit');
  assert.equal(report.commit?.files, ['src/moved.ts', 'src/old.ts']);
  assert.match(git(rig, 'ls-tree', 'HEAD', 'src/moved.ts'), /^100755/);
  assert.equal(status(rig), []);
  assert.is(
    git(rig, 'log', '-1', '--format=%an <%ae>, %cn <%ce>, %(trailers:unfold,separator=%x2C )').trim(),
    'Bot <bot@example.org>, Bot <bot@example.org>, Tollgate-Task: fix, Assisted-by: codex',
  );
});

for (const [what, change, files] of [
  ['a folder by a link', 'rm -r src; ln -s lib src', ['src', 'src/a.ts', 'src/old.ts']],
  ['a folder by a link to its new place', 'mv src lib/src; ln -s lib/src src', ['lib/src/a.ts', 'src', 'src/a.ts']],
  ['a file by a folder', 'rm mine.txt; mkdir mine.txt; echo n > mine.txt/n', ['mine.txt', 'mine.txt/n']],
  ['a folder by a file', 'rm -r src; echo f > src', ['src', 'src/a.ts', 'src/old.ts']],
] as const)
  test(`${what} is replaced, and committed as such`, async ({ rig }) => {
    rig.write('lib/x.ts', 'x\n');
    git(rig, 'add', '-A');
    git(rig, 'commit', '-q', '-m', 'lib');
    rig.answer(() => [{ do: 'run', argv: ['sh', '-c', change], to: '/dev/null' }, ...answerWith('codex', 'Done.')]);
    const { code, report } = await makeTask(rig, { stages: [IMPL] }).run('--commit');
    assert.is(code, 0, report.failure?.evidence?.text);
    for (const file of files) assert.ok(report.commit!.files.includes(file), file);
    assert.not.match(report.notes.join('\n'), 'not in the commit');
    assert.equal(status(rig), []);
  });

for (const [what, commit] of [
  ['an author without an address', '{author: Bot}'],
  ['an author with a line break', '{author: "Bot <a@b>\\nX: y <c@d>"}'],
  ['a trailer that is no trailer', '{trailers: ["hello"]}'],
  ['a trailer with a line break', '{trailers: ["A: b\\n\\nC: d"]}'],
] as const)
  test(`${what} is refused before anything is paid`, async ({ rig }) => {
    rig.write('tollgate.yaml', `commit: ${commit}\n`);
    const { code, said } = await makeTask(rig, { stages: [IMPL] }).run('--commit');
    assert.is(code, 2);
    assert.match(said, /tollgate\.yaml:1: commit\.(author|trailers)/);
    assert.is(rig.calls.length, 0);
  });

test("a file that needs the repository's own filter is not committed in another form", async ({ rig }) => {
  git(rig, 'config', 'filter.up.clean', 'tr a-z A-Z');
  rig.write('.git/info/attributes', '*.up filter=up\n');
  saving(rig, save('b.up', 'text\n'));
  const task = makeTask(rig, { stages: [IMPL] });
  const { code, report } = await task.run('--commit');
  assert.is(code, 1);
  assert.equal([report.failure?.class, report.failure?.reason], ['tooling', 'not_committed']);
  assert.match(report.failure!.evidence!.text, 'b.up needs a filter');
  assert.is(git(rig, 'rev-list', '--count', 'HEAD').trim(), '1');
  const trusted = await task.run('--commit', '--trust-workspace');
  assert.equal([trusted.code, rig.calls.length], [0, 1]);
  assert.is(git(rig, 'show', 'HEAD:b.up'), 'TEXT\n');
});

test('what changed after the check is not committed unchecked', async ({ rig }) => {
  saving(rig, save('src/a.ts', 'two\n'));
  const task = makeTask(rig, { stages: [IMPL] });
  await task.run();
  rig.write('src/a.ts', 'by hand\n');
  const { code, report } = await task.run('--commit');
  assert.is(code, 1);
  assert.match(report.failure!.evidence!.text, 'src/a.ts changed after stage codex_impl was checked');
  assert.is(git(rig, 'rev-list', '--count', 'HEAD').trim(), '1');
  const rechecked = await task.run('--recheck', '--commit');
  assert.equal([rechecked.code, rechecked.report.commit?.files], [0, ['src/a.ts']]);
});

test('a failed run commits nothing', async ({ rig }) => {
  saving(rig, save('src/a.ts', 'two\n'), save('mine.txt', 'x\n'));
  const { code } = await makeTask(rig, { stages: [IMPL], scope: { allow: ['src/**'] } }).run('--commit');
  assert.is(code, 1);
  assert.is(git(rig, 'rev-list', '--count', 'HEAD').trim(), '1');
});

test('in a worktree the commit is on its branch', async ({ rig }) => {
  saving(rig, save('src/a.ts', 'two\n'));
  const { report } = await makeTask(rig, { stages: [IMPL], worktree: true }).run('--commit');
  assert.equal([report.commit?.branch, report.commit?.files], ['tollgate/fix', ['src/a.ts']]);
  assert.is(git(rig, 'rev-parse', 'tollgate/fix').trim(), report.commit?.id);
  assert.is(git(rig, 'rev-list', '--count', 'main').trim(), '1');
  assert.not.match(report.notes.join('\n'), 'not committed yet');
});

for (const [what, prepare, why] of [
  [
    'outside of a repository',
    (rig: TestRig) => execFileSync('rm', ['-rf', path.join(rig.project, '.git')]),
    'is in no git repository',
  ],
  [
    'without an identity',
    (rig: TestRig) => writeFileSync(path.join(rig.home, '.gitconfig'), '[user]\n\tuseConfigOnly = true\n'),
    'git does not know who commits',
  ],
  [
    'during a merge',
    (rig: TestRig) => rig.write('.git/MERGE_HEAD', git(rig, 'rev-parse', 'HEAD')),
    'in the middle of a merge',
  ],
] as const)
  test(`${what} it is refused before anything is paid`, async ({ rig }) => {
    prepare(rig);
    const { code, report } = await makeTask(rig, { stages: [IMPL] }).run('--commit');
    assert.is(code, 2);
    assert.match(report.message!, why);
    assert.is(rig.calls.length, 0);
  });

test.run();
