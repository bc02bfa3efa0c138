// What git ignores is left out, unless the stage has written to what decides; and nothing of git's is run.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { widened } from '../../../loops/tree/snapshot.ts';
import { lineOf, TestTree } from '../../rig/tree.ts';

const test = suite<{ tree: TestTree }>('ignored changes');
test.before.each((context) => {
  context.tree = new TestTree({
    '.gitignore': '*.log\nbuild/\nforced/\nlocal\n/src/*\n!/src/*.ts\n',
    'src/a.ts': 'a\n',
    'deep/.gitignore': '*.tmp\n',
    'deep/x': 'x\n',
    'old.log': '1\n',
    'forced/kept': '1\n',
    'forced/not': '1\n',
    'build/out': '1\n',
    'logs/only.log': '1\n',
  });
  context.tree.shell('git init -q . && git add -A && git add -f forced/kept && git commit -qm all');
});
test.after.each(({ tree }) => tree.remove());

const ROWS: [what: string, line: string, left: string[], all: string[]][] = [
  ['an ignored file is added', 'echo x > new.log', [], ['added new.log']],
  ['an ignored file is edited', 'echo 2 > old.log', [], ['modified old.log']],
  ['an ignored file is deleted', 'rm old.log', [], ['deleted old.log']],
  ['an ignored folder goes', 'rm -r build', [], ['deleted build/out']],
  ['an ignored folder comes', 'mkdir src/x; echo x > src/x/y', [], ['added src/x/y']],
  ['by a nested pattern', 'echo x > deep/er.tmp', [], ['added deep/er.tmp']],
  ['a file beside it', 'echo x > logs/new', ['added logs/new'], ['added logs/new']],
  ['a tracked file in an ignored folder', 'echo 2 > forced/kept', ['modified forced/kept'], ['modified forced/kept']],
  [
    'a tracked file is committed',
    'echo 2 > forced/kept; git commit -qam 2',
    ['modified forced/kept'],
    ['modified forced/kept'],
  ],
  [
    'a tracked file is taken out of the index',
    'echo 2 > forced/kept; git rm -q --cached forced/kept; git commit -qm 2',
    ['modified forced/kept'],
    ['modified forced/kept'],
  ],
  ['an ignored file is moved to where it is not', 'mv old.log deep/y', ['added deep/y'], ['renamed old.log -> deep/y']],
  ['a file is moved to where it is ignored', 'mv deep/x x.log', ['deleted deep/x'], ['renamed deep/x -> x.log']],
  [
    'a .gitignore that hides',
    'echo "*" > .gitignore; echo x > evil; echo 2 > old.log',
    ['modified .gitignore', 'added evil', 'modified old.log'],
    ['modified .gitignore', 'added evil', 'modified old.log'],
  ],
  [
    'a .gitignore that hides itself',
    'mkdir n; echo "*" > n/.gitignore; echo x > n/evil',
    ['added n/.gitignore', 'added n/evil'],
    ['added n/.gitignore', 'added n/evil'],
  ],
  [
    'a .gitignore that an old pattern hides',
    'echo x > src/.gitignore; echo x > src/x',
    ['added src/.gitignore', 'added src/x'],
    ['added src/.gitignore', 'added src/x'],
  ],
  [
    'a .gitignore that git does not read',
    'echo x > build/.gitignore; echo 2 > old.log',
    [],
    ['added build/.gitignore', 'modified old.log'],
  ],
  [
    'info/exclude',
    'echo evil > .git/info/exclude; echo x > evil',
    ['modified .git/info/exclude', 'added evil'],
    ['modified .git/info/exclude', 'added evil'],
  ],
  [
    'a setting',
    'git config core.excludesFile evil; echo evil > evil',
    ['modified .git/config', 'added evil'],
    ['modified .git/config', 'added evil'],
  ],
  [
    'an own repository that hides',
    'git init -q deep; echo "*" > deep/.git/info/exclude; echo x > deep/evil',
    ['added deep', 'added deep/evil'],
    ['added deep', 'added deep/evil'],
  ],
  [
    'a repository in an ignored folder',
    'git init -q build/r; echo x > build/r/x',
    [],
    ['added build/r', 'added build/r/x'],
  ],
  [
    'a symlink in the place of a folder',
    'mv build b; ln -s b build; echo 2 > old.log',
    ['renamed build/out -> b/out', 'added build'],
    ['renamed build/out -> b/out', 'added build', 'modified old.log'],
  ],
  [
    'magic names',
    'echo x > ":(top)x.log"; echo x > "-z.log"; echo x > "a b.log"',
    [],
    ['added -z.log', 'added :(top)x.log', 'added a b.log'],
  ],
  ['the repository is removed', 'rm -rf .git; echo 2 > old.log', ['modified old.log'], ['modified old.log']],
];
for (const [what, line, left, all] of ROWS)
  test(what, async ({ tree }) => {
    tree.shell('rm -f .git/hooks/*');
    const both = await Promise.all([tree.snapshot(), tree.snapshot({ ignored: 'looked_at' })]);
    tree.shell(line);
    const [found, foundAll] = await Promise.all(both.map((before) => tree.changesSince(before)));
    const own = /^deleted \.git\//;
    assert.equal(
      [found, foundAll].map((changes) => changes!.map(lineOf).filter((row) => !own.test(row))),
      [left, all],
    );
  });

const KEPT_OUT = { deny: ['*.log', 'build/out', 'café'], forbidden: ['.env', '*.pem'] };
const WATCHED: [what: string, line: string, found: string[]][] = [
  ['a denied one is edited', 'echo 2 > old.log', ['modified old.log']],
  ['a denied one is added', 'echo x > new.log', ['added new.log']],
  ['a denied one is deleted', 'rm old.log', ['deleted old.log']],
  ['a denied one is moved to where nothing is said', 'mv old.log src/x', ['deleted old.log']],
  ['one in an ignored folder', 'echo 2 > build/out; echo x > build/other', ['modified build/out']],
  ['a forbidden one at any depth', 'mkdir build/a; echo x > build/a/.env; echo x > build/a/x', ['added build/a/.env']],
  ['a forbidden one by its ending', 'echo x > build/key.pem', ['added build/key.pem']],
  ['its folder goes', 'mv build local', ['deleted build/out']],
  ['another spelling of its name', 'printf x > "$(printf "src/cafe\\314\\201")"; cp -r src build/', []],
  ['another spelling at the root', 'printf x > "$(printf "cafe\\314\\201")"', ['added cafe\u0301']],
];
for (const [what, line, found] of WATCHED)
  test(`ignored and kept out: ${what}`, async ({ tree }) => {
    assert.equal((await tree.changesBy(line, { keptOut: KEPT_OUT })).map(lineOf), found);
  });

test('patterns of a nested repository hold in it, and those above do not', async ({ tree }) => {
  tree.shell(`git init -q deep/repo && cd deep/repo && echo "*.o" > .gitignore && echo x > a.log && git add -A
    git commit -qm all`);
  assert.equal((await tree.changesBy('cd deep/repo; echo x > a.o; echo y > a.log; echo z > b')).map(lineOf), [
    'modified deep/repo/a.log',
    'added deep/repo/b',
  ]);
});

test('a folder within a repository: patterns above it count, and hide nothing once they are written to', async ({
  tree,
}) => {
  const within = { root: tree.at('deep') };
  assert.equal(
    (await tree.changesBy('echo x > deep/a.log; echo x > deep/a.tmp; echo x > deep/b', within)).map(lineOf),
    ['added b'],
  );
  assert.equal(
    (await tree.changesBy('echo "*" > .gitignore; echo x > deep/c; echo y > deep/a.log', within)).map(lineOf),
    ['modified a.log', 'added c'],
  );
});

test('nothing that the repository names is run', async ({ tree }) => {
  tree.write('trap.sh', '#!/bin/sh\ntouch "$(dirname "$0")/sprung"\n');
  tree.shell('chmod +x trap.sh; git config core.fsmonitor "$PWD/trap.sh"; git config core.hooksPath "$PWD"');
  tree.shell('cp trap.sh post-index-change');
  assert.equal((await tree.changesBy('echo x > new.log; echo x > y')).map(lineOf), ['added y']);
});

test('in a large tree ignored folders are not walked, and what is merely ignored so far is', async ({ tree }) => {
  tree.shell('i=0; while [ $i -lt 21 ]; do mkdir -p build/$i; (cd build/$i; seq 1000 | xargs touch); i=$((i+1)); done');
  const before = await tree.snapshot();
  assert.equal(before.pruned, ['build']);
  assert.equal([before.entries.has('build/3/5'), before.entries.has('logs/only.log')], [false, true]);
  tree.shell('echo x > build/3/5; echo x > logs/new; echo x > src/b.ts; echo > .gitignore');
  const after = await tree.snapshot({ before });
  assert.equal(after.pruned, ['build']);
  assert.equal((await tree.changesSince(before)).map(lineOf), [
    'modified .gitignore',
    'added logs/new',
    'added src/b.ts',
  ]);
  assert.equal((await tree.snapshot({ earlier: before })).pruned, []);
  assert.equal((await tree.snapshot({ ignored: 'looked_at' })).pruned, []);
});

test('in a large tree an ignored folder is looked at for what is kept out of it alone', async ({ tree }) => {
  tree.shell('i=0; while [ $i -lt 21 ]; do mkdir -p build/$i; (cd build/$i; seq 1000 | xargs touch); i=$((i+1)); done');
  tree.shell('echo secret > build/3/.env');
  const keptOut = { deny: ['src/**'], forbidden: ['.env'] };
  const before = await tree.snapshot({ keptOut });
  const below = (entries: ReadonlyMap<string, unknown>) => [...entries.keys()].filter((at) => at.startsWith('build/'));
  assert.equal([before.pruned, below(before.entries)], [['build'], ['build/3/.env']]);
  tree.shell('echo x > build/3/5; echo open > build/3/.env; mkdir -p build/new/er; echo x > build/new/er/.env');
  assert.equal((await tree.changesSince(before, { keptOut })).map(lineOf), [
    'modified build/3/.env',
    'added build/new/er/.env',
  ]);
  // A person who names more since a run that was killed says nothing of what is there already.
  const more = { deny: ['build/4/**'], forbidden: ['.env'] };
  const since = widened(before, await tree.snapshot({ before, keptOut: more }));
  tree.shell('echo x > build/4/5');
  assert.equal((await tree.changesSince(since, { keptOut: more })).map(lineOf), [
    'modified build/3/.env',
    'modified build/4/5',
    'added build/new/er/.env',
  ]);
});

test('without git nothing is ignored', async ({ tree }) => {
  const { PATH } = process.env;
  try {
    process.env.PATH = '/nowhere';
    const before = await tree.snapshot();
    tree.write('new.log', 'x');
    assert.equal((await tree.changesSince(before)).map(lineOf), ['added new.log']);
  } finally {
    process.env.PATH = PATH;
  }
});

test.run();
