// What a CLI wrote stays raw only until it is published without secrets, unless it is to be kept.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FakeCommand } from '../rig/fake-call.ts';
import { faultEnv } from '../rig/fault-shim.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { where } from '../rig/where-possible.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig; task: TestTask }>('raw files');
const withFaults = where('faults', test);
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.task = makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
});
test.after.each(({ rig }) => rig.dispose());

const SECRET = 'zebra-plum-9471-kettle';
const KEYED = { env: { ACME_API_KEY: SECRET } };
const SPEAKS: FakeCommand[] = [
  { do: 'write', to: 'stderr', text: `warning: ${SECRET} is about to expire\n` },
  ...answerWith('codex', `it is ${SECRET}`),
];

const attemptsOf = ({ folder }: TestTask) => {
  const attempts = path.join(folder, 'state/attempts');
  return readdirSync(attempts).map((name) => path.join(attempts, name));
};
const holding = (folder: string, text: string): string[] =>
  readdirSync(folder)
    .filter((name) => readFileSync(path.join(folder, name), 'utf8').includes(text))
    .sort();
/** Each once. */
const modesOf = (folder: string): string[] => {
  const files = [folder, ...readdirSync(folder).map((name) => path.join(folder, name))];
  return [...new Set(files.map((file) => (statSync(file).mode & 0o777).toString(8)))].sort();
};

test('of a run nothing raw is left, and what is left is what was published', async ({ rig, task }) => {
  rig.answer(() => SPEAKS);
  const { code } = await rig.run('tollgate', ['run', 'fix'], KEYED);
  assert.is(code, 0);
  const [attempt] = attemptsOf(task);
  assert.equal(readdirSync(attempt!).sort(), [
    'attempt.json',
    'prompt',
    'record.json',
    'stderr.redacted',
    'stdout.redacted',
  ]);
  assert.equal(holding(attempt!, SECRET), []);
  const kept = (name: string) => readFileSync(path.join(attempt!, name), 'utf8');
  assert.equal(
    [kept('stderr.redacted'), kept('stdout.redacted')],
    [task.read('outputs/codex_brief.codex.err'), task.read('outputs/codex_brief.codex.raw')],
  );
  assert.equal(modesOf(attempt!), ['600', '700']);
});

test('--keep-raw keeps what was written in a private folder, and publishes it without secrets', async ({
  rig,
  task,
}) => {
  rig.answer(() => SPEAKS);
  await rig.run('tollgate', ['run', 'fix', '--keep-raw'], KEYED);
  const [attempt] = attemptsOf(task);
  assert.equal(holding(attempt!, SECRET), ['stderr', 'stdout']);
  assert.equal(modesOf(attempt!), ['600', '700']);
  assert.not.match(task.read('outputs/codex_brief.codex.raw'), SECRET);
  assert.match(task.read('outputs/codex_brief.codex.call.json'), 'is kept as it came, secrets and all, in ');
  await rig.run('tollgate', ['run', 'fix'], KEYED);
  assert.equal(holding(attempt!, SECRET), ['stderr', 'stdout']);
});

test('a wrapper on its own leaves nothing raw, or with --keep-raw its folder', async ({ rig }) => {
  rig.env.ACME_API_KEY = SECRET;
  rig.answer(() => SPEAKS);
  const attempts = () => readdirSync(rig.project).filter((name) => name.startsWith('.tollgate-'));
  await runWrapper(rig, 'codex').ended();
  assert.equal(attempts(), []);
  const { raw, record } = await runWrapper(rig, 'codex', ['--keep-raw']).ended();
  const [kept] = attempts();
  const folder = path.join(rig.project, kept!);
  assert.equal([holding(folder, SECRET), raw!.includes(SECRET)], [['stderr', 'stdout'], false]);
  assert.equal(modesOf(folder), ['600', '700']);
  assert.is(record.warnings.at(-1), `what the CLI wrote is kept as it came, secrets and all, in ${folder}`);
});

test("a wrapper's own prompt loses its secrets in the task's folder", async ({ rig, task }) => {
  rig.env.ACME_API_KEY = SECRET;
  rig.answer(() => SPEAKS);
  await runWrapper(rig, 'codex', ['--task', '.tmp/task/fix'], `Use ${SECRET}.\n`).ended();
  assert.is(rig.calls[0]!.report.stdin.text, `Use ${SECRET}.\n`);
  assert.equal(holding(attemptsOf(task)[0]!, SECRET), []);
});

/** As a wrapper leaves them that is killed right behind its verdict, or an older version. */
function putBack(attempt: string): void {
  for (const name of ['stdout', 'stderr']) {
    renameSync(path.join(attempt, `${name}.redacted`), path.join(attempt, name));
    writeFileSync(path.join(attempt, name), `{"type":"x","text":"${SECRET}"}\n`);
  }
}

for (const [how, argv] of [
  ['run', ['run', 'fix']],
  ['sweep', ['preflight', '--sweep']],
] as const)
  test(`what was left raw goes with the next ${how}, once its secrets are known there`, async ({ rig, task }) => {
    rig.answer(() => SPEAKS);
    await rig.run('tollgate', ['run', 'fix'], KEYED);
    const [attempt] = attemptsOf(task);
    putBack(attempt!);
    await rig.run('tollgate', [...argv]);
    assert.equal(holding(attempt!, SECRET), ['stderr', 'stdout']);
    await rig.run('tollgate', [...argv], KEYED);
    assert.equal(holding(attempt!, SECRET), []);
    assert.match(readFileSync(path.join(attempt!, 'stdout.redacted'), 'utf8'), '[REDACTED:ACME_API_KEY]');
    assert.not(existsSync(path.join(attempt!, 'stdout')));
  });

test('what has no redacted copy in its attempt stays raw there, though it was published', async ({ rig, task }) => {
  const running = rig.start('tollgate', ['run', 'fix'], KEYED);
  const fake = await rig.call();
  const [attempt] = attemptsOf(task);
  mkdirSync(path.join(attempt!, 'stdout.redacted/in-the-way'), { recursive: true });
  await fake.tell(...SPEAKS);
  assert.is((await running.result).code, 0);
  assert.ok(existsSync(path.join(attempt!, 'stdout')));
  assert.match(task.read('outputs/codex_brief.codex.raw'), '[REDACTED:ACME_API_KEY]');
});

withFaults('what could not be published stays raw until it is', async ({ rig, task }) => {
  rig.answer(() => SPEAKS);
  const under = path.join(task.folder, 'outputs/codex_brief.codex.raw');
  // The run would publish it in the place of its guardian.
  const full = faultEnv({ in: 'run_codex.cjs,tollgate.cjs', under, at: 1, times: 0, does: 'ENOSPC' });
  await rig.run('tollgate', ['run', 'fix'], { env: { ...KEYED.env, ...full } });
  const [attempt] = attemptsOf(task);
  assert.equal(holding(attempt!, SECRET).slice(-2), ['stderr', 'stdout']);
  const { code } = await rig.run('tollgate', ['run', 'fix'], KEYED);
  assert.equal([code, rig.calls.length, task.read('outputs/codex_brief.codex.out')], [0, 1, `it is ${SECRET}`]);
  assert.equal(holding(attempt!, SECRET), []);
});

test.run();
