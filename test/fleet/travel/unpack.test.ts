// A worker's tree is the submitter's: commit, uncommitted changes, inputs; a hostile bundle writes nothing.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashOf } from '../../../fleet/travel/bundle.ts';
import { ANY_ANSWER } from '../../rig/task-run.ts';
import { contentOf, entry, forged, put, refusalOf, Travelling } from '../../rig/travelling.ts';

const test = suite<{ travelling: Travelling }>('a task is unpacked');
test.before.each(async (context) => {
  context.travelling = await Travelling.open();
});
test.after.each(({ travelling }) => travelling.rig.dispose());

const git = ({ rig }: Travelling, cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, env: rig.env, encoding: 'utf8' }).trim();

/** What a worker has in its folders; mirrors are no concern of a task. */
const trees = ({ work }: Travelling): string[] =>
  existsSync(path.join(work, 'tasks')) ? readdirSync(path.join(work, 'tasks')) : [];

test('the tree, the inputs and the uncommitted changes are there, and git shows what it shows at home', async ({
  travelling,
}) => {
  const { rig } = travelling;
  rig.write('gone.txt', 'gone\n');
  rig.write('tool.sh', '#!/bin/sh\n');
  travelling.commit('second');
  travelling.git('push', '-q');
  const program = rig.write('built/mine', '#!/bin/sh\n');
  execFileSync('chmod', ['+x', program]);
  rig.write('tollgate.yaml', 'tools: {unpacked: {binary: built/mine}}\n');
  rig.write('code.txt', 'two\r\n');
  rig.write('name with space é.bin', Buffer.from([0, 255, 10, 13]));
  execFileSync('rm', [path.join(rig.project, 'gone.txt')]);
  execFileSync('chmod', ['+x', path.join(rig.project, 'tool.sh')]);
  rig.write('.tmp/task/fix/inputs/attachments/a.txt', 'attached');
  const { packed } = await travelling.pack({ changes: 'patch', trustWorkspace: true });
  const { folder, manifestFile, worktree } = await travelling.unpack(packed);
  assert.is(git(travelling, worktree, 'rev-parse', 'HEAD'), packed.commit);
  assert.is(
    git(travelling, worktree, 'status', '--porcelain'),
    travelling.git('status', '--porcelain').replace('?? tollgate.yaml', '?? tollgate.yaml'),
  );
  for (const name of ['code.txt', 'name with space é.bin', 'tollgate.yaml', 'built/mine'])
    assert.ok(readFileSync(path.join(worktree, name)).equals(readFileSync(path.join(rig.project, name))), name);
  assert.is(execFileSync(path.join(worktree, 'built/mine')).length, 0);
  assert.is(readFileSync(path.join(folder, 'inputs/attachments/a.txt'), 'utf8'), 'attached');
  assert.ok(readFileSync(manifestFile).equals(readFileSync(path.join(travelling.folder, 'manifest.json'))));
});

test('a task beside the state, in the tree, comes to its own place', async ({ travelling }) => {
  const { rig } = travelling;
  rig.write(
    'ci/look/manifest.json',
    JSON.stringify({ task_id: 'look', goal: 'Look.', stages: [{ tool: 'gemini', role: 'review', ...ANY_ANSWER }] }),
  );
  travelling.commit('task');
  travelling.git('push', '-q');
  const { packed } = await travelling.pack({ word: './ci/look' });
  const { folder, worktree } = await travelling.unpack(packed);
  assert.is(path.relative(worktree, folder), 'ci/look');
});

test('the references of the manifest are there', async ({ travelling }) => {
  travelling.git('branch', 'base');
  travelling.git('tag', '-a', 'v1', '-m', 'v1');
  travelling.rig.write('code.txt', 'two\n');
  travelling.commit('second');
  travelling.git('push', '-q', 'origin', 'main', 'base', 'v1');
  const stage = (id: string, base: string) => ({ tool: 'gemini', role: 'review', id, diff: { base }, ...ANY_ANSWER });
  travelling.manifest({
    stages: [stage('a', 'base'), stage('b', 'origin/main~1'), stage('c', 'v1'), stage('d', 'HEAD~1')],
  });
  const { worktree } = await travelling.unpack((await travelling.pack()).packed);
  for (const base of ['base', 'origin/main~1', 'v1^{commit}', 'HEAD~1'])
    assert.is(git(travelling, worktree, 'rev-parse', base), travelling.git('rev-parse', base), base);
});

test('a task that was unpacked before is kept with its journal, and another one gets its own repository', async ({
  travelling,
}) => {
  const { packed } = await travelling.pack();
  const first = await travelling.unpack(packed);
  put(path.join(first.folder, 'state/journal.jsonl'), 'paid\n');
  assert.equal(await travelling.unpack(packed), first);
  assert.is(readFileSync(path.join(first.folder, 'state/journal.jsonl'), 'utf8'), 'paid\n');
  travelling.rig.write('.tmp/task/fix/inputs/more.md', 'more');
  const second = await travelling.unpack((await travelling.pack()).packed);
  assert.is.not(second.worktree, first.worktree);
  git(travelling, first.worktree, 'config', 'core.fsmonitor', 'evil');
  assert.not.match(git(travelling, second.worktree, 'config', '--list'), 'evil');
  assert.is(readdirSync(path.join(travelling.work, 'mirrors')).length, 1);
});

test('a record from here continues there', async ({ travelling }) => {
  put(path.join(travelling.folder, 'state/journal.jsonl'), '');
  put(path.join(travelling.folder, 'state/attempts/x/prompt'), 'of this machine');
  put(path.join(travelling.folder, 'outputs/do.gemini.out'), 'an answer');
  const { folder } = await travelling.unpack((await travelling.pack()).packed);
  assert.equal(readdirSync(path.join(folder, 'state')), ['journal.jsonl']);
  assert.is(readFileSync(path.join(folder, 'outputs/do.gemini.out'), 'utf8'), 'an answer');
});

test('a bundle with a hostile or damaged file is refused, and nothing of it is written', async ({ travelling }) => {
  const { packed } = await travelling.pack();
  const rows = [
    ['an absolute path', { '/tmp/x': entry('x') }, /is an absolute path/],
    ['a way out', { 'a/../../../x': entry('x') }, /leads out of its folder/],
    ["git's own folder", { 'a/.GIT/config': entry('x') }, /is in git's own folder/],
    ['a control character', { 'a\nb': entry('x') }, /has a control character/],
    ['no bytes', { a: [1, 0] }, /is damaged/],
    ['a second manifest', { 'manifest.yaml': entry('x') }, /has two manifests/],
    ['another manifest', { 'manifest.json': entry('{}') }, /is not the one that was submitted/],
  ] as const;
  for (const [what, change, message] of rows) {
    const hostile = forged(packed, (content) => Object.assign(content.task, change));
    assert.match(await refusalOf(travelling.unpack(hostile)), message, what);
  }
  assert.equal(trees(travelling), []);
});

test('a bundle that writes through a link of the checkout is refused', async ({ travelling }) => {
  const { rig } = travelling;
  mkdirSync(path.join(rig.root, 'elsewhere'));
  symlinkSync(path.join(rig.root, 'elsewhere'), path.join(rig.project, 'link'));
  travelling.commit('link');
  travelling.git('push', '-q');
  const { packed } = await travelling.pack();
  const hostile = forged(packed, ({ tree }) => Object.assign(tree, { 'link/x': entry('x') }));
  assert.match(await refusalOf(travelling.unpack(hostile)), /through .*link, which is a symbolic link/);
  const moved = forged({ ...packed, folder: 'link/fix' }, () => {});
  assert.match(await refusalOf(travelling.unpack(moved)), /symbolic link/);
  assert.equal([readdirSync(path.join(rig.root, 'elsewhere')), trees(travelling)], [[], []]);
});

test('a patch that leaves the tree, or does not apply, is refused', async ({ travelling }) => {
  const { packed } = await travelling.pack();
  const patched = (name: string) =>
    forged(packed, (content) => {
      const text = `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+x\n`;
      content.patch = Buffer.from(text).toString('base64');
    });
  for (const name of ['../../escaped.txt', '.git/hooks/x', 'code.txt'])
    assert.match(await refusalOf(travelling.unpack(patched(name))), /cannot be applied to its commit/, name);
  assert.equal(trees(travelling), []);
});

test('a bundle that is cut, changed, newer, or too large after unpacking is refused', async ({ travelling }) => {
  const { packed } = await travelling.pack();
  const { bundle } = packed;
  assert.ok(Buffer.isBuffer(bundle));
  const withBytes = (bytes: Buffer) => ({ ...packed, bundle: bytes, bundleHash: hashOf(bytes) });
  assert.match(await refusalOf(travelling.unpack({ ...packed, bundle: bundle.subarray(1) })), /its hash differs/);
  assert.match(await refusalOf(travelling.unpack(withBytes(bundle.subarray(0, -9)))), /is damaged/);
  assert.match(await refusalOf(travelling.unpack(withBytes(gzipSync('null')))), /is damaged/);
  assert.match(
    await refusalOf(travelling.unpack(withBytes(gzipSync(Buffer.alloc(100 * 1024 ** 2, 32))))),
    /is larger than 64\.0 MB/,
  );
  assert.match(
    await refusalOf(travelling.unpack(forged(packed, (content) => Object.assign(content, { version: 2 })))),
    /has version 2/,
  );
  assert.match(await refusalOf(travelling.unpack({ ...packed, version: 2 as 1 })), /by a newer tollgate/);
});

test('a hostile job is refused before git sees it', async ({ travelling }) => {
  const { packed } = await travelling.pack();
  const hostile = [
    { remote: '--upload-pack=touch /tmp/x' },
    { remote: 'ext::sh -c true' },
    { commit: '--output=/tmp/x' },
    { refs: { 'refs/heads/../../config': packed.commit } },
    { refs: { '--stdin': packed.commit } },
    { task: '../fix' },
    { folder: '../fix' },
    { folder: '/tmp/fix' },
    { folder: '.git/fix' },
  ];
  for (const part of hostile) await refusalOf(travelling.unpack({ ...packed, ...part }));
  assert.equal([trees(travelling), existsSync(path.join(travelling.work, 'mirrors'))], [[], false]);
});

test('a commit or a remote that cannot be fetched is refused with the words of git', async ({ travelling }) => {
  const { packed } = await travelling.pack();
  const lost = await refusalOf(travelling.unpack({ ...packed, commit: '1'.repeat(40) }));
  assert.match(lost, /commit 111111111111 cannot be fetched from .*remote\.git \(fatal: .*push it/);
  const gone = await refusalOf(travelling.unpack({ ...packed, remote: `${travelling.remote}.gone` }));
  assert.match(gone, /cannot be fetched .*does not appear to be a git repository/);
  assert.equal(trees(travelling), []);
});

test('a remote that gives only what its branches name gives the commit too', async ({ travelling }) => {
  const { packed } = await travelling.pack();
  travelling.rig.write('code.txt', 'two\n');
  travelling.commit('second');
  travelling.git('push', '-q');
  writeFileSync(path.join(travelling.rig.home, '.gitconfig'), '[protocol]\n\tversion = 0\n');
  const { worktree } = await travelling.unpack({ ...packed, remote: `file://${travelling.remote}` });
  assert.is(readFileSync(path.join(worktree, 'code.txt'), 'utf8'), 'one\n');
});

test('inputs in a shared folder that this machine lacks are refused by name', async ({ travelling }) => {
  const shared = path.join(travelling.rig.root, 'shared');
  const { packed } = await travelling.pack({ shared });
  assert.equal(Object.keys(contentOf(packed).task), ['manifest.json']);
  const elsewhere = { ...packed, bundle: { shared: path.join(shared, 'gone') } };
  assert.match(
    await refusalOf(travelling.unpack(elsewhere)),
    /does not exist on this machine; mount the folder at the same path/,
  );
  writeFileSync((packed.bundle as { shared: string }).shared, 'changed');
  assert.match(await refusalOf(travelling.unpack(packed)), /its hash differs/);
});

test.run();
