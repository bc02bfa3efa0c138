// Whether diffs apply, asked of the real git: in a project with git, below its root, and without.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkDiff } from '../../../loops/gate/diff.ts';
import { type Gated, openGated } from './gated.ts';

const test = suite('diff');
let gated: Gated;

test.before.each(() => {
  gated = openGated();
  gated.write('a.txt', 'one\ntwo\nthree\n');
});
test.after.each(() => gated.dispose());

const fenced = (diff: string) => `## Summary\nSo.\n\`\`\`diff\n${diff}\`\`\`\n`;
const edit = (file: string, old = 'two', now = '2') =>
  `--- a/${file}\n+++ b/${file}\n@@ -1,3 +1,3 @@\n one\n-${old}\n+${now}\n three\n`;
const check = (diff: string, given: object = {}) => checkDiff(gated.ask(null, given), fenced(diff));
const told = async (diff: string, given: object = {}) => {
  const finding = await check(diff, given);
  return finding && [finding.class, finding.reason, ...finding.missing];
};
const patch = () => readFileSync(path.join(gated.root, 'task/t1/outputs/codex_verify.patch'), 'utf8');
const git = (cwd: string, ...argv: string[]) =>
  assert.is(spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...argv], { cwd }).status, 0);

const APPLY: [what: string, diff: string][] = [
  ['a change', edit('a.txt')],
  ['a new file', 'diff --git a/n/x b/n/x\nnew file mode 100644\n--- /dev/null\n+++ b/n/x\n@@ -0,0 +1 @@\n+x\n'],
  [
    'a file less',
    'diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n',
  ],
  ['a new name', 'diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n'],
  ['a mode', 'diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n'],
  [
    'two files, no letters of the sides',
    `${edit('a.txt').replaceAll(/^(...) [ab]\//gm, '$1 ')}--- /dev/null\n+++ n/y\n@@ -0,0 +1 @@\n+y\n`,
  ],
];

for (const [what, diff] of APPLY)
  test(`applies: ${what}`, async () => {
    assert.is(await check(diff), null);
    assert.is(patch(), diff);
    assert.is(readFileSync(path.join(gated.tree, 'a.txt'), 'utf8'), 'one\ntwo\nthree\n');
  });

test('it applies in a project with git, below its root, and whatever git is told to run there', async () => {
  git(gated.tree, 'init', '-q');
  gated.write('sub/b.txt', 'one\ntwo\nthree\n');
  gated.write('.gitattributes', '* filter=own\n');
  const ran = path.join(gated.root, 'ran');
  for (const [name, value] of Object.entries({
    'filter.own.clean': `touch ${ran}; cat`,
    'filter.own.smudge': `touch ${ran}; cat`,
    'core.fsmonitor': `touch ${ran}`,
    'core.hooksPath': gated.root,
  }))
    git(gated.tree, 'config', name, value);
  assert.is(await check(edit('a.txt')), null);
  assert.is(await check(edit('sub/b.txt')), null);
  const cwd = path.join(gated.tree, 'sub');
  assert.is(await check(edit('b.txt'), { cwd }), null);
  assert.equal(await told(edit('sub/b.txt'), { cwd }), [
    'contract_violation',
    'diff_does_not_apply',
    'sub/b.txt: No such file or directory',
  ]);
  assert.not.ok(existsSync(ran));
});

test('files and diffs with CRLF', async () => {
  gated.write('crlf.txt', 'one\r\ntwo\r\nthree\r\n');
  const crlf = edit('crlf.txt').replaceAll('\n', '\r\n');
  assert.is(await check(crlf), null);
  assert.is(patch(), crlf);
  assert.is(await check(edit('a.txt').replaceAll('\n', '\r\n')), null);
  assert.is(patch(), edit('a.txt'));
});

test('hunks that are counted wrongly are counted anew, and the artifact has the right counts', async () => {
  gated.write('b.txt', 'one\n-- two\nthree\n');
  const right = edit('a.txt') + edit('b.txt', '-- two', '++ 2');
  for (const counts of ['-1,9 +1,9', '-1,2 +1,1', '-1 +1'])
    for (const diff of [right, right.replace('--- a/b', '\n--- a/b')]) {
      assert.is(await check(diff.replaceAll('-1,3 +1,3', counts)), null, counts);
      assert.is(patch(), right);
    }
});

test("codex's own form of a patch is named", async () => {
  const finding = await check('*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n');
  assert.is(
    finding?.text,
    "the answer must hold a unified diff, and holds a patch in codex's own form (*** Begin Patch)",
  );
});

test('what does not apply is named', async () => {
  const rows: [diff: string, told: string[]][] = [
    [edit('a.txt', 'TWO'), ['contract_violation', 'diff_does_not_apply', 'a.txt: patch does not apply']],
    [edit('none.txt'), ['contract_violation', 'diff_does_not_apply', 'none.txt: No such file or directory']],
    [
      '--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n',
      ['contract_violation', 'diff_does_not_apply', 'a.txt: already exists in working directory'],
    ],
    [edit('a.txt').replace(' one', 'one'), ['contract_violation', 'diff_does_not_apply', 'corrupt patch']],
    [edit('a.txt').replaceAll(',3', ',9') + edit('../b.txt'), ['scope_violation', 'diff_leaves_tree', '../b.txt']],
    [edit('../../a.txt'), ['scope_violation', 'diff_leaves_tree', '../../a.txt']],
    [edit('x/../../a.txt') + edit('a.txt'), ['scope_violation', 'diff_leaves_tree', 'x/../../a.txt']],
    ['--- /dev/null\n+++ /etc/cron.d/x\n@@ -0,0 +1 @@\n+x\n', ['scope_violation', 'diff_leaves_tree', '/etc/cron.d/x']],
    [
      'diff --git a/a.txt b/.git/config\nsimilarity index 100%\nrename from a.txt\nrename to .git/config\n',
      ['scope_violation', 'diff_leaves_tree', '.git/config'],
    ],
  ];
  for (const [diff, what] of rows) assert.equal(await told(diff), what, diff);
});

test('a symlink does not lead out of the tree', async () => {
  symlinkSync(gated.root, path.join(gated.tree, 'out'));
  const finding = await told('--- /dev/null\n+++ b/out/x\n@@ -0,0 +1 @@\n+x\n');
  assert.equal(finding?.slice(0, 2), ['contract_violation', 'diff_does_not_apply']);
  assert.match(String(finding?.[2]), /beyond a symbolic link/);
});

test('an answer without a diff, and an old artifact', async () => {
  assert.is(await check(edit('a.txt')), null);
  const none = await checkDiff(gated.ask(null), 'All done.');
  assert.equal(none, {
    check: 'diff',
    class: 'contract_violation',
    reason: 'no_diff',
    missing: ['a unified diff'],
    text: 'the answer must hold a unified diff, and holds none',
    next_actions: [],
  });
  assert.not.ok(existsSync(path.join(gated.root, 'task/t1/outputs/codex_verify.patch')));
  assert.is(await checkDiff(gated.ask(null, { stage: { may_be_empty: true } }), 'All done.'), null);
});

test('without git it is not said to apply', async () => {
  const finding = await check(edit('a.txt'), { environment: { PATH: gated.root } });
  assert.equal(
    [finding?.reason, finding?.text],
    ['diff_unchecked', 'whether the diff applies could not be looked at: git is not on the PATH'],
  );
});

test('files that git would touch and the headers do not name are no part of a diff that applies', async () => {
  const bin = path.join(gated.root, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'git'), "#!/bin/sh\nprintf '1\\t1\\ta.txt\\0001\\t1\\thidden.txt\\000'\n", {
    mode: 0o755,
  });
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  assert.equal(await told(edit('a.txt'), { environment }), ['contract_violation', 'diff_unclear', 'hidden.txt']);
});

test.run();
