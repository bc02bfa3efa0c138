// A diff of git is parsed into files with numbered lines, whatever their names and contents are.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filesOfDiff, rowsOf } from '../../../../console/page/text/diff-files.ts';

const brief = (diff: string) =>
  filesOfDiff(diff).map(({ path, from, how, remarks, added, removed }) => [path, from, how, remarks, added, removed]);

const head = (name: string, more = '') => `diff --git a/${name} b/${name}\n${more}`;

for (const [what, diff, files] of [
  ['nothing', '', []],
  [
    'an edit',
    `${head('a.ts', 'index 1..2 100644\n')}--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n`,
    [['a.ts', null, 'modified', [], 1, 1]],
  ],
  [
    'lines that look like headings of files',
    `${head('a.sql')}--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1 @@\n--- a comment\n-diff --git a/x b/x\n+++ more\n`,
    [['a.sql', null, 'modified', [], 1, 2]],
  ],
  [
    'a quoted name with a line end, a tab, a quote and bytes',
    'diff --git "a/x\\n\\t\\"\\303\\244" "b/x\\n\\t\\"\\303\\244"\nnew file mode 100644\n--- /dev/null\n+++ "b/x\\n\\t\\"\\303\\244"\n@@ -0,0 +1 @@\n+x\n',
    [['x\n\t"ä', null, 'added', [], 1, 0]],
  ],
  [
    'a deleted file, a name with blanks',
    `${head('a b.txt', 'deleted file mode 100644\n')}--- a/a b.txt\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n`,
    [['a b.txt', null, 'deleted', [], 0, 1]],
  ],
  [
    'a binary file',
    head('a.png', 'index 1..2 100644\nBinary files a/a.png and b/a.png differ\n'),
    [['a.png', null, 'modified', ['binary file'], 0, 0]],
  ],
  [
    'another mode',
    head('run.sh', 'old mode 100644\nnew mode 100755\n'),
    [['run.sh', null, 'mode', ['mode 100644 → 100755'], 0, 0]],
  ],
  [
    'a symbolic link, a repository',
    head('l', 'new file mode 120000\n') + head('m', 'new file mode 160000\n'),
    [
      ['l', null, 'added', ['symbolic link'], 0, 0],
      ['m', null, 'added', ['repository of its own'], 0, 0],
    ],
  ],
  [
    'a renamed file',
    'diff --git a/old.ts b/new.ts\nsimilarity index 100%\nrename from old.ts\nrename to new.ts\n',
    [['new.ts', 'old.ts', 'renamed', [], 0, 0]],
  ],
  [
    'a combined diff',
    'diff --cc a.ts\nindex 1,2..3\n--- a/a.ts\n+++ b/a.ts\n@@@ -1,2 -1,2 +1,3 @@@\n  same\n+ one\n +two\n--gone\n',
    [['a.ts', null, 'modified', [], 2, 1]],
  ],
] as const)
  test(what, () => {
    assert.equal(brief(diff), files);
  });

test('lines have their numbers on both sides, also after a secret of several lines became one', () => {
  const diff = `${head('k')}--- a/k\n+++ b/k\n@@ -5,4 +5,9 @@ function f()\n a\n-b\n+[REDACTED]\n c\r\n\\ No newline at end of file\n@@ -40 +45 @@\n-d\n+\u001b[2J\n`;
  const [file] = filesOfDiff(diff + head('next', 'old mode 100644\nnew mode 100755\n'));
  assert.equal(
    file!.lines.map(({ kind, old, now, text }) => [kind, old, now, text]),
    [
      ['place', 5, 5, 'function f()'],
      ['same', 5, 5, 'a'],
      ['removed', 6, null, 'b'],
      ['added', null, 6, '[REDACTED]'],
      ['same', 7, 7, 'c\r'],
      ['remark', null, null, 'No newline at end of file'],
      ['place', 40, 45, ''],
      ['removed', 40, null, 'd'],
      ['added', null, 45, '\u001b[2J'],
    ],
  );
});

const long = (lines: readonly string[]) =>
  filesOfDiff(`${head('l')}--- a/l\n+++ b/l\n@@ -11,${lines.length} +11,${lines.length} @@\n${lines.join('\n')}\n`);
const same = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ` same ${from + n}`);

test('a long run of unchanged lines is folded beside the changes, and opened', () => {
  const files = long([...same(20), '-x', '+y', ...same(30), '-z', ...same(13)]);
  const shown = rowsOf(files, new Set(), new Set());
  const gaps = shown.flatMap((row) => (row.row === 'gap' ? [[row.count, row.opens !== null]] : []));
  assert.equal(gaps, [
    [10, false],
    [17, true],
    [24, true],
    [10, true],
  ]);
  assert.is(new Set(shown.map(({ key }) => key)).size, shown.length);
  const second = shown.filter((row) => row.row === 'gap')[2]!;
  const opened = rowsOf(files, new Set(), new Set([second.key]));
  assert.is(opened.length, shown.length + 23);
  assert.equal(
    rowsOf(files, new Set([0]), new Set()).map(({ row }) => row),
    ['file'],
  );
});

test('lines between two hunks are counted', () => {
  const diff = `${head('l')}--- a/l\n+++ b/l\n@@ -1,2 +1,3 @@\n a\n+b\n c\n@@ -20 +21 @@ f\n-d\n+e\n`;
  const gaps = rowsOf(filesOfDiff(diff), new Set(), new Set()).filter(({ row }) => row === 'gap');
  assert.equal(
    gaps.map((row) => row.row === 'gap' && [row.count, row.opens, row.text]),
    [[17, null, 'f']],
  );
});

test('fifty thousand lines take time by their number', () => {
  const files = long(Array.from({ length: 50_000 }, (_, n) => (n % 2 === 0 ? `+line ${n}` : ` line ${n}`)));
  assert.is(rowsOf(files, new Set(), new Set()).length, 50_001 + 1);
});

test.run();
