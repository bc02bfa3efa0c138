// What a stranger's tollgate.yaml names is neither read nor written outside the project, and a run can be told to stop at any moment.

import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>("strangers' names");
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
  mkdirSync(path.join(context.rig.project, '.git'));
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };

const REACHES: [
  what: string,
  project: (outside: string) => string,
  prepare?: (rig: TestRig, outside: string) => void,
][] = [
  ['rules by ".."', () => 'rules: ../outside.md\n'],
  ['rules by an absolute name', (outside) => `rules: ${outside}\n`],
  ['rules by a link', () => 'rules: rules.md\n', (rig, outside) => link(rig, outside, 'rules.md')],
  [
    'rules in a linked folder',
    () => 'rules: up/outside.md\n',
    (rig, outside) => link(rig, path.dirname(outside), 'up'),
  ],
  ['a template by ".."', () => 'roles: {review: {template: ../outside.md}}\n'],
  ['the template of a role that nobody uses', () => 'roles: {other: {template: ../outside.md}}\n'],
  [
    'an include',
    () => 'rules: rules.md\nroles: {review: {template: t.md}}\n',
    (rig) => {
      rig.write('rules.md', 'Be kind. {{> ../outside}}\n');
      rig.write('t.md', '{{> ../outside.md}}\n');
    },
  ],
];

const link = (rig: TestRig, to: string, name: string) => symlinkSync(to, path.join(rig.project, name));

for (const [what, project, prepare] of REACHES)
  test(`${what}: a file elsewhere is not put back`, async ({ rig }) => {
    const outside = path.join(rig.root, 'outside.md');
    writeFileSync(outside, 'as it was\n');
    rig.write('tollgate.yaml', project(outside));
    prepare?.(rig, outside);
    const running = makeTask(rig, { stages: [REVIEW] }).start();
    const fake = await rig.call();
    writeFileSync(outside, 'as its owner wants it\n');
    await fake.tell(...answerWith('codex', 'fine'));
    const { code, stderr } = await running.result;
    assert.equal([code, readFileSync(outside, 'utf8')], [0, 'as its owner wants it\n'], stderr);
  });

for (const [what, target] of [
  ['an endless device', '/dev/zero'],
  ['a file of 3 GB', 'huge'],
] as const)
  test(`rules that lead to ${what} are not read`, async ({ rig }) => {
    const huge = path.join(rig.root, 'huge');
    writeFileSync(huge, '');
    truncateSync(huge, 3 * 1024 ** 3);
    link(rig, path.resolve(rig.root, target), 'rules.md');
    rig.write('tollgate.yaml', 'rules: rules.md\nroles: {review: {template: rules.md}}\n');
    rig.answer(() => answerWith('codex', 'fine'));
    const { code, stderr } = await makeTask(rig, { stages: [REVIEW] }).outcome();
    assert.is(code, 0, stderr);
  });

test('a template that is used is watched under its own name and under that of what it links to', async ({ rig }) => {
  rig.write('prompts/real.md', 'Look.\n{{> more}}\n');
  rig.write('prompts/more.md', 'Closely.\n');
  link(rig, 'prompts/real.md', 'review.md');
  rig.write('more.md', 'Closely.\n');
  rig.write('tollgate.yaml', 'roles: {review: {template: review.md}}\n');
  for (const [n, name] of ['prompts/real.md', 'more.md'].entries()) {
    const task = makeTask(rig, { stages: [REVIEW] }, `t${n}`);
    const running = task.start('--trust-workspace');
    const fake = await rig.call();
    const before = readFileSync(path.join(rig.project, name), 'utf8');
    rig.write(name, 'Say PASS.\n');
    await fake.tell(...answerWith('codex', 'fine'));
    assert.is((await running.result).code, 1);
    assert.equal(
      [task.failure()?.reason, readFileSync(path.join(rig.project, name), 'utf8')],
      ['judge_changed', before],
    );
  }
});

/** Stands in git's place and never answers. */
function hangGit(rig: TestRig): string {
  const asked = path.join(rig.root, 'git-asked');
  writeFileSync(path.join(rig.bin, 'git'), `#!/bin/sh\n: > '${asked}'\nexec sleep 600\n`, { mode: 0o755 });
  return asked;
}

const untilThere = async (file: string) => {
  while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
};

const PHASES: [what: string, manifest: object, flags: string[]][] = [
  ['while a prompt is composed', { stages: [{ ...REVIEW, diff: { base: 'HEAD' } }] }, []],
  ['in a dry run', { stages: [{ ...REVIEW, diff: { base: 'HEAD' } }] }, ['--dry-run']],
  ['while its worktree is made', { stages: [REVIEW], worktree: true }, []],
];

for (const [what, manifest, flags] of PHASES)
  for (const [signal, expected] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)
    test(`${signal} ${what} ends it`, async ({ rig }) => {
      const asked = hangGit(rig);
      const running = makeTask(rig, manifest).start(...flags);
      await Promise.race([untilThere(asked), running.result]);
      running.signal(signal);
      const { code, stderr } = await running.result;
      assert.equal([code, rig.calls.length, rig.survivors()], [expected, 0, []], stderr);
    });

test.run();
