// The help of every built command: it is printed, has examples and exit codes, and goes to stdout.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('help');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const WRAPPERS = ['gemini_headless', 'copilot_tool', 'run_codex', 'preflight', 'wait_parallel_tasks'].map(
  (name) => [name, []] as const,
);
const SUBCOMMANDS = [
  'run',
  'init',
  'explain',
  'report',
  'archive',
  'batch',
  'scope',
  'budget',
  'history',
  'undo',
  'recover',
  'triage',
  'signature',
  'preflight',
  'wait',
].map((word) => ['tollgate', [word]] as const);

for (const [command, words] of [...WRAPPERS, ...SUBCOMMANDS])
  test(`${[command, ...words].join(' ')} --help`, async ({ rig }) => {
    const { code, stdout, stderr } = await rig.start(command, [...words, '--help']).result;
    assert.equal([code, stderr], [0, '']);
    for (const part of ['Options:', 'Examples:', 'Exit codes:', '--json', '--quiet']) assert.match(stdout, part);
  });

test('tollgate --version', async ({ rig }) => {
  const { code, stdout } = await rig.start('tollgate', ['--version']).result;
  assert.is(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test.run();
