// tollgate without a word, as `npx tollgate` starts it: the commands, then what is missing and the next command.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('first start');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: [] });
});
test.after.each(({ rig }) => rig.dispose());

const lastLine = async (rig: TestRig, env = {}) => {
  const { code, stdout, stderr } = await rig.start('tollgate', [], { env }).result;
  assert.equal([code, stdout], [2, '']);
  assert.match(stderr, /^Usage: tollgate COMMAND/);
  return stderr.trimEnd().split('\n').at(-1)!;
};

test('without a CLI: doctor, with npx where npx started it', async ({ rig }) => {
  const none = 'Next: none of gemini, copilot, codex and claude is installed.';
  assert.ok((await lastLine(rig)).startsWith(`${none} \`tollgate doctor\``));
  assert.ok((await lastLine(rig, { npm_command: 'exec' })).startsWith(`${none} \`npx tollgate doctor\``));
});

test('without a task: init, or a call of the CLI that is installed', async ({ rig }) => {
  rig.install('codex');
  assert.match(
    await lastLine(rig),
    /^Next: there is no task here\. `tollgate init NAME .*`tollgate call codex "PROMPT"`/,
  );
});

test('commands that set up a project name each next command with npx where npx started them', async ({ rig }) => {
  rig.install('codex');
  const env = { npm_command: 'exec' };
  const all = ['init fix --goal=x', 'init fix2 --pipeline=safe_impl', 'preflight', 'doctor', 'tools', 'tools add qwen'];
  for (const words of all) {
    const { stdout, stderr } = await rig.start('tollgate', words.split(' '), { env }).result;
    assert.match(stdout, /npx tollgate [a-z]/, words);
    assert.not.match(stdout + stderr, /(?<!npx )\btollgate (?!run TASK)[a-z]+ /, words);
  }
});

test('with a task: status', async ({ rig }) => {
  rig.install('codex');
  rig.write('.tmp/task/fix/manifest.yaml', 'task_id: fix\n');
  assert.match(await lastLine(rig), /^Next: `tollgate status` /);
});

test.run();
