// Stand-ins of a stage: for what they are asked, when never, and that whoever answered is named wherever one reads of it.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepEntries } from '../../rig/kept-entries.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('stand-ins');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const OVERLOADED = ['The model is overloaded. Please try again later.', 503] as const;
const NOT_FOUND = ["The model 'm1' does not exist or you do not have access to it.", 404] as const;
const FALLBACK = [
  { tool: 'codex', model: 'm2' },
  { tool: 'codex', model: 'm3' },
];
const STAGE = { tool: 'codex', role: 'review', id: 'look', model: 'm1', fallback: FALLBACK, ...ANY_ANSWER };
const modelsOf = ({ calls }: TestRig) =>
  calls.map(({ report }) => ['m1', 'm2', 'm3'].find((model) => report.argv.includes(model)));

test('a list of models within one tool is gone through where one is not found, one call each', async ({ rig }) => {
  rig.answer(({ report }) =>
    report.argv.includes('m3') ? answerWith('codex', 'by m3') : failWith('codex', ...NOT_FOUND),
  );
  const task = makeTask(rig, { stages: [{ ...STAGE, fallback_on: ['model_not_found'] }] });
  const { code, report } = await task.run();
  assert.equal([code, modelsOf(rig), report.budget?.used], [0, ['m1', 'm2', 'm3'], 3]);
  assert.is(task.read('outputs/look.codex.out'), 'by m3');
});

for (const [what, said, fallbackOn] of [
  ['not found, and stand-ins are for quotas unless told', NOT_FOUND, undefined],
  ['not found, and stand-ins are for what is overloaded alone', NOT_FOUND, ['overloaded']],
] as const)
  test(`no stand-in is asked where a model is ${what}`, async ({ rig }) => {
    rig.answer(() => failWith('codex', ...said));
    const on = fallbackOn === undefined ? {} : { fallback_on: fallbackOn };
    const { code, report } = await makeTask(rig, { stages: [{ ...STAGE, ...on }] }).run();
    assert.equal([code, modelsOf(rig), report.failure?.reason], [1, ['m1'], 'model_not_found']);
  });

test('no stand-in is asked once a tool has run', async ({ rig }) => {
  const { opens, runsTool, fails } = STREAMS.codex;
  rig.answer(() => [write([...opens(SESSION), ...runsTool('done'), ...fails(OVERLOADED[0])]), { do: 'exit', code: 1 }]);
  const task = makeTask(rig, { stages: [{ ...STAGE, fallback_on: ['overloaded'] }], budgets: { retry_budget: 0 } });
  const { code, report } = await task.run();
  assert.equal([code, modelsOf(rig), report.failure?.reason], [1, ['m1'], 'overloaded']);
});

test('who answered, and in place of whom, is said by the run, its summary, the journal and the report', async ({
  rig,
}) => {
  rig.answer(({ report }) =>
    report.tool === 'codex' ? failWith('codex', ...OVERLOADED) : answerWith('copilot', 'by another'),
  );
  const stage = { ...STAGE, fallback: [{ tool: 'copilot', model: 'm9' }], fallback_on: ['overloaded'] };
  const task = makeTask(rig, { stages: [stage] });
  const { code, report } = await task.run();
  const [look] = report.stages;
  assert.equal([code, look!.tool, look!.calls], [0, 'copilot', 2]);
  const said = 'copilot with m9 was asked in place of codex with m1 (overloaded)';
  assert.match(look!.warnings.join(), said);
  assert.match(task.read('outputs/_summary.md'), said);
  assert.match(task.read('state/journal.jsonl'), '"action":"fallback","why":"copilot replaces it"');
  const asked = { tool: 'copilot', model: 'm9', in_place_of: { tool: 'codex', model: 'm1' }, reason: 'overloaded' };
  assert.equal(look!.stand_ins, [asked]);
  const reportAs = async (format: string) => (await rig.run('tollgate', ['report', `--format=${format}`])).stdout;
  const [told] = JSON.parse(await reportAs('json')).tasks[0].stages;
  assert.equal([told.tool, told.stand_ins], ['copilot', [asked]]);
  assert.match(await reportAs('junit'), `<system-out>${said}</system-out>`);
  assert.match(await reportAs('html'), '<td>copilot with m9 for codex with m1</td>');
});

const QUOTA = ['You exceeded your current quota, please check your plan and billing details.', 429] as const;

test('a stand-in that is not installed is skipped, and named', async ({ rig }) => {
  rig.answer(({ report }) =>
    report.tool === 'codex' ? failWith('codex', ...QUOTA) : answerWith('copilot', 'by another'),
  );
  rig.uninstall('claude');
  const stage = { ...STAGE, fallback: [{ tool: 'claude' }, { tool: 'copilot' }] };
  const { code, summary } = await makeTask(rig, { stages: [stage] }).run();
  assert.equal([code, rig.calls.map(({ report }) => report.tool)], [0, ['codex', 'copilot']]);
  assert.match(summary, 'claude cannot replace it: claude is not on the PATH');
  assert.match(summary, 'copilot was asked in place of codex');
});

test('if no stand-in can be started, the failure is that of the tool itself, with its time', async ({ rig }) => {
  rig.answer(() => failWith('codex', 'Try again in 40 minutes: you have hit your usage limit.', 429));
  rig.uninstall('claude');
  const stage = { ...STAGE, fallback: [{ tool: 'claude' }] };
  const { code, report } = await makeTask(rig, { stages: [stage] }).run();
  assert.equal([code, report.failure?.class, typeof report.failure?.retry_at], [1, 'quota', 'string']);
  assert.match(report.failure!.decision.why, 'claude cannot replace it: claude is not on the PATH');
});

const usedUp = (time: string) => failWith('codex', `Try again in ${time}: you have hit your usage limit.`, 429);
const TWO_USED_UP = { ...STAGE, fallback: [{ tool: 'codex', model: 'm2' }] };

test('of several used-up quotas, the report gives the time and the tool of the first reset', async ({ rig }) => {
  rig.answer(({ report }) => (report.tool === 'codex' ? usedUp('40 minutes') : failWith('copilot', ...QUOTA)));
  const task = makeTask(rig, { stages: [{ ...STAGE, fallback: [{ tool: 'copilot' }] }] });
  const { report } = await task.run();
  const { retry_at, tool, next_actions } = report.failure!;
  assert.is(tool, 'copilot');
  assert.ok(Math.abs(Date.parse(retry_at!) - Date.now() - 40 * 60_000) < 60_000, `${retry_at}`);
  assert.match(next_actions[0]!.text, `not before ${retry_at}, call codex again`);
});

test('--wait-for-reset waits for the first reset of all engines, and returns to its engine', async ({ rig }) => {
  rig.answer(({ report }) => {
    if (report.argv.includes('m2')) return usedUp('4 days');
    return modelsOf(rig).includes('m2') ? answerWith('codex', 'by m1') : usedUp('3 seconds');
  });
  const { code, report, summary } = await makeTask(rig, { stages: [TWO_USED_UP] }).run(
    '--wait-for-reset',
    '5m',
    '--ignore-hold',
  );
  assert.equal([code, modelsOf(rig)], [0, ['m1', 'm2', 'm1']]);
  assert.equal(report.stages[0]!.stand_ins, [], 'the first engine has answered');
  assert.match(summary, 'codex with m1 was asked in place of codex with m2');
});

test('a stage names no stand-in as unable to replace it where it is not for this cause', async ({ rig }) => {
  rig.answer(() => failWith('codex', ...QUOTA));
  rig.uninstall('claude');
  const stage = { ...STAGE, fallback: [{ tool: 'claude' }], fallback_on: ['overloaded'] };
  const { report } = await makeTask(rig, { stages: [stage] }).run();
  assert.not.match(report.failure!.decision.why, 'claude');
});

test('another model of the same tool continues in no session of the first', async ({ rig }) => {
  const first = SESSION.replace(/.$/, '9');
  keepEntries(rig, 'codex', { fix: { session_id: first } });
  rig.answer(({ report }) =>
    report.argv.includes('m2') ? answerWith('codex', 'by m2') : failWith('codex', ...OVERLOADED),
  );
  const { code, summary } = await makeTask(rig, { stages: [{ ...STAGE, fallback_on: ['overloaded'] }] }).run();
  assert.equal([code, rig.calls.map(({ report }) => report.argv.includes(first))], [0, [true, false]]);
  assert.match(summary, `a fresh session takes the place of ${first}`);
});

test('while it is asked, status says in whose place', async ({ rig }) => {
  const stage = { ...STAGE, fallback: [{ tool: 'copilot', model: 'm9' }], fallback_on: ['overloaded'] };
  const task = makeTask(rig, { stages: [stage] });
  const running = task.start();
  await (await rig.call()).tell(...failWith('codex', ...OVERLOADED));
  const fake = await rig.call();
  const status = async (...flags: string[]) => (await rig.run('tollgate', ['status', ...flags])).stdout;
  assert.match(await status(), / copilot with m9 for codex with m1 /);
  assert.equal(
    JSON.parse(await status('--json')).running.calls[0].stand_ins.map(({ model }: { model: string }) => model),
    ['m9'],
  );
  await fake.tell(...answerWith('copilot', 'by another'));
  await running.result;
});

test.run();
