// Diffs in answers: where they begin and end, and what paths they are about.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diffOf, pathsOfDiff, prefixParts, strayPaths } from '../../../policies/gate/unified-diff.ts';

const ONE = '--- a/one.txt\n+++ b/one.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n';
const TWO = 'diff --git a/two.txt b/two.txt\nindex 1..2 100644\n--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-x\n+y\n';

const FOUND: [what: string, answer: string, diff: string | null][] = [
  ['in a block', `Here:\n\`\`\`diff\n${ONE}\`\`\`\nDone.`, ONE],
  ['in a block without a name', `\`\`\`\n${ONE}\`\`\`\n`, ONE],
  ['in two blocks', `\`\`\`diff\n${ONE}\`\`\`\nand\n\`\`\`patch\n${TWO}\`\`\``, ONE + TWO],
  ['bare', `Here:\n\n${TWO}${ONE}\nDone.\n`, TWO + ONE],
  ['bare, at the end without a line end', ONE.trimEnd(), ONE],
  [
    'bare, what is new before what is old',
    '--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+x\n+y\n a\n-b\n- c\n',
    '--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+x\n+y\n a\n-b\n',
  ],
  ['bare and in a block', `${ONE}\n\`\`\`diff\n${TWO}\`\`\``, ONE + TWO],
  ['in a block in a list', `- so:\n  \`\`\`diff\n${ONE.replace(/^/gm, '  ').trimEnd()}\n  \`\`\`\n`, ONE],
  [
    'of a file with blocks of code',
    `\`\`\`diff\n--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n \`\`\`\n-a\n+b\n \`\`\`\n\`\`\`\nrest`,
    '--- a/x.md\n+++ b/x.md\n@@ -1,3 +1,3 @@\n ```\n-a\n+b\n ```\n',
  ],
  ['signs alone', '```diff\n-old\n+new\n```', null],
  ['another language', `\`\`\`js\n${ONE}\`\`\``, null],
  ['prose with dashes', '--- so it is ---\n\n--- and\nmore\n+++ plus', null],
  ['nothing', '', null],
];

for (const [what, answer, diff] of FOUND)
  test(`found: ${what}`, () => {
    assert.is(diffOf(answer), diff);
  });

const git = (rest: string, old = 'a/x', now = 'b/x') => `diff --git ${old} ${now}\n${rest}`;

const PATHS: [what: string, diff: string, changes: ReturnType<typeof pathsOfDiff>][] = [
  [
    'changed',
    ONE + TWO,
    [
      { path: 'one.txt', how: 'modified' },
      { path: 'two.txt', how: 'modified' },
    ],
  ],
  ['new', git('new file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n'), [{ path: 'x', how: 'added' }]],
  ['new and empty', git('new file mode 100644\nindex 0..0\n'), [{ path: 'x', how: 'added' }]],
  ['new without a line of git', '--- /dev/null\n+++ b/n/x\n@@ -0,0 +1 @@\n+x\n', [{ path: 'n/x', how: 'added' }]],
  [
    'deleted',
    git('deleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n'),
    [{ path: 'x', how: 'deleted' }],
  ],
  [
    'renamed',
    git('similarity index 100%\nrename from x\nrename to y z\n', 'a/x', 'b/y z'),
    [{ path: 'y z', how: 'renamed', from: 'x' }],
  ],
  ['copied', git('similarity index 100%\ncopy from x\ncopy to y\n', 'a/x', 'b/y'), [{ path: 'y', how: 'added' }]],
  ['mode', git('old mode 100644\nnew mode 100755\n'), [{ path: 'x', how: 'mode' }]],
  [
    'names with blanks, and times',
    `--- a/p q\t2030-01-01\n+++ b/p q\t2030-01-01\n@@ -1 +1 @@\n-a\n+b\n${git('old mode 1\nnew mode 2\n', 'a/x y', 'b/x y')}`,
    [
      { path: 'p q', how: 'modified' },
      { path: 'x y', how: 'mode' },
    ],
  ],
  [
    'names in quotes',
    git(
      '--- "a/\\303\\244\\t%41\\"b"\n+++ "b/\\303\\244\\t%41\\"b"\n@@ -1 +1 @@\n-a\n+b\n',
      '"a/\\303\\244\\t%41\\"b"',
      '"b/\\303\\244\\t%41\\"b"',
    ),
    [{ path: 'ä\t%41"b', how: 'modified' }],
  ],
  ['without letters of the sides', '--- src/x\n+++ src/x\n@@ -1 +1 @@\n-a\n+b\n', [{ path: 'src/x', how: 'modified' }]],
  [
    'lines of a hunk that look like headers',
    '--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n--- a/no\n+++ b/no\n+diff --git a/no b/no\n q\n',
    [{ path: 'x', how: 'modified' }],
  ],
  ['CRLF', ONE.replaceAll('\n', '\r\n'), [{ path: 'one.txt', how: 'modified' }]],
  ['two sides', '--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n', [{ path: 'y', how: 'renamed', from: 'x' }]],
];

for (const [what, diff, changes] of PATHS)
  test(`paths: ${what}`, () => {
    assert.equal(pathsOfDiff(diff), changes);
  });

test('how much git must take off', () => {
  assert.is(prefixParts(ONE + TWO), 1);
  assert.is(prefixParts('--- src/x\n+++ src/x\n@@ -1 +1 @@\n-a\n+b\n'), 0);
  assert.is(prefixParts('--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n'), 1);
  assert.is(prefixParts(git('old mode 1\nnew mode 2\n', 'x', 'x')), 0);
});

test('paths that leave the tree', () => {
  const stray = [
    '/etc/passwd',
    '../x',
    'a/../../x',
    '~/x',
    '.git/config',
    'sub/.GIT/hooks/x',
    'a\\..\\x',
    'C:/x',
    './x',
  ];
  const inside = ['x', '.gitignore', 'a/..b', 'a..b/c', '...', 'git/x'];
  assert.equal(strayPaths([...stray, ...inside].map((path) => ({ path, how: 'modified' }))), stray);
  assert.equal(strayPaths([{ path: 'x', how: 'renamed', from: '../y' }]), ['../y']);
});

test('no text throws, and a long one is read once', () => {
  const part = fc.constantFrom(
    '--- ',
    '+++ ',
    '@@ -1 +1 @@',
    'diff --git ',
    '"',
    '\\',
    '\n',
    '\r',
    'a/x',
    '```',
    ' ',
    'rename from ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 40 }), (parts) => {
      diffOf(parts.join(''));
      prefixParts(parts.join(''));
      strayPaths(pathsOfDiff(parts.join('')));
    }),
  );
  for (const answer of [
    '--- a\n'.repeat(2e5),
    'x'.repeat(2e6),
    ' '.repeat(2e6),
    '```\n'.repeat(2e5),
    '"'.repeat(2e6),
    '\\ '.repeat(1e6),
  ])
    assert.is(diffOf(answer), null);
  const many = ONE.repeat(20_000);
  assert.is(diffOf(many), many);
  assert.is(pathsOfDiff(many).length, 20_000);
});

test('where one path has no letter of a side, none is taken off', () => {
  assert.is(prefixParts(`${ONE}--- src/y\n+++ src/y\n@@ -1 +1 @@\n-x\n+y\n`), 0);
});

test.run();
