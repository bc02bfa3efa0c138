// What real runs leave is what the published schemas say: each record whole, and nothing in it that they do not name.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultEnv } from '../rig/fault-shim.ts';
import { schemaFiles } from '../rig/schemas/schemas.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';

const test = suite<{ rig: TestRig }>('records');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const SCHEMAS = new Map(
  schemaFiles().map(({ name, schema }) => [
    name,
    // More than is known may stand in a file that people edit, but we write nothing more.
    new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true }).compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"additionalProperties":true', '"additionalProperties":false')),
    ),
  ]),
);

/** Which records a run left, by schema: how often one was looked at, and what is wrong with it. */
class Looked {
  readonly counts: Record<string, number> = {};
  readonly wrong: string[] = [];

  at(name: string, value: unknown): void {
    const validate = SCHEMAS.get(`${name}_SCHEMA.json`) as ValidateFunction;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    if (!validate(value)) this.wrong.push(`${name}: ${JSON.stringify(validate.errors?.slice(0, 3))}`);
  }
}

function lookAt(folder: string, stdout: string): Looked {
  const looked = new Looked();
  if (stdout !== '') looked.at('REPORT', JSON.parse(stdout));
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    const read = () => readFileSync(path.join(folder, name), 'utf8');
    if (name === 'manifest.json') looked.at('TASK', JSON.parse(read()));
    if (/\.call\.json$|\/record\.json$/.test(name)) looked.at('CALL', JSON.parse(read()));
    if (name.endsWith('.gate.json')) looked.at('GATE', JSON.parse(read()));
    if (name === 'state/last_failure.json') looked.at('FAILURE', JSON.parse(read()));
    if (name === 'state/stats.json') looked.at('STATE', JSON.parse(read()));
    if (name === 'state/journal.jsonl')
      for (const line of read().split('\n')) if (line !== '') looked.at('JOURNAL', JSON.parse(line));
  }
  return looked;
}

const ONE = { stages: [{ tool: 'codex', role: 'review' }] };
const MUST = ['TASK', 'REPORT', 'STATE', 'JOURNAL'];

function judged({ counts, wrong }: Looked, more: readonly string[]): void {
  assert.equal(wrong, []);
  for (const name of [...MUST, ...more]) assert.ok(counts[name]! > 0, `no ${name} was looked at`);
}

test('a success of each tool', async ({ rig }) => {
  rig.answer((call) => answerWith(call.report.tool, '# Findings\n\nNone.\n\n# Verdict\n\nGood.\n'));
  const stages = ['gemini', 'copilot', 'codex'].map((tool) => ({ tool, role: 'review' }));
  const task = makeTask(rig, { stages });
  judged(lookAt(task.folder, (await task.outcome()).stdout), ['CALL']);
});

test('a failure that is retried, a rerun that succeeds, a stage that is done again', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'unexpected status 500 Internal Server Error: boom', 500));
  const task = makeTask(rig, ONE);
  judged(lookAt(task.folder, (await task.outcome()).stdout), ['CALL', 'FAILURE']);
  rig.answer(() => answerWith('codex', '# Findings\n\nNone.\n\n# Verdict\n\nGood.\n'));
  judged(lookAt(task.folder, (await task.outcome()).stdout), ['CALL', 'FAILURE']);
  judged(lookAt(task.folder, (await task.outcome('--redo=codex_review')).stdout), ['CALL', 'FAILURE']);
});

test('a budget that refuses, is set, reset, and edited', async ({ rig }) => {
  const task = makeTask(rig, { ...ONE, budgets: { paid_call_budget: 0 } });
  judged(lookAt(task.folder, (await task.outcome()).stdout), ['CALL', 'FAILURE']);
  await rig.run('tollgate', ['budget', 'fix', '--set', '3', '--reset']);
  const stats = JSON.parse(task.read('state/stats.json'));
  rig.write('.tmp/task/fix/state/stats.json', JSON.stringify({ ...stats, paid_call_budget: 0, paid_calls_used: 1 }));
  judged(lookAt(task.folder, (await task.outcome()).stdout), ['CALL', 'FAILURE']);
});

test('a binary that is missing', async ({ rig }) => {
  rig.uninstall('codex');
  const task = makeTask(rig, ONE);
  judged(lookAt(task.folder, (await task.outcome()).stdout), ['CALL', 'FAILURE']);
});

test('a run that is stopped', async ({ rig }) => {
  const task = makeTask(rig, ONE);
  const running = task.start();
  const fake = await rig.call();
  await fake.tell(write(STREAMS.codex.opens(SESSION)));
  running.signal('SIGTERM');
  judged(lookAt(task.folder, (await running.result).stdout), ['CALL', 'FAILURE']);
});

withFaults(
  'a batch: one done, one failed, one broken, one that cannot be run; and one that is refused',
  async ({ rig }) => {
    rig.answer((call) =>
      call.report.stdin.text.includes('Break.')
        ? // A refused sign-in would pause codex, and perhaps before c began.
          failWith('codex', 'unexpected status 404 Not Found: model not found', 404)
        : answerWith('codex', '# Findings\n\nNone.\n\n# Verdict\n\nGood.\n'),
    );
    makeTask(rig, ONE, 'a');
    makeTask(rig, { ...ONE, goal: 'Break.' }, 'b');
    makeTask(rig, ONE, 'c');
    const under = path.join(rig.project, '.tmp/task/c/outputs/_summary.md');
    Object.assign(rig.env, faultEnv({ in: 'tollgate.cjs', under, at: 1, times: 0, does: 'ENOSPC' }));
    const looked = new Looked();
    const all = ['batch', 'a', 'b', 'c', 'none', '--json'];
    looked.at('BATCH', JSON.parse((await rig.run('tollgate', all)).stdout));
    const report = JSON.parse((await rig.run('tollgate', [...all, '--skip-bad'])).stdout);
    looked.at('BATCH', report);
    looked.at('BATCH', JSON.parse(readFileSync(report.files.report, 'utf8')));
    assert.equal(
      report.tasks.map(({ state }: { state: string }) => state),
      ['refused', 'done', 'failed', 'broken'],
    );
    assert.equal([looked.counts.BATCH, looked.wrong], [3, []]);
  },
);

test('a run that is refused', async ({ rig }) => {
  const looked = new Looked();
  looked.at('REPORT', JSON.parse((await rig.run('tollgate', ['run', 'none', '--json'])).stdout));
  assert.equal(looked.wrong, []);
});

test.run();
