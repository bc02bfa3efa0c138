// The action: what GitHub would refuse of it, that nobody's words become shell, and what it hands to later steps.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { runJob } from '../rig/ci/github-job.ts';
import { openWorkflowSchema } from '../rig/ci/workflow-schema.ts';

const TEXT = readFileSync('action.yml', 'utf8');
const ACTION = parse(TEXT) as {
  inputs: Record<string, { description: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: { run: string }[] };
};

const test = suite<{ root: string }>('action');
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'action-'));
});
test.after.each(({ root }) => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

test('GitHub would take it, and not one with a wrong key', async () => {
  const { action } = await openWorkflowSchema();
  assert.equal(action(TEXT), []);
  for (const [right, wrong] of [
    ['using:', 'usign:'],
    ['      shell: bash', '      shel: bash'],
    ['\nname:', '\nnmae:'],
  ] as const)
    assert.is.not(action(TEXT.replace(right, wrong)).length, 0, wrong);
});

test('no expression stands in a line of shell', () => {
  for (const { run } of ACTION.runs.steps) assert.not.match(run, '${{');
});

test('docs/ci.md names its inputs, and its outputs', () => {
  const page = readFileSync('docs/ci.md', 'utf8');
  const names = [...Object.keys(ACTION.inputs), ...Object.keys(ACTION.outputs)];
  assert.equal(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
  for (const [name, { value }] of Object.entries(ACTION.outputs)) assert.is(value, `\${{ steps.run.outputs.${name} }}`);
});

test('a task that is there: its outputs come to the step; words that look like shell or flags are a task that is not', async ({
  root,
}) => {
  const env = {
    PATH: [path.resolve('examples/replay'), path.dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
    HOME: root,
  };
  const settings = { workspace: root, temporary: path.join(root, 'runner'), env, contexts: {} };
  const uses = 'OWNER/tollgate@COMMIT';
  const steps = [
    { uses },
    { run: 'git init -q && tollgate init api --pipeline design_only --goal "Design it."' },
    { id: 'it', uses, with: { task: 'api', deadline: '5h' } },
  ];
  const { ok, log, outputs } = await runJob({ steps }, settings);
  assert.ok(ok, log);
  const { state, tokens, answer_file } = outputs.it!.outputs;
  assert.is(state, 'done');
  assert.is(tokens, '', 'copilot reports none');
  assert.is.not(readFileSync(answer_file!, 'utf8'), '');
  for (const task of ['$(touch bad)', '"; touch bad; "', '--help']) {
    const end = await runJob({ steps: [{ id: 'it', uses, with: { task } }] }, settings);
    assert.not.ok(end.ok, task);
    assert.is(end.outputs.it!.outputs.state, 'refused');
  }
  assert.throws(() => readFileSync(path.join(root, 'bad')));
});

test.run();
