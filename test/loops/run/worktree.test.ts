// Worktrees of tasks, made by the real git: fresh, continued, at once, and what stands in their way.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeWorktree, openWorktree } from '../../../loops/run/worktree.ts';

const test = suite<{ root: string }>('worktree');
test.before.each((context) => {
  context.root = realpathSync(mkdtempSync(path.join(tmpdir(), 'worktree-')));
});
test.after.each(({ root }) => rmSync(root, { recursive: true, force: true }));

const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@localhost',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@localhost',
};
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function commit(root: string): void {
  git(root, 'init', '-q', '-b', 'main');
  mkdirSync(path.join(root, 'sub'));
  writeFileSync(path.join(root, 'sub/file'), 'one\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'one');
}

function opener(
  root: string,
  said: string[] = [],
  trust: 'trusted' | 'untrusted' = 'untrusted',
  shown: NodeJS.ProcessEnv = environment,
) {
  const request = { environment: shown, trust, stop: new AbortController().signal, clock: () => new Date() };
  const say = (sentence: string) => said.push(sentence);
  return (taskId: string, at = root) =>
    openWorktree({ ...request, root: at, taskId, stateFolder: path.join(root, '.tmp'), say });
}

test('it is made of HEAD once, and continued', async ({ root }) => {
  commit(root);
  const said: string[] = [];
  writeFileSync(path.join(root, 'sub/file'), 'two\n');
  const top = path.join(root, '.tmp/worktrees/fix');
  const opened = { how: 'opened', folder: top, top, branch: 'tollgate/fix', fresh: true };
  assert.equal(await opener(root, said)('fix'), opened);
  assert.is(readFileSync(path.join(top, 'sub/file'), 'utf8'), 'one\n');
  assert.equal(said, [
    `uncommitted changes of ${root} are not in the worktree; commit them first where the task needs them`,
  ]);
  writeFileSync(path.join(top, 'new'), '');
  assert.equal(await opener(root, said)('fix'), { ...opened, fresh: false });
  assert.is(said.length, 1);
  assert.equal(await closeWorktree({ top, branch: 'tollgate/fix' }, { root, environment, trust: 'untrusted' }), [
    `git -C ${top} add -A && git -C ${top} commit (its changes are not committed yet)`,
    `git -C ${root} merge tollgate/fix`,
    `git -C ${root} worktree remove ${top} (when it is merged)`,
  ]);
});

test('the commands to take its changes quote the paths for a shell', async ({ root }) => {
  commit(root);
  const odd = { top: '/none/$(touch it)', branch: 'tollgate/fix' };
  const lines = await closeWorktree(odd, { root, environment, trust: 'untrusted' });
  assert.is(lines.at(-1), `git -C ${root} worktree remove '/none/$(touch it)' (when it is merged)`);
});

test("a folder below the repository's root has its counterpart", async ({ root }) => {
  commit(root);
  const opened = await opener(root)('fix', path.join(root, 'sub'));
  assert.is(opened.how === 'opened' && opened.folder, path.join(root, '.tmp/worktrees/fix/sub'));
});

test('a branch that was merged is made of HEAD again', async ({ root }) => {
  commit(root);
  const opened = await opener(root)('fix');
  if (opened.how !== 'opened') return assert.unreachable();
  git(opened.top, 'commit', '-q', '--allow-empty', '-m', 'work');
  git(root, 'merge', '-q', 'tollgate/fix');
  git(root, 'worktree', 'remove', opened.top);
  writeFileSync(path.join(root, 'sub/file'), 'two\n');
  git(root, 'commit', '-qam', 'two');
  const said: string[] = [];
  assert.equal(await opener(root, said)('fix'), opened);
  assert.is(readFileSync(path.join(opened.top, 'sub/file'), 'utf8'), 'two\n');
  assert.is(git(opened.top, 'branch', '--show-current'), 'tollgate/fix\n');
  // Its folder was deleted without git.
  rmSync(opened.top, { recursive: true });
  git(root, 'commit', '-q', '--allow-empty', '-m', 'three');
  assert.equal(await opener(root, said)('fix'), opened);
  assert.is(git(opened.top, 'log', '-1', '--format=%s'), 'three\n');
  assert.equal(said, []);
});

test('a branch that git cannot move is not taken for one of HEAD', async ({ root }) => {
  commit(root);
  const opened = await opener(root)('fix');
  if (opened.how !== 'opened') return assert.unreachable();
  git(root, 'worktree', 'remove', opened.top);
  git(root, 'commit', '-q', '--allow-empty', '-m', 'two');
  writeFileSync(path.join(root, '.git/refs/heads/tollgate/fix.lock'), '');
  const refused = await opener(root)('fix');
  assert.match(refused.how === 'invalid' ? refused.message : '', /^git could not move branch tollgate\/fix to HEAD: /);
});

test('what is committed on the branch is continued when its folder was removed', async ({ root }) => {
  commit(root);
  const said: string[] = [];
  const opened = await opener(root)('fix');
  if (opened.how !== 'opened') return assert.unreachable();
  git(opened.top, 'commit', '-q', '--allow-empty', '-m', 'work');
  rmSync(opened.top, { recursive: true });
  assert.equal(await opener(root, said)('fix'), { ...opened, fresh: false });
  assert.equal(said, [
    `branch tollgate/fix has commits that are not merged, so the worktree continues them and lacks what is new in HEAD. Merge it (git merge tollgate/fix), or begin again without them: git worktree remove ${opened.top} && git branch -D tollgate/fix`,
  ]);
  assert.is(git(opened.top, 'log', '-1', '--format=%s'), 'work\n');
});

test('tasks open theirs at once', async ({ root }) => {
  commit(root);
  const open = opener(root);
  const ids = Array.from({ length: 8 }, (_, i) => `t${i}`);
  const opened = await Promise.all(ids.map((id) => open(id)));
  assert.equal(
    opened.map((one) => one.how === 'opened' && one.branch),
    ids.map((id) => `tollgate/${id}`),
  );
});

test('no program of the repository is started', async ({ root }) => {
  commit(root);
  const hook = path.join(root, '.git/hooks/post-checkout');
  mkdirSync(path.dirname(hook), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\ntouch ${root}/hooked\n`, { mode: 0o755 });
  assert.is((await opener(root)('fix')).how, 'opened');
  assert.not(existsSync(path.join(root, 'hooked')));
});

/**
 * A repository with a filter that leaves a mark and its environment, and converts `one` to `two`; and a file with changes,
 * of the same size, so that only its content tells.
 */
function commitFiltered(root: string, scope: '--local' | '--global'): string {
  commit(root);
  writeFileSync(path.join(root, '.gitattributes'), 'sub/* filter=a=b.C\n');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'two');
  const home = path.join(root, '.tmp/home');
  mkdirSync(home, { recursive: true });
  for (const [field, command] of [
    ['clean', 'sed s/two/one/'],
    ['smudge', 'sed s/one/two/'],
  ] as const)
    execFileSync(
      'git',
      ['config', scope, `filter.a=b.C.${field}`, `env >> '${path.join(root, '.tmp/marks')}'; ${command}`],
      { cwd: root, env: { PATH: process.env.PATH, HOME: home } },
    );
  git(root, 'config', 'filter.a=b.C.required', 'true');
  writeFileSync(path.join(root, 'sub/file'), 'six\n');
  return home;
}

test('a filter of the repository is run in a trusted workspace alone', async ({ root }) => {
  commitFiltered(root, '--local');
  const marks = path.join(root, '.tmp/marks');
  const said: string[] = [];
  const opened = await opener(root, said)('fix');
  assert.is(opened.how, 'opened');
  assert.equal(said, [
    `uncommitted changes of ${root} are not in the worktree; commit them first where the task needs them`,
    "the worktree holds files as they are stored: the repository's own filters (a=b.C) are run only in a trusted workspace; use --trust-workspace where the task needs them",
  ]);
  const file = (id: string) => path.join(root, '.tmp/worktrees', id, 'sub/file');
  writeFileSync(file('fix'), 'six\n');
  const own = { top: path.join(root, '.tmp/worktrees/fix'), branch: 'tollgate/fix' };
  assert.is((await closeWorktree(own, { root, environment, trust: 'untrusted' })).length, 3);
  assert.not(existsSync(marks));
  assert.is(readFileSync(file('fix'), 'utf8'), 'six\n');
  const secret = { ...environment, API_TOKEN: 'hunter2' };
  assert.is((await opener(root, said, 'trusted', secret)('other')).how, 'opened');
  assert.is(readFileSync(file('other'), 'utf8'), 'two\n');
  assert.match(readFileSync(marks, 'utf8'), /^PATH=/m);
  assert.not.match(readFileSync(marks, 'utf8'), /hunter2|GIT_AUTHOR/);
});

test("a filter of the user's own is run", async ({ root }) => {
  const HOME = commitFiltered(root, '--global');
  assert.is((await opener(root, [], 'untrusted', { ...environment, HOME })('fix')).how, 'opened');
  assert.is(readFileSync(path.join(root, '.tmp/worktrees/fix/sub/file'), 'utf8'), 'two\n');
});

test('no filter of a submodule is run', async ({ root }) => {
  commit(root);
  const inner = path.join(root, 'inner');
  mkdirSync(inner);
  commit(inner);
  git(root, 'add', 'inner');
  git(root, 'commit', '-qm', 'with a submodule');
  git(inner, 'config', 'filter.x.clean', `touch '${root}/.tmp/marks'; cat`);
  writeFileSync(path.join(inner, '.git/info/attributes'), '* filter=x\n');
  writeFileSync(path.join(inner, 'sub/file'), 'six\n');
  mkdirSync(path.join(root, '.tmp'));
  const said: string[] = [];
  for (const _ of ['made', 'continued']) assert.is((await opener(root, said)('fix')).how, 'opened');
  assert.equal(said, [
    `submodules are empty in the worktree: inner. Where the task needs them, stop it, and run git -C ${root}/.tmp/worktrees/fix submodule update --init`,
  ]);
  assert.not(existsSync(path.join(root, '.tmp/marks')));
});

test('an id that git would not take has a branch all the same', async ({ root }) => {
  commit(root);
  for (const [id, branch] of [
    ['a..b', /^tollgate\/a-b-[0-9a-f]{8}$/],
    ['a.lock', /^tollgate\/a-lock-[0-9a-f]{8}$/],
  ] as const) {
    const opened = await opener(root)(id);
    assert.match(opened.how === 'opened' ? opened.branch : opened.how, branch);
  }
});

const MISTAKES: [title: string, prepare: (root: string, top: string) => unknown, message: (top: string) => string][] = [
  [
    'no repository',
    () => {},
    (top) =>
      `${root(top)} is in no git repository (${refusalIn(root(top))}); run git init and commit there, or leave worktree out`,
  ],
  [
    'no commit',
    (at) => git(at, 'init', '-q'),
    (top) =>
      `the repository of ${root(top)} has no commit yet, so there is nothing to make a worktree of; commit first`,
  ],
  [
    'the branch is checked out elsewhere',
    (at) => {
      commit(at);
      git(at, 'switch', '-q', '-c', 'tollgate/fix');
    },
    (top) =>
      `branch tollgate/fix is checked out in ${root(top)}; git worktree remove it, or switch it to another branch`,
  ],
  [
    'another branch is checked out in it',
    (at, top) => {
      commit(at);
      git(at, 'worktree', 'add', '-q', '-b', 'other', top);
    },
    (top) =>
      `the worktree ${top} is on other, not on tollgate/fix; git -C ${top} switch tollgate/fix, or git worktree remove ${top} to make it again`,
  ],
  [
    'a folder in its place',
    (at, top) => {
      commit(at);
      mkdirSync(path.join(top, 'x'), { recursive: true });
    },
    (top) => `${top} is in the way: it is not a worktree of this repository; move it elsewhere`,
  ],
];

/** It depends on where the disk of the folder ends; a hint may stand below it. */
const refusalIn = (cwd: string) =>
  /^fatal: not a git repository .*$/m.exec(
    spawnSync('git', ['rev-parse'], { cwd, env: environment, encoding: 'utf8' }).stderr,
  )![0];

const root = (top: string) => path.resolve(top, '../../..');

for (const [title, prepare, message] of MISTAKES)
  test(`a mistake: ${title}`, async (context) => {
    const top = path.join(context.root, '.tmp/worktrees/fix');
    prepare(context.root, top);
    assert.equal(await opener(context.root)('fix'), { how: 'invalid', message: message(top) });
  });

test.run();
