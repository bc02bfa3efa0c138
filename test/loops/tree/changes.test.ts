// What counts as a change of the tree, in a repository and in a plain folder: each by a line of shell, as an agent would.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lineOf, TestTree } from '../../rig/tree.ts';

const test = suite<{ tree: TestTree }>('changes of the tree');
test.before.each((context) => {
  context.tree = new TestTree({
    'src/a.ts': 'a\n',
    'src/b.ts': 'bb\n',
    'tool.sh': '#!/bin/sh\n',
    'other/empty': '',
    '.tmp/task/x/manifest.yaml': '',
  });
  context.tree.shell('ln -s src/a.ts link; mkdir hollow');
});
test.after.each(({ tree }) => tree.remove());

/** Not one of them is committed, and nothing is ignored. */
const EVERYWHERE: [what: string, line: string, changes: string[]][] = [
  ['nothing', 'true', []],
  ['a read', 'cat src/a.ts', []],
  ['an added file', 'echo n > src/new.ts', ['added src/new.ts']],
  ['an edit', 'echo more >> src/a.ts', ['modified src/a.ts']],
  ['an edit of the same size', 'echo b > src/a.ts', ['modified src/a.ts']],
  [
    'an edit of the same size, with the mtime put back',
    'touch -r src/a.ts stamp; echo b > src/a.ts; touch -r stamp src/a.ts; rm stamp',
    ['modified src/a.ts'],
  ],
  ['an mtime of the year 2001', 'echo b > src/a.ts; touch -d 2001-01-01 src/a.ts', ['modified src/a.ts']],
  ['an edit in place by sed', 'sed -i s/a/b/ src/a.ts', ['modified src/a.ts']],
  ['a touch', 'touch src/a.ts', []],
  ['the same content written again', 'echo a > src/a.ts', []],
  ['the same content in a new file', 'cp src/a.ts x; mv x src/a.ts', []],
  ['there and back', 'echo b > src/a.ts; echo a > src/a.ts', []],
  ['a deleted file', 'rm src/b.ts', ['deleted src/b.ts']],
  ['a deleted folder', 'rm -r src', ['deleted src/a.ts', 'deleted src/b.ts']],
  ['a mode', 'chmod 755 tool.sh', ['mode tool.sh']],
  ['a mode and an edit', 'chmod 755 tool.sh; echo x > tool.sh', ['modified tool.sh']],
  ['a setuid bit', 'chmod u+s tool.sh', ['mode tool.sh']],
  ['a rename', 'mv src/a.ts lib.ts', ['renamed src/a.ts -> lib.ts']],
  ['a rename with a mode', 'mv tool.sh t; chmod 700 t', ['renamed tool.sh -> t']],
  ['a rename by copy', 'cp src/b.ts x.ts; rm src/b.ts', ['renamed src/b.ts -> x.ts']],
  ['a rename and an edit', 'mv src/b.ts x.ts; echo 1 >> x.ts', ['deleted src/b.ts', 'added x.ts']],
  ['a renamed folder', 'mv src lib', ['renamed src/a.ts -> lib/a.ts', 'renamed src/b.ts -> lib/b.ts']],
  ['a copy', 'cp src/a.ts x.ts', ['added x.ts']],
  ['one deleted, another made', 'rm other/empty; echo e > e', ['added e', 'deleted other/empty']],
  ['a swap', 'mv src/a.ts x; mv src/b.ts src/a.ts; mv x src/b.ts', ['modified src/a.ts', 'modified src/b.ts']],
  ['a symlink retargeted', 'ln -sfn src/b.ts link', ['modified link']],
  ['a symlink made anew', 'rm link; ln -s src/a.ts link', []],
  ['a file made a symlink', 'rm tool.sh; ln -s src/a.ts tool.sh', ['type tool.sh']],
  ['a symlink made a file', 'rm link; cp src/a.ts link', ['type link']],
  ['an edit through a symlink', 'echo b > link', ['modified src/a.ts']],
  [
    'a folder made a symlink',
    'mv src lib; ln -s lib src',
    ['renamed src/a.ts -> lib/a.ts', 'renamed src/b.ts -> lib/b.ts', 'added src'],
  ],
  ['a symlink to a folder that leads out', 'ln -s / root', ['added root']],
  ['a loop of symlinks', 'ln -s loop loop', ['added loop']],
  ['an empty folder', 'mkdir -p new/er', []],
  ['a removed empty folder', 'rmdir hollow', []],
  ['a pipe', 'mkfifo pipe', ['added pipe']],
  ['a file made a pipe', 'rm tool.sh; mkfifo tool.sh', ['type tool.sh']],
  ['a name with a line break', 'echo x > "$(printf "a\\nb")"', ['added a\nb']],
  ['a name with a colon and a star', 'echo x > ":(glob)*"', ['added :(glob)*']],
  ['the state folder', 'echo x > .tmp/task/x/manifest.yaml; echo x > .tmp/y', []],
  ['an own repository', 'git init -q src', ['added src']],
];

/** Of a linked worktree only git's own files are in another place. */
const LINKED = ['an added file', 'an edit', 'a mode', 'a rename', 'a symlink retargeted', 'an own repository'];
for (const where of ['plain', 'git', 'linked worktree'] as const)
  for (const [what, line, changes] of EVERYWHERE.filter(
    ([each]) => where !== 'linked worktree' || LINKED.includes(each),
  ))
    test(`${where}: ${what}`, async ({ tree }) => {
      if (where === 'git') tree.commitAll();
      if (where === 'linked worktree') tree.shell(LINK);
      assert.equal((await tree.changesBy(line)).map(lineOf), changes);
    });

/** Makes the tree a linked worktree of a repository beside it. */
const LINK = `git init -q ../main && cd ../main && git commit -q --allow-empty -m empty && git worktree add -q ../linked
  mv ../linked/.git ../project/.git && git worktree repair ../project && git -C ../project status -s`;

test("linked worktree: git's own files lie in the main repository", async ({ tree }) => {
  tree.shell(LINK);
  assert.equal(
    (await tree.changesBy('git config user.name x; mkdir -p ../main/.git/hooks; touch ../main/.git/hooks/x')).map(
      lineOf,
    ),
    ['modified .git/config', 'added .git/hooks/x'],
  );
});

const IN_GIT: [what: string, line: string, changes: string[]][] = [
  ['a commit', 'echo b > src/a.ts; git commit -qam b', ['modified src/a.ts']],
  ['a commit of nothing', 'git commit -q --allow-empty -m b; git gc -q', []],
  ['a stash there and back', 'echo b > src/a.ts; git stash -q; git stash pop -q', ['modified src/a.ts']],
  ['another branch and back', 'git checkout -qb b; git rm -q src/b.ts; git commit -qm b; git checkout -q -', []],
  ['a setting', 'git config user.name x', ['modified .git/config']],
  ['a hook', 'echo x > .git/hooks/pre-commit', ['added .git/hooks/pre-commit']],
  ['a hook by a new folder', 'rm -r .git/hooks; ln -s /tmp .git/hooks', ['added .git/hooks']],
  ['an attribute', 'echo x > .git/info/attributes', ['added .git/info/attributes']],
];
for (const [what, line, changes] of IN_GIT)
  test(`git: ${what}`, async ({ tree }) => {
    tree.commitAll();
    const found = (await tree.changesBy(line)).map(lineOf);
    const sample = (row: string) => row.startsWith('deleted .git/hooks/') && row.endsWith('.sample');
    assert.equal(
      found.filter((row) => !sample(row)),
      changes,
    );
  });

test('a submodule and a repository in the tree: their commits count, and their files', async ({ tree }) => {
  tree.shell(`git init -q ../library && cd ../library && git commit -q --allow-empty -m one
    echo x > x && git add x && git commit -qm two && cd ../project && git init -q .
    git submodule --quiet add ../library sub && git clone -q ../library clone && git add src sub && git commit -qm all`);
  const move = (name: string) => tree.changesBy(`git -C ${name} checkout -q HEAD~1`);
  assert.equal((await move('sub')).map(lineOf), ['commit sub', 'deleted sub/x']);
  assert.equal((await move('clone')).map(lineOf), ['commit clone', 'deleted clone/x']);
  assert.equal((await tree.changesBy('git -C sub commit -q --allow-empty -m three; git -C sub gc -q')).map(lineOf), [
    'commit sub',
  ]);
  assert.equal((await tree.changesBy('git -C sub pack-refs --all; touch sub/y')).map(lineOf), ['added sub/y']);
});

const SAME = Array.from({ length: 900 }, (_, i) => `old/${100 + i}`);
for (const [what, line, lost] of [
  ['moved', 'mv old new', 0],
  ['copied, and the old ones deleted', 'cp -r old new; rm -r old', 0],
  ['moved in part', 'mv old new; rm new/8* new/9*', 200],
] as const)
  test(`900 files of one content are ${what}: each comes from one of them, and none from two`, async ({ tree }) => {
    for (const name of SAME) tree.write(name, 'same\n');
    const changes = await tree.changesBy(line);
    const renamed = changes.flatMap(({ how, from }) => (how === 'renamed' ? [from!] : []));
    const deleted = changes.flatMap(({ how, path }) => (how === 'deleted' ? [path] : []));
    assert.is(renamed.length + deleted.length, changes.length);
    assert.equal([...renamed, ...deleted].sort(), SAME);
    assert.is(deleted.length, lost);
  });

test('names that are no UTF-8 are told apart', async ({ tree }) => {
  const make = (text: string, byte: string) => `printf ${text} > "$(printf 'n\\${byte}')"`;
  tree.shell(
    `${make('one', '377')}; ${make('two', '376')}; ${make('three', '357\\277\\275')}; mkdir "$(printf 'd\\377')"`,
  );
  assert.equal((await tree.changesBy('true')).map(lineOf), []);
  const line = `${make('ONE', '377')}; ${make('THREE', '357\\277\\275')}; printf x > "$(printf 'd\\377/\\376')"`;
  assert.equal((await tree.changesBy(line)).map(lineOf), [
    'added d\ufffdff./\ufffdfe.',
    'modified n\ufffdefbfbd.',
    'modified n\ufffdff.',
  ]);
});

test('the tree need not be there, nor be a folder', async ({ tree }) => {
  assert.is((await tree.snapshot({ root: tree.at('none') })).entries.size, 0);
  assert.is((await tree.snapshot({ root: tree.at('tool.sh') })).entries.size, 0);
});

test('the state folder may lie elsewhere, and more than one folder apart', async ({ tree }) => {
  const options = { apart: ['/nowhere/.tmp', tree.at('.tmp'), tree.at('src')] };
  assert.equal((await tree.changesBy('echo x > src/a.ts; echo x > y', options)).map(lineOf), ['added y']);
});

test.run();
