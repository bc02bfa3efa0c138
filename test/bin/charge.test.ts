// Wrappers that charge a task: the budget holds however many come at once, and bad state costs nothing.

import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fact } from '../../state/journal/facts.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { statsOf as viewOf } from '../../state/journal/stats.ts';
import { answerWith } from '../rig/streams.ts';
import { TestRig } from '../rig/test-rig.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig; task: string }>('charge');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.task = path.join(context.rig.project, '.tmp/task/fix');
  mkdirSync(context.task, { recursive: true });
  context.rig.answer(() => answerWith('codex', 'ok'));
});
test.after.each(({ rig }) => rig.dispose());

const journalOf = (task: string) => openJournal(task, () => new Date());
const statsOf = (task: string) =>
  JSON.parse(readFileSync(path.join(task, 'state/stats.json'), 'utf8')) as Record<string, unknown>;

// D5: of 20 concurrent updates the historical toolkit recorded 18.
test('32 wrappers at once on a budget of 10: exactly 10 run, 22 are refused with a clear word, journal and stats agree', async ({
  rig,
  task,
}) => {
  rig.write('ask.md', 'Say hello.\n');
  const all = await Promise.all(
    Array.from({ length: 32 }, async (_, i) => {
      const flags = [
        '--prompt-file=ask.md',
        `--out=${i}.out`,
        `--err=${i}.err`,
        `--result=${i}.json`,
        '--task',
        `${task}/`,
        '--new-task',
        '--stage',
        `s${i}`,
      ];
      return rig.start('run_codex', flags).result;
    }),
  );
  const codes = all.map(({ code }) => code).sort();
  assert.equal(codes, [...Array(10).fill(0), ...Array(22).fill(12)]);
  assert.is(rig.calls.length, 10);
  const refused = all.filter(({ code }) => code === 12);
  for (const { stderr } of refused)
    assert.match(
      stderr,
      /quota \(budget\): the budget of task fix is used up: 10 of 10 paid calls; nothing was started\. To allow more: tollgate budget fix --set 15/,
    );
  const { ledger, offset, torn } = journalOf(task).read();
  assert.equal([ledger.used, [...ledger.calls.values()].filter((call) => call.granted).length, torn], [10, 10, 0]);
  assert.equal(statsOf(task), JSON.parse(JSON.stringify(viewOf(ledger, offset))));
  assert.ok([...ledger.calls.values()].every((call) => !call.granted || call.verdict !== null));
});

test('a call leaves its facts in order, its record among the outputs, and no key in its attempt', async ({
  rig,
  task,
}) => {
  const key = 'sk-aaaaBBBBccccDDDDeeeeFFFF';
  rig.env.OPENAI_API_KEY = key;
  await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended();
  const facts = readFileSync(path.join(task, 'state/journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as Fact).fact);
  assert.equal(facts, ['reserved', 'started', 'ended', 'verdict']);
  assert.ok(existsSync(path.join(task, 'outputs/codex_adhoc.codex.call.json')));
  const [attempt] = readdirSync(path.join(task, 'state/attempts'));
  assert.equal(readdirSync(path.join(task, 'state/attempts', attempt!)).sort(), [
    'attempt.json',
    'prompt',
    'record.json',
    'stderr.redacted',
    'stdout.redacted',
  ]);
  assert.not(readFileSync(path.join(task, 'state/attempts', attempt!, 'attempt.json'), 'utf8').includes(key));
});

test('the budget is the manifest’s where no run has opened the task yet', async ({ rig, task }) => {
  writeFileSync(
    path.join(task, 'manifest.yaml'),
    'task_id: fix\ngoal: g\nstages: [{tool: codex, role: brief}]\nbudgets: {paid_call_budget: 1}\n',
  );
  assert.is((await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended()).code, 0);
  assert.is((await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended()).code, 12);
});

test('a manifest with an error costs nothing and is named by file, line and path', async ({ rig, task }) => {
  writeFileSync(path.join(task, 'manifest.yaml'), 'task_id: fix\ngoal: g\nstages:\n  - tol: codex\n    role: brief\n');
  const { code, said } = await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, /manifest\.yaml:4: stages\[0\]\.tol is unknown; did you mean tool\?/);
});

test('an edited count is adopted: people reset a budget by hand', async ({ rig, task }) => {
  await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended();
  const file = path.join(task, 'state/stats.json');
  writeFileSync(file, JSON.stringify({ ...statsOf(task), paid_calls_used: 10 }));
  assert.is((await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended()).code, 12);
  writeFileSync(file, JSON.stringify({ ...statsOf(task), paid_calls_used: 0 }));
  assert.is((await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended()).code, 0);
  assert.is(statsOf(task).paid_calls_used, 1);
});

test('a corrupt stats.json is set aside with a clear error, and nothing is paid; half a line at the end of the journal is no obstacle', async ({
  rig,
  task,
}) => {
  await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended();
  writeFileSync(path.join(task, 'state/stats.json'), '{"paid_calls_used": 0');
  const { code, said } = await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended();
  assert.equal([code, rig.calls.length], [2, 1]);
  assert.match(said, /stats\.json is not a JSON object; it was moved to .*stats\.json\.unreadable-/);
  assert.is((await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended()).code, 0);
  assert.is(statsOf(task).paid_calls_used, 2);
  appendFileSync(path.join(task, 'state/journal.jsonl'), '{"v":1,"at":"2026');
  assert.is((await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended()).code, 0);
  const { ledger, torn } = journalOf(task).read();
  assert.equal([ledger.used, torn], [3, 1]);
});

test('a journal of a newer version is refused with a clear word', async ({ rig, task }) => {
  mkdirSync(path.join(task, 'state'));
  writeFileSync(
    path.join(task, 'state/journal.jsonl'),
    '{"v":9,"at":"2030-01-01T00:00:00Z","fact":"budget","calls":3}\n',
  );
  const { code, said } = await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended();
  assert.equal([code, rig.calls.length], [2, 0]);
  assert.match(said, /was written by a newer version \(format 9, this one reads 1\): update tollgate/);
});

test('a state folder that cannot be written costs nothing', async ({ rig, task }) => {
  writeFileSync(path.join(task, 'state'), 'a file where a folder should be');
  const { code, said } = await runWrapper(rig, 'codex', ['--task', `${task}/`, '--new-task']).ended();
  assert.equal([code, rig.calls.length], [12, 0]);
  assert.match(said, /the call could not be prepared .*nothing was started/);
  chmodSync(path.join(task, 'state'), 0o600);
});

test.run();
