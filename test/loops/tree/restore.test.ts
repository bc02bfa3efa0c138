// What is put back after a stage: each kind of change, from copies that were made before it, with nothing lost.

import { existsSync, lstatSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changesBetween } from '../../../loops/tree/changes.ts';
import { type Copies, type KeptCopies, keepCopies, loadCopies } from '../../../loops/tree/copies.ts';
import { restore } from '../../../loops/tree/restore.ts';
import type { TreeSnapshot } from '../../../loops/tree/snapshot.ts';
import { judgeScope, outsideScope, type Scope } from '../../../policies/gate/scope.ts';
import { lineOf, TestTree } from '../../rig/tree.ts';

const SCOPE: Scope = { allow: ['src'], deny: [], forbidden: [] };

const test = suite<{ tree: TestTree; before: TreeSnapshot; copies: Copies }>('restore');
test.before.each(async (context) => {
  const tree = new TestTree({
    'src/a.ts': 'a\n',
    'lib/b.ts': 'b\n',
    'lib/c/d.ts': 'd\n',
    'lib/large': 'x'.repeat(100_000),
    'tool.sh': '#!/bin/sh\n',
    '.tmp/x': '',
  });
  tree.shell('ln -s lib/b.ts link; chmod 750 tool.sh; printf bytes > "$(printf "n\\377")"');
  tree.commitAll();
  const before = await tree.snapshot();
  Object.assign(context, { tree, before, copies: copiesOf(await keep(tree, before)) });
});
test.after.each(({ tree }) => tree.remove());

const keep = (tree: TestTree, snapshot: TreeSnapshot, more: { maxBytes?: number } = {}): Promise<KeptCopies> =>
  keepCopies({ snapshot, outOfScope: outsideScope(SCOPE), folder: tree.at('.tmp/copies'), ...more });

function copiesOf(kept: KeptCopies): Copies {
  if (kept.how !== 'kept') throw new Error(kept.message);
  return kept.copies;
}

async function putBack(tree: TestTree, before: TreeSnapshot, copies: Copies) {
  const violations = judgeScope(await tree.changesSince(before), SCOPE);
  const told = await restore({ violations, before, copies, backupFolder: tree.at('.tmp/backup') });
  const restored = told.restored.map(({ path: at, kept_in }) => {
    if (kept_in !== null) lstatSync(kept_in);
    return `${at} <- ${kept_in === null ? 'nothing' : path.relative(tree.root, kept_in)}`;
  });
  return { restored, notes: told.notes, left: (await tree.changesSince(before)).map(lineOf) };
}

const ROWS: [what: string, line: string, restored: string[], left?: string[]][] = [
  ['an edit', 'echo evil > lib/b.ts', ['lib/b.ts <- .tmp/backup/lib/b.ts']],
  [
    'an edit in scope stays',
    'echo 2 > src/a.ts; echo evil > lib/b.ts',
    ['lib/b.ts <- .tmp/backup/lib/b.ts'],
    ['modified src/a.ts'],
  ],
  ['a deleted file', 'rm lib/b.ts', ['lib/b.ts <- nothing']],
  ['a deleted folder', 'rm -r lib/c', ['lib/c/d.ts <- nothing']],
  ['a large file', 'echo >> lib/large', ['lib/large <- .tmp/backup/lib/large'], ['modified lib/large']],
  ['an added file', 'mkdir -p new/er; echo evil > new/er/x', ['new/er/x <- .tmp/backup/new/er/x']],
  ['a mode', 'chmod 777 tool.sh', ['tool.sh <- .tmp/backup/tool.sh']],
  ['a rename', 'mv lib/b.ts b.ts', ['b.ts <- .tmp/backup/b.ts', 'lib/b.ts <- nothing']],
  ['a rename out of scope', 'mv src/a.ts lib/a.ts', ['lib/a.ts <- src/a.ts', 'src/a.ts <- nothing']],
  ['a rename into the scope', 'mv lib/b.ts src/b.ts', ['lib/b.ts <- nothing'], ['added src/b.ts']],
  ['a symlink', 'ln -sfn src/a.ts link', ['link <- .tmp/backup/link']],
  ['a symlink made a file', 'rm link; echo evil > link', ['link <- .tmp/backup/link']],
  ['a file made a symlink', 'rm tool.sh; ln -s src/a.ts tool.sh', ['tool.sh <- .tmp/backup/tool.sh']],
  [
    'a file made a folder',
    'rm tool.sh; mkdir tool.sh; echo x > tool.sh/x',
    ['tool.sh/x <- .tmp/backup/tool.sh/x', 'tool.sh <- nothing'],
  ],
  ['a folder made a file', 'rm -r lib/c; echo x > lib/c', ['lib/c <- .tmp/backup/lib/c', 'lib/c/d.ts <- nothing']],
  [
    'a folder made a symlink',
    'mv lib/c src/c; ln -s ../src/c lib/c; echo evil > lib/c/d.ts',
    ['lib/c <- .tmp/backup/lib/c', 'lib/c/d.ts <- nothing'],
    ['added src/c/d.ts'],
  ],
  ['a pipe', 'mkfifo pipe', ['pipe <- .tmp/backup/pipe']],
  ['a setting of git', 'git config core.hooksPath /evil', ['.git/config <- .tmp/backup/.git-folder/config']],
  [
    'a hook',
    'mkdir -p .git/hooks; echo x > .git/hooks/pre-push',
    ['.git/hooks/pre-push <- .tmp/backup/.git-folder/hooks/pre-push'],
  ],
  ['an own repository', 'git init -q lib', ['lib <- .tmp/backup/lib/.git']],
  ['a name that is not UTF-8', 'echo evil > "$(printf "n\\377")"', ['n\ufffdff. <- .tmp/backup/n\ufffdff.']],
];
for (const [what, line, restored, left = []] of ROWS)
  test(what, async ({ tree, before, copies }) => {
    tree.shell(line);
    const told = await putBack(tree, before, copies).catch((error) => {
      // The name of a backup is for people; a name that is no text cannot be looked up by it.
      if (what !== 'a name that is not UTF-8') throw error;
      return null;
    });
    if (told === null) {
      assert.is(tree.shell('cat "$(printf "n\\377")"'), 'bytes');
      return;
    }
    assert.equal(told, { restored, notes: [], left });
  });

test('a large file comes back as it was, though its content is not known', async ({ tree, before, copies }) => {
  tree.shell('chmod 600 lib/large; echo evil > lib/large');
  await putBack(tree, before, copies);
  assert.is(readFileSync(tree.at('lib/large'), 'utf8'), 'x'.repeat(100_000));
  assert.is(statSync(tree.at('lib/large')).mode & 0o777, before.entries.get('lib/large')!.mode);
  assert.is(readFileSync(tree.at('.tmp/backup/lib/large'), 'utf8'), 'evil\n');
});

test('nothing is written through a symlink above', async ({ tree, before, copies }) => {
  const outside = path.join(tree.home, 'outside');
  tree.shell(`mkdir ../outside; echo mine > ../outside/d.ts; rm -r lib/c; ln -s ../../outside lib/c`);
  const violations = judgeScope(await tree.changesSince(before), SCOPE).filter(({ path: at }) => at !== 'lib/c');
  const told = await restore({ violations, before, copies, backupFolder: tree.at('.tmp/backup') });
  assert.equal(told, { restored: [], notes: ['lib/c/d.ts was not put back: lib/c is a symlink now'] });
  assert.equal(
    [readFileSync(path.join(outside, 'd.ts'), 'utf8'), readlinkSync(tree.at('lib/c'))],
    ['mine\n', '../../outside'],
  );
});

const NOTED: [what: string, line: string, note: string][] = [
  [
    'a copy that was written to',
    'echo evil > .tmp/copies/tree/lib/b.ts; echo x > lib/b.ts',
    'lib/b.ts was not put back: its copy was written to since',
  ],
  [
    'a copy that is gone',
    'rm .tmp/copies/tree/lib/b.ts; echo x > lib/b.ts',
    'lib/b.ts was not put back: its copy is gone',
  ],
];
for (const [what, line, note] of NOTED)
  test(what, async ({ tree, before, copies }) => {
    tree.shell(line);
    assert.equal(await putBack(tree, before, copies), { restored: [], notes: [note], left: ['modified lib/b.ts'] });
  });

const NONE: Copies = { folder: '/nowhere', entries: new Map(), made: new Map() };

test('a file that was moved when no copies were kept is moved back, with its mode', async ({ tree, before }) => {
  tree.shell('mkdir -p lib/new; mv lib/c/d.ts lib/new/d.ts; mv link lib/link; mv tool.sh t; chmod 777 t');
  assert.equal(await putBack(tree, before, NONE), {
    restored: [
      'lib/link <- link',
      'link <- nothing',
      'lib/new/d.ts <- lib/c/d.ts',
      'lib/c/d.ts <- nothing',
      't <- tool.sh',
      'tool.sh <- nothing',
    ],
    notes: [],
    left: [],
  });
  assert.not(existsSync(tree.at('lib/new')));
});

test('so is one that git ignores, of which no change tells', async ({ tree }) => {
  tree.write('.gitignore', '.env\n');
  tree.write('.env', 'KEY=1\n');
  tree.commitAll();
  const before = await tree.snapshot();
  tree.shell('mv .env env.txt');
  assert.equal((await putBack(tree, before, NONE)).restored, ['env.txt <- .env', '.env <- nothing']);
  assert.is(readFileSync(tree.at('.env'), 'utf8'), 'KEY=1\n');
});

test('one that cannot be moved back is left where it is', async ({ tree, before }) => {
  tree.shell('mv lib/b.ts b.ts; rm -r lib; mkdir ../away; ln -s ../away lib');
  const violations = judgeScope(await tree.changesSince(before), SCOPE).filter(({ path: at }) => /b\.ts$/.test(at));
  const told = await restore({ violations, before, copies: NONE, backupFolder: tree.at('.tmp/backup') });
  assert.equal(told, {
    restored: [],
    notes: [
      'b.ts was not put back: it was lib/b.ts before, of which no copy was kept, and lib is a symlink now',
      'lib/b.ts was not put back: no copy of it was kept',
    ],
  });
  assert.is(readFileSync(tree.at('b.ts'), 'utf8'), 'b\n');
});

test('a folder with files of the scope stays where a file was', async ({ tree }) => {
  const scope: Scope = { allow: ['tool.sh/x'], deny: [], forbidden: [] };
  const before = await tree.snapshot();
  const kept = await keepCopies({ snapshot: before, outOfScope: outsideScope(scope), folder: tree.at('.tmp/other') });
  tree.shell('rm tool.sh; mkdir tool.sh; echo x > tool.sh/x');
  const violations = judgeScope(await tree.changesSince(before), scope);
  const told = await restore({ violations, before, copies: copiesOf(kept), backupFolder: tree.at('.tmp/backup') });
  assert.equal(told.notes, ['tool.sh was not put back: a folder with other files is there']);
  assert.ok(existsSync(tree.at('tool.sh/x')));
});

test('a moved submodule is told, and its files are put back', async ({ tree }) => {
  tree.shell(
    `git init -q lib/sub; cd lib/sub; git commit -q --allow-empty -m one; echo x > x; git add x; git commit -qm two`,
  );
  const before = await tree.snapshot();
  const copies = copiesOf(await keep(tree, before));
  tree.shell('git -C lib/sub checkout -q HEAD~1');
  const { restored, notes, left } = await putBack(tree, before, copies);
  assert.equal([restored, left], [['lib/sub/x <- nothing'], ['commit lib/sub']]);
  assert.match(
    notes[0]!,
    /^lib\/sub was not put back: it is a repository of its own, and was at [0-9a-f]{40}; git checkout/,
  );
});

test('a second backup is put beside the first', async ({ tree, before, copies }) => {
  for (const [text, name] of [
    ['one', 'b.ts'],
    ['two', 'b.ts~1'],
  ] as const) {
    tree.write('lib/b.ts', text);
    assert.equal((await putBack(tree, before, copies)).restored, [`lib/b.ts <- .tmp/backup/lib/${name}`]);
    assert.is(readFileSync(tree.at(`.tmp/backup/lib/${name}`), 'utf8'), text);
  }
});

test("a failed attempt's files are not taken for the person's", async ({ tree, before }) => {
  tree.shell('echo evil > lib/b.ts; rm lib/c/d.ts');
  const copies = copiesOf(await keep(tree, before));
  assert.equal((await putBack(tree, before, copies)).left, []);
  assert.is(readFileSync(tree.at('lib/b.ts'), 'utf8'), 'b\n');
});

test('what is no longer as the snapshot has it is not kept', async ({ tree, before }) => {
  tree.shell('echo evil > lib/b.ts');
  const folder = tree.at('.tmp/late');
  const { entries } = copiesOf(await keepCopies({ snapshot: before, outOfScope: outsideScope(SCOPE), folder }));
  assert.equal(
    [entries.has('lib/b.ts'), entries.has('lib/c/d.ts'), existsSync(path.join(folder, 'tree/lib/b.ts'))],
    [false, true, false],
  );
});

test('folders that only the stage needed go with what was in them', async ({ tree, before, copies }) => {
  tree.shell('mkdir -p new/er kept; touch new/er/x lib/c/new; rmdir kept');
  await putBack(tree, before, copies);
  assert.equal(
    ['new', 'lib/c'].map((name) => existsSync(tree.at(name))),
    [false, true],
  );
});

test('copies are found again, private, and only of what is out of scope', async ({ tree, copies }) => {
  assert.equal(await loadCopies(tree.at('.tmp/copies')), copies);
  assert.is(statSync(tree.at('.tmp/copies')).mode & 0o777, 0o700);
  assert.equal(
    [existsSync(tree.at('.tmp/copies/tree/src')), existsSync(tree.at('.tmp/copies/tree/lib/b.ts'))],
    [false, true],
  );
  writeFileSync(tree.at('.tmp/copies/kept'), 'no list');
  assert.is(await loadCopies(tree.at('.tmp/copies')), null);
});

test('too much to copy is refused before anything is', async ({ tree, before }) => {
  const folder = tree.at('.tmp/none');
  const kept = await keepCopies({
    snapshot: before,
    outOfScope: (at) => at.startsWith('lib'),
    folder,
    maxBytes: 99_999,
  });
  assert.equal(
    [kept, existsSync(folder)],
    [
      {
        how: 'too_large',
        message:
          '3 files out of scope have 100004 bytes, and at most 99999 are copied; narrow the scope, or run without --restore',
      },
      false,
    ],
  );
});

test('what lies in an ignored folder is left out where it is too much, and then only found', async ({
  tree,
  before,
}) => {
  const kept = await keep(tree, { ...before, pruned: ['lib'] }, { maxBytes: 99_999 });
  assert.equal([...copiesOf(kept).entries.keys()].filter((at) => !at.startsWith('.git/')).sort(), [
    'link',
    'n\ufffdff.',
    'tool.sh',
  ]);
  tree.shell('echo evil > lib/b.ts');
  assert.equal(await putBack(tree, before, copiesOf(kept)), {
    restored: [],
    notes: ['lib/b.ts was not put back: no copy of it was kept'],
    left: ['modified lib/b.ts'],
  });
});

test('what it changed is what it says', async ({ tree, before, copies }) => {
  tree.shell('echo evil > lib/b.ts; touch new');
  await putBack(tree, before, copies);
  assert.equal(await changesBetween(before, await tree.snapshot({ before })), []);
});

test.run();
