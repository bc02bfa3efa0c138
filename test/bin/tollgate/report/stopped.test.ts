// What reports say of a stage that a person stopped, and of one that the manifest no longer has.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith, failWith } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('stopped and dropped stages');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex', 'claude'] });
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'worker', ...ANY_ANSWER } as const;
const report = async (rig: TestRig, format: string) =>
  (await rig.run('tollgate', ['report', `--format=${format}`])).stdout;

test('a stage that Ctrl-C stopped is skipped, once, and a warning', async ({ rig }) => {
  makeTask(rig, { stages: [REVIEW] });
  const running = rig.start('tollgate', ['run', 'fix'], { env: { GITHUB_ACTIONS: 'true' } });
  await rig.call();
  running.signal('SIGINT');
  const { code, stderr } = await running.result;
  assert.is(code, 130);
  assert.match(stderr, '::warning title=fix codex_worker');
  assert.not.match(stderr, '::error');
  const junit = await report(rig, 'junit');
  assert.match(junit, 'tests="1" failures="0" errors="0" skipped="1"');
  assert.match(junit, 'stopped by SIGINT');
  assert.not.match(await report(rig, 'github'), '::error');
});

test('a stage that the manifest no longer has is in no report', async ({ rig }) => {
  rig.answer((call) => (call.report.tool === 'claude' ? failWith('claude', 'no', 400) : answerWith('codex', 'fine')));
  makeTask(rig, { stages: [REVIEW, { ...REVIEW, tool: 'claude' }] });
  assert.is((await rig.run('tollgate', ['run', 'fix', '--trust-workspace'])).code, 1);
  for (const format of ['junit', 'github', 'json']) assert.match(await report(rig, format), 'claude_worker', format);
  makeTask(rig, { stages: [REVIEW] });
  assert.is((await rig.run('tollgate', ['run', 'fix'])).code, 0);
  for (const format of ['junit', 'github', 'sarif', 'json', 'html'])
    assert.not.match(await report(rig, format), 'claude_worker', format);
});

test.run();
