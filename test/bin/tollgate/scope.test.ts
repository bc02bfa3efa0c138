// tollgate scope ask: each answer with its reason, where the task comes from, and what is no question.

import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; task: TestTask }>('tollgate scope ask');
test.before.each(async (context) => {
  const rig = await TestRig.open({ tools: [] });
  const task = makeTask(rig, {
    stages: [{ tool: 'codex', role: 'impl' }],
    scope: { allow: ['src/**', 'docs', 'link'], deny: ['**/*.key'] },
    security: { forbidden_paths: ['src/private'] },
  });
  rig.write('.git/HEAD', 'ref: refs/heads/main\n');
  rig.write('src/a.ts', 'a');
  rig.write('secrets/x', 'x');
  for (const [name, target] of LINKS) symlinkSync(target, path.join(rig.project, name));
  Object.assign(context, { rig, task });
});
test.after.each(({ rig }) => rig.dispose());

const LINKS = [
  ['src/in', 'a.ts'],
  ['src/secret', '../secrets/x'],
  ['src/out', '/etc'],
  ['src/new', '../secrets/not-yet'],
  ['src/loop', 'loop'],
  ['link', 'src'],
] as const;

const NOT_ALLOWED = 'no glob of scope.allow matches';

/** `PROJECT` stands for the project's root. */
const ANSWERS: [asked: string, line: string][] = [
  ['src/a.ts', 'yes  src/a.ts  scope.allow "src/**"'],
  ['./src//b/../not-yet.ts', 'yes  src/not-yet.ts  scope.allow "src/**"'],
  ['PROJECT/src/a.ts', 'yes  src/a.ts  scope.allow "src/**"'],
  ['docs/new/x.md', 'yes  docs/new/x.md  scope.allow "docs"'],
  ['src/', 'yes  src  scope.allow "src/**"'],
  ['src/in', 'yes  src/in  it leads to src/a.ts: scope.allow "src/**"'],
  ['link/a.ts', 'yes  src/a.ts  scope.allow "src/**"'],
  ['secrets/x', `no   secrets/x  ${NOT_ALLOWED}`],
  ['src/a.key', 'no   src/a.key  scope.deny "**/*.key"'],
  ['src/private/x', 'no   src/private/x  security.forbidden_paths "src/private"'],
  ['src/secret', `no   src/secret  it leads to secrets/x: ${NOT_ALLOWED}`],
  ['src/new', `no   src/new  it leads to secrets/not-yet: ${NOT_ALLOWED}`],
  ['src/out', 'no   src/out  it leads out of the tree, to /etc'],
  ['src/out/passwd', 'no   src/out/passwd  it is outside of the tree PROJECT'],
  ['src/loop', 'no   src/loop  its symlinks lead round in a circle'],
  ['..', 'no   ..  it is outside of the tree PROJECT'],
  ['../project-2/x', 'no   ../project-2/x  it is outside of the tree PROJECT'],
  ['/', 'no   /  it is outside of the tree PROJECT'],
  ['.', 'no   .  this is the root of the tree; ask about a path in it'],
  ['.git/config', 'no   .git/config  git\'s own files need a glob in scope.allow that names ".git"'],
  ['.tmp/task/fix/manifest.json', 'no   .tmp/task/fix/manifest.json  Tollgate keeps its own state there'],
];

test('every answer has its reason', async ({ rig }) => {
  const fill = (text: string) => text.replaceAll('PROJECT', rig.project);
  const { code, stdout, stderr } = await rig.run('tollgate', [
    ...['scope', 'ask', '--task=fix'],
    ...ANSWERS.map(([asked]) => fill(asked)),
  ]);
  assert.equal([code, stderr], [1, '']);
  assert.equal(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/(?<=^.{5}\S+) +/, '  ')),
    ANSWERS.map(([, line]) => fill(line)),
  );
});

for (const name of ['TOLLGATE_TASK', 'GEMINI_CLI_TOLLGATE_TASK'])
  test(`an agent is told by ${name}, in whatever folder it is`, async ({ rig, task }) => {
    const options = { cwd: path.join(rig.project, 'src'), env: { [name]: task.folder } };
    const { code, stdout } = await rig.run('tollgate', ['scope', 'ask', 'a.ts', '--json'], options);
    assert.is(code, 0);
    assert.equal(JSON.parse(stdout), {
      task_id: 'fix',
      paths: [{ path: 'src/a.ts', allowed: true, why: 'scope.allow "src/**"' }],
    });
  });

test("globs begin at the project's root, wherever in it the CLIs run", async ({ rig }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'impl' }], cwd: 'src', scope: { allow: ['src/a.ts'] } }, 'within');
  const ask = (name: string) => rig.run('tollgate', ['scope', 'ask', name, '--task=within']);
  assert.is((await ask('src/a.ts')).stdout, 'yes  src/a.ts  scope.allow "src/a.ts"\n');
  assert.equal((await ask('secrets/x')).code, 1);
});

test('a task with a tree of its own is asked about that one', async ({ rig, task }) => {
  rig.write('.tmp/worktrees/fix/src/a.ts', '');
  const tree = path.join(rig.project, '.tmp/worktrees/fix');
  const options = { cwd: path.join(tree, 'src'), env: { TOLLGATE_TASK: task.folder, TOLLGATE_TREE: tree } };
  const { code, stdout } = await rig.run('tollgate', ['scope', 'ask', 'a.ts'], options);
  assert.equal([code, stdout], [0, 'yes  src/a.ts  scope.allow "src/**"\n']);
});

test('--quiet leaves the answer', async ({ rig }) => {
  const ask = (name: string) => rig.run('tollgate', ['scope', 'ask', name, '--task=fix', '--quiet']);
  assert.equal(await Promise.all(['src/a.ts', 'secrets/x'].map(ask)), [
    { code: 0, signal: null, stdout: 'yes  src/a.ts  scope.allow "src/**"\n', stderr: '' },
    { code: 1, signal: null, stdout: 'no   secrets/x  no glob of scope.allow matches\n', stderr: '' },
  ]);
});

const MISTAKES: [argv: string[], message: RegExp][] = [
  [[], /^tollgate scope: ask PATH… is missing\n/],
  [['ask'], /^tollgate scope: ask takes at least one PATH: tollgate scope ask src\/login\.ts\n$/],
  [['aks', 'a'], /^tollgate scope: unknown word "aks"; did you mean ask\?\n$/],
  [['src/a.ts', 'b'], /^tollgate scope: the word "ask" is missing: tollgate scope ask src\/a.ts b\n$/],
  [['ask', 'a'], /^tollgate scope: --task is required where TOLLGATE_TASK does not name the task\n$/],
  [['ask', 'a', '--task=none'], /^tollgate scope: there is no task at .*\/none \(/],
  [['ask', 'a', '--task=..'], /^tollgate scope: "\.\." is not a task id/],
];
for (const [argv, message] of MISTAKES)
  test(`no question: ${argv.join(' ') || 'nothing'}`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.run('tollgate', ['scope', ...argv]);
    assert.equal([code, stdout], [2, '']);
    assert.match(stderr, message);
  });

test.run();
