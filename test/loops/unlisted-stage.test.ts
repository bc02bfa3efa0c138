// The next actions about a stage that only a pipeline names: the text that they say to write, written into the manifest of `tollgate init`.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actionLine, type NextAction } from '../../policies/facts/next-action.ts';
import { goodAnswer } from '../rig/answers.ts';
import { answerWith, failWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('unlisted stage');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

async function initTask(rig: TestRig, pipeline: string) {
  const { code, stderr } = await rig.run('tollgate', ['init', 'fix', '--pipeline', pipeline, '--goal', 'Look.']);
  assert.is(code, 0, stderr);
  return openTask(rig);
}

function openTask(rig: TestRig) {
  const manifest = path.join(rig.project, '.tmp/task/fix/manifest.yaml');
  const run = async () => {
    const { code, stdout, stderr } = await rig.run('tollgate', ['run', 'fix', '--json']);
    assert.is.not(stdout, '', stderr);
    return { code, next: (JSON.parse(stdout) as { next_actions: NextAction[] }).next_actions.map(actionLine) };
  };
  return { manifest, run };
}

const toWrite = (line: string): string => /add `([^`]+)`/.exec(line)![1]!;

test('a model, where the manifest lists no stage', async ({ rig }) => {
  const { manifest, run } = await initTask(rig, 'one_shot_impl');
  rig.answer(() => failWith('codex', "The 'nope' model is not supported when using Codex", 400));
  const { next } = await run();
  assert.is(
    next[0],
    `name a model that exists, since the CLI's own choice does not: \`model\` of the stage (add \`stages: [{tool: codex, role: impl}]\` to ${manifest}, with \`model\` in it)`,
  );
  appendFileSync(manifest, `\n${toWrite(next[0]!).replace('}', ', model: gpt-mine}')}\n`);
  rig.answer(() => failWith('codex', "The 'gpt-mine' model is not supported when using Codex", 400));
  const again = await run();
  assert.is(rig.calls.length, 2);
  assert.ok(rig.calls[1]!.report.argv.includes('gpt-mine'));
  // Now there is a line of it.
  assert.match(
    again.next[0]!,
    new RegExp(`^name a model that exists: \`model\` in ${manifest}:\\d+ \\(now gpt-mine\\)$`),
  );
});

test('what a gate looks for, where the manifest lists another stage', async ({ rig }) => {
  const { manifest, run } = await initTask(rig, 'one_shot_impl');
  appendFileSync(manifest, '\nstages:\n  - {tool: gemini, role: verify, timeout_ms: 60000}\n');
  rig.answer(({ report: { tool } }) => answerWith(tool, goodAnswer(tool === 'codex' ? 'impl' : 'verify')));
  const { next } = await run();
  const first = readFileSync(manifest, 'utf8').split('\n').indexOf('stages:') + 2;
  const about = next.find((action) => action.includes('may_be_empty'));
  assert.is(
    about,
    `only if the user decides so, since it weakens the gate: if there may be nothing to change, set \`may_be_empty: true\` in the stage (add \`{tool: codex, role: impl, may_be_empty: true}\` to the list at ${manifest}:${first}), then check the answer again (free): \`tollgate run fix\``,
  );
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('\nstages:\n', `\nstages:\n  - ${toWrite(about!)}\n`));
  const again = await run();
  assert.equal(again.code, 0, again.next.join('\n'));
  assert.equal(
    rig.calls.map(({ report }) => report.tool),
    ['codex', 'gemini'],
  );
});

test("a pipeline of the project's own, whose stages have ids", async ({ rig }) => {
  rig.write('tollgate.yaml', 'pipelines:\n  own:\n    - {id: look, tool: codex, role: review, model: gpt-theirs}\n');
  const given = 'task_id: fix\ngoal: g\npipeline: own\nsecurity: {trust_workspace: true}\n';
  rig.write('.tmp/task/fix/manifest.yaml', given);
  const { manifest, run } = openTask(rig);
  rig.answer(() => failWith('codex', "The 'gpt-theirs' model is not supported when using Codex", 400));
  const { next } = await run();
  assert.is(
    next[0],
    `name a model that exists: \`model\` of the stage (add \`stages: [{id: "look", tool: codex, role: review}]\` to ${manifest}, with \`model\` in it; now gpt-theirs)`,
  );
  appendFileSync(manifest, `${toWrite(next[0]!).replace('}', ', model: gpt-mine}')}\n`);
  await run();
  assert.ok(rig.calls[1]!.report.argv.includes('gpt-mine'));
});

test.run();
