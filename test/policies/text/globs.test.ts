// Globs over the tree: what they match, which one it was, and which can match nothing.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileGlobs, compileReach, globInTree, globMistake } from '../../../policies/text/globs.ts';

const MATCHES: [glob: string, path: string, matches: boolean][] = [
  ['src/**', 'src/a/b.ts', true],
  ['src/**', 'src2/a.ts', false],
  ['src', 'src/a/b.ts', true],
  ['src', 'src', true],
  ['src/', 'src/a.ts', true],
  ['src', 'lib/src/a.ts', false],
  ['packages/*/src', 'packages/a/src/b/c.ts', true],
  ['src/*', 'src/a.ts', true],
  ['src/*', 'src/a/b.ts', false],
  ['src/*/', 'src/a/b/c.ts', true],
  ['./src/**', 'src/a.ts', true],
  ['/src/**', 'src/a.ts', true],
  ['/.//src', 'src/a.ts', true],
  ['**', '.env', true],
  ['*', '.env', true],
  ['*', 'a/b', false],
  ['**/*.env', 'deep/.hidden/.env', true],
  ['SRC/**', 'src/a.ts', false],
  ['src/{a,b}.ts', 'src/b.ts', true],
  ['secrets/**', 'secrets/a\nb', true],
  ['secrets/**/key', 'secrets/a\nb/key', true],
  ['**/a/**/*.{ts,tsx}', 'x/a/y/z/b.tsx', true],
  ['**/a/**/*.{ts,tsx}', 'a/b.ts', true],
  ['**/a/**/b', 'x/a/y/b/below', true],
  ['**/a/**/b', 'x/a/y/c', false],
  ['a/**/b/**', 'a/b', true],
  ['**/key', 'key\n', false],
  ['a(b)/[c]/d', 'a(b)/[c]/d', true],
  ['app/(public)', 'app/(public)/page.tsx', true],
  ['../**', '../a', false],
  ['src/../lib', 'lib/a', false],
  ['!src/**', 'lib/a', false],
  ['[z-a]', 'a', false],
  ['', 'a', false],
  ['**', '.git/config', false],
  ['**/config', '.git/config', false],
  ['.git/**', '.git/config', true],
  ['.git', '.git/hooks/pre-commit', true],
  ['.git/hooks', '.git/config', false],
  ['{.git,src}/**', '.git/config', true],
  ['**', '.github/workflows/ci.yaml', true],
  ['.github', '.git/config', false],
  ['caf\u00e9/*', 'cafe\u0301/a', true],
  ['cafe\u0301', 'caf\u00e9', true],
  ['**/*\u30ac.txt', 'a/\u30ab\u3099.txt', true],
  ['caf\u00e9', 'cafe', false],
];
for (const [glob, path, matches] of MATCHES)
  test(`${JSON.stringify(glob)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(path)}`, () => {
    assert.is(compileGlobs([glob])(path), matches ? glob : null);
  });

const REACHES: [glob: string, folder: string, reaches: boolean][] = [
  ['.env', 'build', false],
  ['**/.env', 'build', true],
  ['build/.env', 'build', true],
  ['build/.env', 'build/deep', false],
  ['build/.env', 'build/.env', true],
  ['/build/*/key', 'build/a', true],
  ['build/*/key', 'build/a/b', false],
  ['build/*', 'build', true],
  ['build/*', 'build/a', false],
  ['build/*/', 'build/a', true],
  ['build', 'build/a/b', true],
  ['b*/x', 'lib', false],
  ['lib/**', 'build', false],
  ['lib/**', 'lib/a/b/c', true],
  ['{build,lib}/x', 'build', true],
  ['{build,a/lib}/x', 'a/lib', true],
  ['app/[id]/x', 'app/[id]', true],
  ['caf\u00e9/x', 'cafe\u0301', true],
  ['../build', 'build', false],
];
for (const [glob, folder, reaches] of REACHES)
  test(`${JSON.stringify(glob)} ${reaches ? 'may match' : 'matches nothing'} below ${JSON.stringify(folder)}`, () => {
    assert.is(compileReach([glob])(folder), reaches);
  });

test('where a glob matches something, it reaches each folder above it', () => {
  for (const [glob, path, matches] of MATCHES) {
    const steps = path.split('/').slice(0, -1);
    const above = steps.map((_, i) => steps.slice(0, i + 1).join('/'));
    if (matches)
      assert.equal(
        above.filter((folder) => !compileReach([glob])(folder)),
        [],
        glob,
      );
  }
});

test('the first glob that matches is told, as it was written', () => {
  const match = compileGlobs(['lib/**', './src/**', '**/*.ts']);
  assert.equal(['src/a.ts', 'lib/a.ts', 'a.ts', 'a.js'].map(match), ['./src/**', 'lib/**', '**/*.ts', null]);
  assert.is(compileGlobs([])('a'), null);
});

const MISTAKES: [glob: string, mistake: string | null][] = [
  ['src/**', null],
  ['a..b/**', null],
  ['!src/**', '"!src/**" begins with "!"; put what is not meant into the other list'],
  ['./', '"./" names nothing; "**" is everything'],
  ['src/../..', '"src/../.." has a part ".."; globs begin at the root of the tree and stay in it'],
  [
    '[z-a]',
    '"[z-a]" is not a glob (Invalid regular expression: /^(?:[z-a]\\/?)$/s: Range out of order in character class)',
  ],
];
for (const [glob, mistake] of MISTAKES)
  test(`${JSON.stringify(glob)} is ${mistake === null ? 'a glob' : 'a mistake'}`, () => {
    assert.is(globMistake(glob), mistake);
  });

const IN_TREE: [glob: string, means: string | null][] = [
  ['src/**', 'src/**'],
  ['/src/**', '/src/**'],
  ['/home/x/project/docs/**', 'docs/**'],
  ['/real/project/docs', 'docs'],
  ['/home/x/project/', '**'],
  ['/home/x/project', '**'],
  ['/home/x/project2/docs', null],
  ['//etc/passwd', null],
  ['/tmpl/**', '/tmpl/**'],
  ['etc/**', 'etc/**'],
];
for (const [glob, means] of IN_TREE)
  test(`${glob} ${means === null ? 'lies elsewhere' : `means ${means}`}`, () => {
    const judged = globInTree(glob, ['/home/x/project', '/real/project']);
    assert.is(judged.how === 'read' ? judged.glob : null, means);
  });

for (const glob of ['*a*a*a*z', '**/x/**/y/**/z/**', '{a,b}{c,d}{e,f}{g,h}', '+(*a)z', '*(a|b)', '{a/b,c}/*a*a*a*z'])
  test(`${glob} has too many wildcards: one long name could keep a run busy`, () => {
    assert.match(
      globMistake(glob) ?? '',
      / has too many wildcards, .*: use at most 3 of \* in one part, 3 of \*\*, 3 groups/,
    );
  });

test('a glob outside of the tree is told with the way out', () => {
  assert.equal(globInTree('/etc/**', ['/work']), {
    how: 'invalid',
    message:
      '"/etc/**" looks like a path outside of the tree, where it would match nothing; globs begin at /work: say "etc/**" for what is in there',
  });
});

test.run();
