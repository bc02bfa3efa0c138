// A project's own rows in a run: whom they judge, when they count, and that a killed run's call is judged by those it began with.

import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, killWithGuardian, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('own rows in a run');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const stage = (id: string, tool = 'codex') => ({ tool, role: 'brief', id, ...ANY_ANSWER });
const ONE = { stages: [stage('one')] };
const TRUSTED = { ...ONE, security: { trust_workspace: true } };
const rows = (change = '') =>
  `triage:\n  rules:\n    - {id: corp-proxy, match: {text: corporate proxy}, class: tooling, reason: corporate_proxy, proof: [the corporate proxy] ${change}}\n`;
const PROXY = failWith('codex', 'unexpected status 503: the corporate proxy says no', 503);
const UNUSED =
  'the rows of tollgate.yaml (triage.rules) are not used, since the workspace is not trusted (--trust-workspace)';

const lineOf = (text: string, label: string) => text.split('\n').find((line) => line.startsWith(`${label}  `))!;

for (const [what, manifest, flags] of [
  ['by its flag', ONE, ['--trust-workspace']],
  ['by its manifest', TRUSTED, []],
] as const)
  test(`in a workspace that is trusted ${what} they judge first, and are shown`, async ({ rig }) => {
    rig.write('tollgate.yaml', rows());
    rig.answer(() => PROXY);
    const task = makeTask(rig, manifest);
    const { code, report, summary } = await task.run(...flags);
    const { class: errorClass, reason, evidence } = report.failure!;
    assert.equal([code, errorClass, reason, evidence?.rule], [1, 'tooling', 'corporate_proxy', 'corp-proxy']);
    assert.match(summary, 'rule corp-proxy]');
    const record = JSON.parse(task.read('outputs/one.codex.call.json'));
    assert.equal([record.verdict.reason, record.verdict.evidence.rule], ['corporate_proxy', 'corp-proxy']);
    // What judged stays with the call, also when the file says something else by now.
    rmSync(path.join(rig.project, 'tollgate.yaml'));
    const { stdout } = await rig.run('tollgate', ['explain', 'fix', '--verbose']);
    assert.is(
      lineOf(stdout, 'rule'),
      'rule       corp-proxy (the project\'s own, of tollgate.yaml): any tool, anything said; text "corporate proxy" → tooling (corporate_proxy)',
    );
    const told = await rig.run('tollgate', ['explain', 'fix', '--json']);
    assert.equal(JSON.parse(told.stdout).rule, {
      id: 'corp-proxy',
      of: 'project',
      row: {
        kind: 'said',
        class: 'tooling',
        reason: 'corporate_proxy',
        looks_for: { tool: 'any', source: 'any', match: { text: '"corporate proxy"' } },
      },
    });
  });

test('where the call is gone too, tollgate.yaml is asked; where that has no such row, that is said', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', rows());
  rig.answer(() => PROXY);
  const task = makeTask(rig, TRUSTED);
  await task.run();
  rmSync(path.join(task.folder, 'state/attempts'), { recursive: true });
  const explained = async () => lineOf((await rig.run('tollgate', ['explain', 'fix', '--verbose'])).stdout, 'rule');
  assert.match(await explained(), "corp-proxy (the project's own, of tollgate.yaml): any tool");
  rmSync(path.join(rig.project, 'tollgate.yaml'));
  assert.is(await explained(), 'rule       corp-proxy, a rule that no longer exists');
});

test('in one that is not trusted they count for nothing, and the summary and the forecast say so', async ({ rig }) => {
  rig.write('tollgate.yaml', rows());
  rig.answer(() => PROXY);
  const task = makeTask(rig, { ...ONE, budgets: { retry_budget: 0 } });
  const { report, summary } = await task.run();
  assert.equal([report.failure?.class, report.failure?.reason], ['transient', 'overloaded']);
  assert.equal(report.notes, [UNUSED]);
  assert.match(summary, `Note: ${UNUSED}`);
  const { stdout } = await rig.run('tollgate', ['run', 'fix', '--dry-run']);
  assert.match(stdout, `Note: ${UNUSED}`);
});

test('what follows is what follows from their class, in every stage and for the tool that they name', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', rows(', tool: gemini').replace('class: tooling', 'class: auth'));
  const answers = [answerWith('codex', 'ok'), failWith('gemini', 'the corporate proxy says no', 503)];
  rig.answer(() => answers[rig.calls.length - 1]!);
  const task = makeTask(rig, { ...TRUSTED, stages: [stage('one'), stage('two', 'gemini')] });
  const { report } = await task.run();
  assert.equal(
    [report.failure?.stage, report.failure?.class, report.failure?.reason, rig.calls.length],
    ['two', 'auth', 'corporate_proxy', 2],
  );
});

test('a call of a killed run is judged by the rows it began with, whatever tollgate.yaml says by then', async ({
  rig,
}) => {
  rig.write('tollgate.yaml', rows());
  const task = makeTask(rig, TRUSTED);
  const first = task.start();
  const fake = await rig.call();
  const { reserved } = await killWithGuardian(task, first);
  rig.write('tollgate.yaml', rows().replaceAll('corporate_proxy', 'changed_meanwhile'));
  const second = task.run();
  rig.answer(() => answerWith('codex', 'ok'));
  await fake.tell(...PROXY);
  assert.is((await second).code, 0);
  const verdicts = [...task.journal.read().ledger.calls.values()].map(({ verdict }) => verdict?.reason);
  assert.equal(verdicts, ['corporate_proxy', null]);
  const record = readFileSync(path.join(task.folder, 'state/attempts', reserved.call_id, 'record.json'), 'utf8');
  assert.is(JSON.parse(record).verdict.evidence.rule, 'corp-proxy');
});

test('a row that cannot be is refused before anything is paid', async ({ rig }) => {
  rig.write('tollgate.yaml', rows(', clas: auth'));
  makeTask(rig, TRUSTED);
  const { code, stderr } = await rig.run('tollgate', ['run', 'fix']);
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(stderr, 'tollgate.yaml:3: triage.rules[0].clas is unknown; did you mean class?');
});

test('a wrapper that somebody else starts does not know them', async ({ rig }) => {
  rig.write('tollgate.yaml', rows());
  rig.write('ask.md', 'Look.');
  rig.answer(() => PROXY);
  makeTask(rig, TRUSTED);
  const argv = ['--prompt-file=ask.md', '--out=o', '--err=e', '--task=fix', '--json'];
  const { stdout } = await rig.start('run_codex', argv).result;
  assert.is(JSON.parse(stdout).verdict.reason, 'overloaded');
});

test.run();
