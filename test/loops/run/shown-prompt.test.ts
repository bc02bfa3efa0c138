// tollgate run --dry-run --show-prompt: each prompt as the CLI would get it, or whose answers it waits for.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Forecast } from '../../../loops/run/forecast.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('shown prompt');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const STAGES = [
  { tool: 'gemini', role: 'brief', ...ANY_ANSWER },
  { tool: 'codex', role: 'impl', may_be_empty: true, ...ANY_ANSWER },
];

const show = (rig: TestRig, ...flags: string[]) =>
  rig.run('tollgate', ['run', 'fix', '--dry-run', '--show-prompt', ...flags]);

test('it is what is sent, byte for byte, escaped and without secrets', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, 'The brief.'));
  const task = makeTask(rig, { stages: STAGES });
  const token = 'ghp_0123456789abcdefABCDEF0123456789abcd';
  rig.write('.tmp/task/fix/inputs/user_request.md', `See @src/parse.ts, é, ${token}.\n`);
  const { code, stdout } = await show(rig, '--json');
  const [brief, impl] = (JSON.parse(stdout) as Forecast).stages.map(({ prompt }) => prompt);
  assert.equal([code, impl], [0, { text: null, waits_for: ['gemini_brief'] }]);
  assert.ok(brief!.text!.includes('See \\@src/parse.ts, é, [REDACTED'));
  const text = await show(rig);
  assert.ok(text.stdout.includes(`gemini_brief: its prompt, as it would be sent:\n\n${brief!.text!.trimEnd()}\n`));
  assert.match(text.stdout, 'codex_impl: its prompt will hold the answers of gemini_brief, and is not known yet\n');
  assert.equal([rig.calls.length, text.stdout.includes(token)], [0, false]);
  assert.is((await task.run()).code, 0);
  assert.is(rig.calls[0]!.report.stdin.text, brief!.text);
  const after = JSON.parse((await show(rig, '--json', '--redo=codex_impl')).stdout) as Forecast;
  assert.equal(
    after.stages.map(({ prompt }) => prompt?.waits_for),
    [undefined, []],
  );
  assert.match(after.stages[1]!.prompt!.text!, 'The brief.');
});

test('without --dry-run it is a mistake, and nothing is asked', async ({ rig }) => {
  makeTask(rig, { stages: STAGES });
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix', '--show-prompt']);
  assert.equal([code, stderr, rig.calls.length], [2, 'tollgate run: --show-prompt needs --dry-run\n', 0]);
});

test.run();
