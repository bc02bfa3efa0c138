// tollgate budget: paid calls and tokens by stage, and that a call cannot raise its own.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate budget');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const ANSWER = '# Summary\n\nA.\n\n# Findings\n\nNone.\n\n# Verdict\n\nGood.\n';
const STAGES = [
  { tool: 'gemini', role: 'review' },
  { tool: 'codex', role: 'review' },
];

test('calls and tokens by stage, those of unknown usage apart', async ({ rig }) => {
  rig.answer(({ report: { tool } }) =>
    rig.calls.length === 2
      ? failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500)
      : answerWith(tool, ANSWER),
  );
  makeTask(rig, { stages: STAGES });
  await rig.run('tollgate', ['run', 'fix']);
  const { code, stdout, stderr } = await rig.run('tollgate', ['budget', 'fix']);
  assert.equal([code, stderr], [0, '']);
  assert.is(
    stdout,
    `3 of 10 paid calls used, 7 left
Calls by stage, ever:
  gemini_review: 1 call, 18 tokens (input 11, cached 0, output 7)
  codex_review: 2 calls, 18 tokens (input 11, cached 0, output 7), tokens of 1 unknown
  all: 3 calls, 36 tokens (input 22, cached 0, output 14), tokens of 1 unknown
`,
  );
  const json = await rig.run('tollgate', ['budget', 'fix', '--json']);
  const codex = {
    calls: 2,
    unknown_calls: 1,
    input_tokens: 11,
    cached_tokens: 0,
    output_tokens: 7,
    total_tokens: 18,
    usd: null,
    unpriced_calls: 2,
  };
  const { usage, ...rest } = JSON.parse(json.stdout);
  assert.equal(rest, {
    schema: 1,
    task_id: 'fix',
    used: 3,
    total: 10,
    left: 7,
    calls_by_stage: { gemini_review: 1, codex_review: 2 },
  });
  assert.equal(usage.stages.codex_review, codex);
});

test("dollars by the project's own prices, as far as they are known", async ({ rig }) => {
  rig.answer(({ report: { tool } }) => answerWith(tool, ANSWER));
  rig.write('tollgate.yaml', 'prices:\n  test-model: {input: 1000, output: 10000}\n');
  makeTask(rig, { stages: STAGES });
  await rig.run('tollgate', ['run', 'fix']);
  const { stdout } = await rig.run('tollgate', ['budget', 'fix']);
  assert.match(stdout, /all: 2 calls, 36 tokens \(.*\), \$0\.0810 \(1 without a price\)/);
});

test('each call of a wrapper on its own counts, also after another call of its stage', async ({ rig }) => {
  rig.answer(() => answerWith('codex', ANSWER));
  makeTask(rig, { stages: STAGES });
  rig.write('ask.md', 'Look.');
  const flags = ['--prompt-file=ask.md', '--out=o', '--err=e', '--task=.tmp/task/fix'];
  await rig.start('run_codex', flags).result;
  const shown = async () => (await rig.run('tollgate', ['budget', 'fix'])).stdout.split('\n')[2];
  assert.is(await shown(), '  codex_adhoc: 1 call, 18 tokens (input 11, cached 0, output 7)');
  await rig.start('run_codex', flags).result;
  assert.is(await shown(), '  codex_adhoc: 2 calls, 36 tokens (input 22, cached 0, output 14)');
});

test('records that are gone leave the calls counted', async ({ rig }) => {
  rig.answer(() => answerWith('codex', ANSWER));
  const task = makeTask(rig, { stages: [STAGES[1]] });
  await task.run();
  rmSync(path.join(task.folder, 'state/attempts'), { recursive: true });
  rmSync(path.join(task.folder, 'outputs'), { recursive: true });
  const { stdout } = await rig.run('tollgate', ['budget', 'fix']);
  assert.is(
    stdout,
    '1 of 10 paid calls used, 9 left\nCalls by stage, ever:\n  codex_review: 1 call, tokens of 1 unknown\n',
  );
});

for (const name of ['TOLLGATE_CALL_ID', 'GEMINI_CLI_TOLLGATE_CALL_ID'])
  for (const change of [['--set', '99'], ['--reset']])
    test(`${change.join(' ')} with ${name}: a call looks at its budget and does not change it`, async ({ rig }) => {
      const task = makeTask(rig, { stages: STAGES });
      const env = { [name]: 'outer/inner' };
      assert.equal(await rig.run('tollgate', ['budget', 'fix', ...change], { env }), {
        code: 2,
        signal: null,
        stdout: '',
        stderr:
          'tollgate budget: a call may not change a budget, and this was started from within the call outer/inner; ask the caller that started it\n',
      });
      assert.is(task.journal.read().offset, 0);
      const { code, stdout } = await rig.run('tollgate', ['budget', 'fix'], { env });
      assert.equal([code, stdout], [0, '0 of 10 paid calls used, 10 left\n']);
    });

test('a total alone has no parts to show', async ({ rig }) => {
  const result = {
    type: 'result',
    timestamp: '2026-01-01T00:00:00.000Z',
    status: 'success',
    stats: { total_tokens: 0 },
  };
  rig.answer(() => [write([...STREAMS.gemini.opens(SESSION), JSON.stringify(result)])]);
  makeTask(rig, { stages: [STAGES[0]] });
  await rig.run('tollgate', ['run', 'fix']);
  const { stdout } = await rig.run('tollgate', ['budget', 'fix']);
  assert.match(stdout, /^ {2}gemini_review: \d calls?, 0 tokens$/m);
});

test.run();
