// Tests the test runner: a file that hangs is ended with its processes, and a file that ends leaves no folder.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isAlive } from './survivors.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Its folder for temporary files is `temporary`, inside it. */
function projectOf(name: string, source: string): string {
  const root = temporaryFolder('runner-');
  for (const folder of ['test', 'temporary']) mkdirSync(path.join(root, folder));
  for (const shared of ['examples', 'node_modules', 'test/rig', 'test/state'])
    symlinkSync(path.resolve(shared), path.join(root, shared));
  writeFileSync(path.join(root, 'test', name), source);
  return root;
}

function runTests(
  root: string,
  { more = [] as string[], env: own = {}, which = '^test/\\w+\\.test' } = {},
): { status: number | null; stdout: string } {
  // Without the variables of this test run, which are in the environment too.
  const argv = [path.resolve('test/rig/run-tests.mjs'), which, ...more];
  const env = { ...process.env, ...own, TMPDIR: path.join(root, 'temporary') };
  return spawnSync(process.execPath, argv, { cwd: root, env, encoding: 'utf8', timeout: 200_000 });
}

test('a file that hangs is ended with its group, and counted as failed; what left the group holds nobody up', () => {
  const root = projectOf(
    'hangs.test.ts',
    `import { spawn } from 'node:child_process';
import { test } from 'uvu';
test('hangs', () => {
  const [near, away] = [false, true].map((detached) => spawn('sleep', ['120'], { stdio: 'inherit', detached }).pid);
  console.log('near', near, 'away', away, 'in', process.pid);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120_000);
});
test.run();
`,
  );
  const { status, stdout } = runTests(root, { more: ['--limit', '5'] });
  const pids = /near (\d+) away (\d+) in (\d+)/.exec(stdout)?.slice(1).map(Number) ?? [];
  const alive = pids.map(isAlive);
  if (alive[1]) process.kill(pids[1]!, 'SIGKILL');
  assert.is(status, 1, stdout);
  assert.match(stdout, /FAIL test\/hangs\.test\.ts still ran after 5 s, and was ended with what it had started/);
  assert.match(stdout, /^0 passed, 1 failed$/m);
  assert.equal(alive, [false, true, false], stdout);
});

test('after its minutes a run starts no further file, and names those that are left', () => {
  const root = projectOf('late.test.ts', `import { test } from 'uvu';\ntest('runs', () => {});\ntest.run();\n`);
  const { status, stdout } = runTests(root, { more: ['--minutes', '0'] });
  assert.is(status, 0, stdout);
  assert.match(stdout, /^SKIPPED test\/late\.test\.ts: the 0 minutes of this run were over$/m);
  assert.match(stdout, /^0 passed, 0 failed, 1 skipped$/m);
});

for (const [suite, folder, repeats] of [
  ['real', 'test/real', 1],
  ['fast', 'test/quick', 3],
] as const)
  test(`a file of the suite ${suite} that fails is flaky where it passes alone, each of ${repeats} times`, () => {
    const root = projectOf('none.test.ts', '');
    mkdirSync(path.join(root, folder));
    /** @param passes whether its run number `run`, from 1, passes. */
    const place = (name: string, passes: string) =>
      writeFileSync(
        path.join(root, folder, `${name}.test.ts`),
        `import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
test('is right', () => {
  appendFileSync('runs-of-${name}', '.');
  const run = readFileSync('runs-of-${name}', 'utf8').length;
  if (!(${passes})) throw new Error('wrong');
});
test.run();
`,
      );
    place('second', 'run > 1');
    place('last', `run > 1 && run <= ${repeats}`); // its last run alone fails
    place('never', 'false');
    const { status, stdout } = runTests(root, { more: ['--suite', suite], which: `^${folder}/` });
    const named = (word: string) =>
      [...stdout.matchAll(new RegExp(`^${word} \\S+/(\\w+)\\.test`, 'gm'))].map(([, name]) => name);
    assert.is(status, 1, stdout);
    assert.equal(named('AGAIN').sort(), ['last', 'never', 'second']);
    assert.match(
      stdout,
      new RegExp(
        `^FLAKY ${folder}/second\\.test\\.ts failed beside others, and passed alone \\(${repeats} of ${repeats}\\)$`,
        'm',
      ),
    );
    assert.equal(named('FLAKY'), ['second']);
    assert.equal(named('FAILED').sort(), ['last', 'never']);
  });

test('a folder that a test took is gone after it, though the test failed', () => {
  const root = projectOf(
    'fails.test.ts',
    `import { writeFileSync } from 'node:fs';
import { test } from 'uvu';
import { temporaryFolder } from ${JSON.stringify(path.resolve('test/rig/temporary-folder.ts'))};
test('fails', () => {
  writeFileSync(temporaryFolder('one-') + '/file', '');
  throw new Error(temporaryFolder('other-'));
});
test.run();
`,
  );
  const { status, stdout } = runTests(root);
  assert.is(status, 1, stdout);
  assert.match(stdout, /temporary\/other-/);
  assert.equal(readdirSync(path.join(root, 'temporary')), []);
});

test('a test is in no CI unless it says so', () => {
  const root = projectOf(
    'plain.test.ts',
    `import { test } from 'uvu';
test('plain', () => {
  const told = Object.keys(process.env).filter((name) => /^(CI|GITHUB_|GITLAB_)/.test(name));
  if (told.length > 0) throw new Error(told.join());
});
test.run();
`,
  );
  const ci = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: path.join(root, 'output'), GITLAB_CI: 'true' };
  const { status, stdout } = runTests(root, { env: ci });
  assert.is(status, 0, stdout);
});

test('what failed is told once more right before the sum: the file, the test, and what was found', () => {
  const root = projectOf(
    'differs.test.ts',
    `import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';
const named = suite('a suite');
named('finds another', () => assert.equal(['found'], ['wanted']));
named('passes', () => {});
named.run();
test('throws', () => { throw new Error('no disk'); });
test.run();
`,
  );
  const { status, stdout } = runTests(root);
  assert.is(status, 1, stdout);
  const told = stdout.slice(stdout.lastIndexOf('FAILED test/differs.test.ts\n'));
  assert.match(told, /\n {2}a suite {2}"finds another"\n.*found.*wanted.*\n {2}"throws"\n.*no disk/s);
  assert.match(told, /fast suite: [0-9.]+ s\n1 passed, 2 failed\n$/);
  assert.not.match(told, /"passes"/);
});

const NAMES_BUILD = `import { test } from 'uvu';
test('of what was built', () => console.log('would run dist/'));
test.run();
`;

test('tests of what was built are refused where that is missing, or of other sources; others are not', () => {
  const root = projectOf('built.test.ts', NAMES_BUILD);
  writeFileSync(path.join(root, 'test/plain.test.ts'), NAMES_BUILD.replace('dist/', 'nothing'));
  for (const name of ['bin', 'console', 'fleet', 'library', 'loops', 'policies', 'state', 'wrappers', 'dist', 'build'])
    mkdirSync(path.join(root, name));
  for (const name of ['package.json', 'preflight.ts']) writeFileSync(path.join(root, name), '{}');
  const tests = (name: string) => runTests(root, { which: `^test/${name}` });
  const missing = tests('built');
  assert.is(missing.status, 1);
  assert.match(missing.stdout, /FAIL the build: dist\/ is not built.*npm run build/);
  assert.is(tests('plain').status, 0);
  const stamp = "import('./build/sources.mjs').then(({ hashSources, stampBuild }) => stampBuild(hashSources()))";
  copyFileSync('build/sources.mjs', path.join(root, 'build/sources.mjs'));
  assert.is(spawnSync(process.execPath, ['-e', stamp], { cwd: root }).status, 0);
  // All files have the same age, as in a fresh clone.
  assert.is(tests('built').status, 0);
  writeFileSync(path.join(root, 'bin/new.ts'), '');
  assert.match(tests('built').stdout, /FAIL the build: dist\/ was built from other sources than these/);
});

test.run();
