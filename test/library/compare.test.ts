// Comparisons by the library: the report and the diffs, one applied, the rest removed; refusals name the option.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { installLibrary, program } from '../rig/user-program.ts';

const test = suite<{ rig: TestRig }>('comparisons by the library');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  const { rig } = context;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.project, env: rig.env });
  writeFileSync(path.join(rig.home, '.gitconfig'), '[user]\n\tname = User\n\temail = user@localhost\n');
  rig.write('.gitignore', '*\n');
  git('init', '-q');
  git('add', '-f', '.gitignore');
  git('commit', '-q', '-m', 'first');
  installLibrary(rig);
  rig.answer(({ report: { tool } }) => [
    { do: 'save', file: '.gitignore', text: `*\n# ${tool}\n` },
    ...answerWith(tool as BuiltIn, `I am ${tool}.`),
  ]);
});
test.after.each(({ rig }) => rig.dispose());

test('two CLIs are compared, one result is applied, and nothing else remains', async ({ rig }) => {
  const source = `import { compare, pickVariant, removeComparison } from 'tollgate';
const options = { variants: ['codex', 'claude'], access: 'write', maxCalls: 2, trustWorkspace: true };
const end = await compare('name yourself', options);
const picked = await pickVariant('claude');
const removed = await removeComparison(end.report.comparison_id);
console.log(JSON.stringify({ end, picked, removed }));`;
  const { code, stdout, stderr } = await program(rig, source);
  assert.equal([code, stderr], [0, '']);
  const { end, picked, removed } = JSON.parse(stdout);
  assert.equal(
    end.report.variants.map(({ name, state, answer, calls }: Record<string, unknown>) => [name, state, answer, calls]),
    [
      ['codex', 'done', 'I am codex.', 1],
      ['claude', 'done', 'I am claude.', 1],
    ],
  );
  assert.match(end.diffs[1], '+# codex');
  assert.equal([picked.how, picked.files], ['picked', ['.gitignore']]);
  assert.match(readFileSync(path.join(rig.project, '.gitignore'), 'utf8'), '# claude');
  assert.equal(removed, { how: 'removed' });
  assert.not.ok(existsSync(path.join(rig.project, '.tmp/worktrees', `${end.report.comparison_id}-1`)));
  assert.is(rig.calls.length, 2);
});

test('a wrong option is refused by its name, and nothing is paid', async ({ rig }) => {
  const source = `import { compare, pickVariant, resumeComparison } from 'tollgate';
const ends = [
  await compare('hello', { variants: ['codex'] }),
  await compare('hello', {}),
  await compare('hello', { variants: ['codex', 'claude'], maxCall: 2 }),
  await compare(5, { variants: ['codex', 'claude'] }),
  await resumeComparison('last'),
  await pickVariant('1', { of: 'none' }),
];
console.log(JSON.stringify(ends));`;
  const { stdout } = await program(rig, source);
  const ends = JSON.parse(stdout) as { how: string; message: string }[];
  assert.ok(ends.every(({ how }) => how === 'invalid'));
  for (const [at, says] of [
    '2 to 16 variants, and 1 is given',
    '2 to 16 variants, and 0 are given',
    'did you mean maxCalls?',
    'the prompt must be a text',
    'there is no comparison in',
    'there is no comparison in',
  ].entries())
    assert.match(ends[at]!.message, says);
  assert.is(rig.calls.length, 0);
});

test.run();
