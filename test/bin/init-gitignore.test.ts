// tollgate init has git ignore .tmp/: once, in the file's own manner, never through a link, and says so.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('init and .gitignore');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
  git(context.rig, 'init', '-q');
});
test.after.each(({ rig }) => rig.dispose());

/** null: there is none. */
const ROWS: [what: string, before: string | null, after: string, how: string][] = [
  ['none', null, '.tmp/\n', 'added'],
  ['an empty one', '', '.tmp/\n', 'added'],
  ['lines', 'dist/\n', 'dist/\n.tmp/\n', 'added'],
  ['no line end at its end', 'dist/', 'dist/\n.tmp/\n', 'added'],
  ['lines that end as on Windows', 'dist/\r\n*.log', 'dist/\r\n*.log\r\n.tmp/\r\n', 'added'],
  ['bytes that are no UTF-8', 'a\xe9\n', 'a\xe9\n.tmp/\n', 'added'],
  ['a like name', 'x.tmp/\n.tmpfiles\n', 'x.tmp/\n.tmpfiles\n.tmp/\n', 'added'],
  ['a remark', '# .tmp/\n', '# .tmp/\n.tmp/\n', 'added'],
  ['the line', '.tmp/\n', '.tmp/\n', 'ignored'],
  ['the line without a slash', '/.tmp\n', '/.tmp\n', 'ignored'],
  ['a wider pattern', '.*\n', '.*\n', 'ignored'],
  ['a part that is kept on purpose', '.tmp/*\n!.tmp/task/\n', '.tmp/*\n!.tmp/task/\n', 'refused'],
];
for (const [what, before, after, how] of ROWS)
  test(`with ${what}: ${how}`, async ({ rig }) => {
    const file = path.join(rig.project, '.gitignore');
    if (before !== null) writeFileSync(file, before, 'latin1');
    const { code, stdout } = await rig.run('tollgate', ['init', 'fix', '--json']);
    assert.equal([code, JSON.parse(stdout).gitignore], [0, how]);
    assert.is(readFileSync(file, 'latin1'), after);
    await rig.run('tollgate', ['init', 'again']);
    assert.is(readFileSync(file, 'latin1'), after);
    if (how !== 'refused') assert.is(git(rig, 'status', '--porcelain', '--', '.tmp'), '');
  });

test('it says so, from a folder below too', async ({ rig }) => {
  mkdirSync(path.join(rig.project, 'src'));
  const { stdout, stderr } = await rig.run('tollgate', ['init', 'fix'], { cwd: path.join(rig.project, 'src') });
  assert.equal([stdout.split('\n')[0], stderr], ['Added .tmp/ to ../.gitignore.', '']);
});

test("the file's rights stay what they are", async ({ rig }) => {
  const file = rig.write('.gitignore', 'dist/\n');
  chmodSync(file, 0o640);
  const { ino } = statSync(file);
  await rig.run('tollgate', ['init', 'fix']);
  assert.equal([statSync(file).mode & 0o777, statSync(file).ino], [0o640, ino]);
});

const LEFT: [what: string, why: RegExp, make: (file: string, rig: TestRig) => void][] = [
  ['a link', /: it is a link; /, (file, rig) => symlinkSync(rig.write('elsewhere', 'dist/\n'), file)],
  ['a link to nothing', /: it is a link; /, (file) => symlinkSync('nowhere', file)],
  ['a folder', /: it is not a regular file; /, (file) => mkdirSync(file)],
  ['a pipe', /: it is not a regular file; /, (file) => void execFileSync('mkfifo', [file])],
];
for (const [what, why, make] of LEFT)
  test(`${what} in its place is left alone, and that is said`, async ({ rig }) => {
    make(path.join(rig.project, '.gitignore'), rig);
    const { code, stdout, stderr } = await rig.run('tollgate', ['init', 'fix']);
    assert.is(code, 0);
    assert.match(stdout, /^Wrote the task fix in /);
    assert.match(stderr, /^tollgate init: git does not ignore \.tmp\/, and .+\/\.gitignore was not changed/);
    assert.match(stderr, why);
    assert.not(existsSync(path.join(rig.project, 'nowhere')));
    if (existsSync(path.join(rig.project, 'elsewhere')))
      assert.is(readFileSync(path.join(rig.project, 'elsewhere'), 'utf8'), 'dist/\n');
  });

const NOT_ASKED: [what: string, flags: string[], env: Record<string, string>][] = [
  ['with --no-gitignore', ['--no-gitignore'], {}],
  ['with the state elsewhere', [], { TOLLGATE_STATE: 'state' }],
  ['from within a call', [], { TOLLGATE_CALL_ID: '20261123000000-00000000' }],
];
for (const [what, flags, env] of NOT_ASKED)
  test(`${what} the tree stays as it is`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.run('tollgate', ['init', 'fix', '--json', ...flags], { env });
    assert.equal([code, JSON.parse(stdout).gitignore, stderr], [0, null, '']);
    assert.not(existsSync(path.join(rig.project, '.gitignore')));
  });

test('without a repository nothing is written', async ({ rig }) => {
  const cwd = path.join(rig.root, 'tmp');
  const { code, stdout } = await rig.run('tollgate', ['init', 'fix', '--json'], { cwd });
  assert.equal([code, JSON.parse(stdout).gitignore], [0, 'no_git']);
  assert.not(existsSync(path.join(cwd, '.gitignore')));
});

test.run();

function git(rig: TestRig, ...argv: string[]): string {
  return execFileSync('git', argv, {
    cwd: rig.project,
    env: { ...rig.env, GIT_CONFIG_NOSYSTEM: '1' },
    encoding: 'utf8',
  });
}
