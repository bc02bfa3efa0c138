// The six pipelines, whole: what each stage is told of the others, the brief's hand-off, and reruns that pay nothing.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actionLine } from '../../policies/facts/next-action.ts';
import { PIPELINES, type PipelineName } from '../../policies/manifest/pipelines.ts';
import { goodAnswer, playRole } from '../rig/answers.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('pipelines');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

for (const [name, stages] of Object.entries(PIPELINES) as [PipelineName, (typeof PIPELINES)[PipelineName]][])
  test(`${name}: every stage is called once, passes its gate, and is not called again`, async ({ rig }) => {
    rig.answer((call) => {
      const n = rig.calls.length;
      const { role } = stages[n - 1]!;
      if (name !== 'review_cross') return playRole(call, role);
      return answerWith(call.report.tool, `${goodAnswer(role)}\nanswer number ${n}\n`);
    });
    const task = makeTask(rig, { pipeline: name, acceptance: { commands: ['true'] } });
    const { code, report, summary } = await task.run();
    assert.is(code, 0, summary);
    assert.equal(
      report.stages.map(({ stage, state, calls, gate }) => [stage, state, calls, gate]),
      stages.map(({ tool, role }) => [`${tool}_${role}`, 'done', 1, 'passed']),
    );
    assert.equal(
      rig.calls.map(({ report: { tool } }) => tool),
      stages.map(({ tool }) => tool),
    );
    if (name === 'review_cross') {
      // A role reads the answers of the roles before it that it is meant to read, and no other.
      const read = rig.calls.map(({ report }) => report.stdin.text.match(/answer number \d/g) ?? []);
      assert.equal(read, [[], [], [], ['answer number 1', 'answer number 2', 'answer number 3']]);
    }
    const again = await task.run();
    assert.equal([again.code, rig.calls.length], [0, stages.length]);
    assert.ok(again.report.stages.every(({ state }) => state === 'done_earlier'));
  });

const BRIEF = `${goodAnswer('brief').replace('The context as the brief left it.', 'Look at src/login.ts first.').replace('```sh\ntrue', '```sh\ntouch ran-by-gate')}`;
const HANDS_OFF = {
  stages: [
    { tool: 'gemini', role: 'brief' },
    { tool: 'copilot', role: 'verify', ...ANY_ANSWER },
  ],
};

test("a brief's context pack takes the place of the task's, and its commands are only proposed", async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, rig.calls.length === 1 ? BRIEF : 'fine'));
  const task = makeTask(rig, HANDS_OFF);
  rig.write('.tmp/task/fix/inputs/context_pack.md', 'The context as a person wrote it.\n');
  const { code, summary } = await task.run();
  assert.is(code, 0);
  const [first, second] = rig.calls.map(({ report }) => report.stdin.text);
  assert.match(first!, 'The context as a person wrote it.');
  assert.not.match(second!, 'The context as a person wrote it.');
  assert.match(second!, 'Look at src/login.ts first.');
  assert.match(
    summary,
    'proposes to verify by `touch ran-by-gate`; put them into acceptance.commands, or run with --trust-brief',
  );
  assert.not(existsSync(path.join(rig.project, 'ran-by-gate')));
});

test('--trust-brief lets the gate run what the brief proposes', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, rig.calls.length === 1 ? BRIEF : 'fine'));
  const task = makeTask(rig, HANDS_OFF);
  assert.is((await task.run('--trust-brief')).code, 0);
  assert.ok(existsSync(path.join(rig.project, 'ran-by-gate')));
});

test('an answer that is redone changes the prompts that hold it: the run stops before it pays for them again', async ({
  rig,
}) => {
  let n = 0;
  rig.answer((call) => answerWith(call.report.tool, `answer ${++n}`));
  const stages = [
    { tool: 'gemini', role: 'review', ...ANY_ANSWER },
    { tool: 'codex', role: 'review_consolidate', ...ANY_ANSWER },
  ];
  const task = makeTask(rig, { stages });
  assert.is((await task.run()).code, 0);
  const { code, report } = await task.run('--redo=gemini_review');
  assert.equal([code, rig.calls.length, report.failure?.stage], [2, 3, 'codex_review_consolidate']);
  assert.match(report.next_actions.map(actionLine).join('\n'), '--redo codex_review_consolidate');
  assert.equal([(await task.run('--redo=codex_review_consolidate')).code, rig.calls.length], [0, 4]);
});

test.run();
