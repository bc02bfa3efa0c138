// What earlier stages answered goes into the prompt of a later one, however long it is.

import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ComposedPrompt, composePrompt, type DigestPolicy } from '../../../loops/task/prompt.ts';
import { openTask } from '../../../loops/task/task.ts';
import { contextIn, OPTIONS } from '../../rig/run-settings.ts';
import { makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('earlier answers');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const STAGES = ['brief', 'test_design', 'review', 'impl'].map((role) => ({ tool: 'codex', role }));

async function promptOf(rig: TestRig, stage: string, digest: DigestPolicy = 'off'): Promise<ComposedPrompt> {
  const clock = () => new Date();
  const asked = { word: 'fix', cwd: rig.project, environment: rig.env, trustWorkspace: false, clock };
  const opened = await openTask(asked, 'look');
  if (opened.how === 'invalid') throw new Error(opened.message);
  const plan = opened.open.plans.find((one) => one.stage.name === stage)!;
  return composePrompt({ open: opened.open, options: OPTIONS, context: contextIn(rig) }, plan, digest);
}

test('of a huge answer the beginning is read, and what the role does not want is not even opened', async ({ rig }) => {
  const { folder, journal } = makeTask(rig, { stages: STAGES });
  for (const stage of ['codex_brief', 'codex_test_design', 'codex_review'])
    journal.append({ fact: 'done', stage, call_id: null, prompt_sha256: 'a' });
  rig.write('.tmp/task/fix/outputs/codex_brief.codex.out', '# Updated Context Pack\n\nThe brief found it.\n');
  rig.write('.tmp/task/fix/outputs/codex_test_design.codex.out', '# Tests\n\nThe design says so.\n');
  // More than one string can hold.
  truncateSync(path.join(folder, 'outputs/codex_test_design.codex.out'), 1024 ** 3);
  // Whoever opens it waits for ever.
  execFileSync('mkfifo', [path.join(folder, 'outputs/codex_review.codex.out')]);
  const composed = await promptOf(rig, 'codex_impl', 'auto');
  if (composed.how === 'invalid') throw new Error(composed.message);
  const { text, prompt } = composed;
  for (const part of ['The brief found it.', 'The design says so.'])
    assert.ok(text.includes(part), part + text.slice(1200));
  assert.equal(
    prompt.leftOut.map(({ what, chars }) => [what, chars]),
    [['answer of codex_test_design', 1024 ** 3]],
  );
  assert.equal(prompt.warnings, ['of the answer of codex_test_design the first 400,000 characters were read']);
  const off = await promptOf(rig, 'codex_impl');
  assert.ok(off.how === 'done' && off.prompt.tooLarge!.chars > 1024 ** 3);
});

test.run();
