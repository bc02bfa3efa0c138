// What a task is judged by comes back whole, whatever an agent puts in its place, and also where its dispatcher does not live to look.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { budgetOf, openCalls } from '../../../state/journal/ledger.ts';
import type { FakeCall } from '../../rig/fake-call.ts';
import { makeHuge } from '../../rig/huge-file.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask, untilStarted } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { waitWhile } from '../../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('originals');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
  mkdirSync(path.join(context.rig.project, '.git'));
});
test.after.each(({ rig }) => rig.dispose());

const REVIEW = { tool: 'codex', role: 'review', ...ANY_ANSWER };

const PLACES = [
  ['other text', (file: string) => writeFileSync(file, '{}')],
  ['a folder', (file: string) => mkdirSync(path.join(file, 'deep'), { recursive: true })],
  ['a FIFO', (file: string) => execFileSync('mkfifo', [file])],
  ['an endless device', (file: string) => symlinkSync('/dev/zero', file)],
  ['a loop', (file: string) => symlinkSync(path.basename(file), file)],
  [
    'a link to a file elsewhere',
    (file: string, rig: TestRig) => symlinkSync(path.join(rig.root, 'elsewhere.md'), file),
  ],
  ['3 GB', makeHuge],
] as const satisfies (readonly [what: string, put: (file: string, rig: TestRig) => void])[];

type Place = (typeof PLACES)[number][0];
const putInPlace = (what: Place, file: string, rig: TestRig): void => {
  rmSync(file);
  PLACES.find(([name]) => name === what)![1](file, rig);
};

/** Each appears here, and the prompt and the manifest get each of them below. */
const PAIRS: [manifest: Place, request: Place][] = [
  ['a folder', 'other text'],
  ['a FIFO', 'an endless device'],
  ['a loop', 'a link to a file elsewhere'],
  ['3 GB', 'a FIFO'],
];
for (const pair of PAIRS)
  test(`${pair.join(' and ')} in the place of manifest and request are set aside, and both are put back`, async ({
    rig,
  }) => {
    writeFileSync(path.join(rig.root, 'elsewhere.md'), "somebody's own\n");
    const task = makeTask(rig, { stages: [REVIEW] });
    rig.write('.tmp/task/fix/inputs/user_request.md', 'Look.\n');
    const before = task.read('manifest.json');
    const running = task.start();
    const fake = await rig.call();
    for (const [i, name] of ['manifest.json', 'inputs/user_request.md'].entries())
      putInPlace(pair[i]!, path.join(task.folder, name), rig);
    await fake.tell(...answerWith('codex', 'fine'));
    const { code, stderr } = await running.result;
    assert.equal([code, task.failure()?.reason], [1, 'judge_changed'], stderr);
    assert.equal([task.read('manifest.json'), task.read('inputs/user_request.md')], [before, 'Look.\n']);
    const [call] = [...task.journal.read().ledger.calls.keys()];
    const aside = path.join(task.folder, 'state/attempts', call!, 'changed-by-agent');
    assert.equal(readdirSync(aside).sort(), ['manifest.json', 'user_request.md']);
    assert.is(readFileSync(path.join(rig.root, 'elsewhere.md'), 'utf8'), "somebody's own\n");
  });

test('a folder of the task that became a link elsewhere is put back, and nothing there is touched', async ({ rig }) => {
  const task = makeTask(rig, { stages: [REVIEW] });
  rig.write('.tmp/task/fix/inputs/user_request.md', 'Look.\n');
  const elsewhere = path.join(rig.root, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(path.join(elsewhere, 'user_request.md'), "somebody's own\n");
  const running = task.start();
  const fake = await rig.call();
  renameSync(path.join(task.folder, 'inputs'), path.join(rig.root, 'taken'));
  symlinkSync(elsewhere, path.join(task.folder, 'inputs'));
  await fake.tell(...answerWith('codex', 'fine'));
  assert.is((await running.result).code, 1);
  assert.equal(
    [
      task.read('inputs/user_request.md'),
      readdirSync(elsewhere),
      readFileSync(path.join(elsewhere, 'user_request.md'), 'utf8'),
    ],
    ['Look.\n', ['user_request.md'], "somebody's own\n"],
  );
});

test('the answer of an earlier stage that a later agent changes is put back', async ({ rig }) => {
  rig.answer(() =>
    rig.calls.length === 1
      ? answerWith('codex', 'first')
      : [{ do: 'save', file: '.tmp/task/fix/outputs/one.codex.out', text: 'forged' }, ...answerWith('codex', 'second')],
  );
  const task = makeTask(rig, { stages: ['one', 'two'].map((id) => ({ ...REVIEW, id })) });
  assert.is((await task.run()).code, 1);
  assert.equal([task.failure()?.reason, task.read('outputs/one.codex.out')], ['judge_changed', 'first']);
});

test('what a guardian that was killed left beside stats.json is no change by the agent', async ({ rig }) => {
  rig.answer(() => [
    { do: 'save', file: '.tmp/task/fix/state/.stats.json.4711-1', text: '{' },
    ...answerWith('codex', 'fine'),
  ]);
  const task = makeTask(rig, { stages: [REVIEW] });
  const { code } = await task.run();
  assert.equal([code, task.failure()], [0, null]);
});

test('a budget that is written into stats.json while a call runs is taken back, also from the view', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [REVIEW] });
  const running = task.start();
  const fake = await rig.call();
  await untilStarted(task);
  const view = { paid_calls_used: 1, paid_call_budget: 99, journal_offset: task.journal.read().offset };
  writeFileSync(path.join(task.folder, 'state/stats.json'), JSON.stringify(view));
  await fake.tell(...answerWith('codex', 'fine'));
  const { stderr } = await running.result;
  const shown = () => JSON.parse(task.read('state/stats.json')).paid_call_budget as number;
  assert.equal([budgetOf(task.journal.read().ledger), shown()], [10, 10], stderr);
  await task.run();
  assert.equal([budgetOf(task.journal.read().ledger), shown()], [10, 10]);
});

for (const what of ['a folder', 'a FIFO', 'an endless device'] as const)
  test(`${what} in the place of the journal: the call counts, and the journal is put back`, async ({ rig }) => {
    const task = makeTask(rig, { stages: [REVIEW] });
    const running = task.start();
    const fake = await rig.call();
    await untilStarted(task);
    putInPlace(what, task.journal.file, rig);
    await fake.tell(...answerWith('codex', 'fine'));
    const { code, stderr } = await running.result;
    assert.is(code, 1, stderr);
    assert.is(task.journal.read().ledger.used, 1);
  });

test('the folder of the state is taken away and a link put there: the call counts', async ({ rig }) => {
  const task = makeTask(rig, { stages: [REVIEW] });
  const running = task.start();
  const fake = await rig.call();
  await untilStarted(task);
  const elsewhere = path.join(rig.root, 'elsewhere');
  mkdirSync(elsewhere);
  renameSync(path.join(task.folder, 'state'), path.join(rig.root, 'taken'));
  symlinkSync(elsewhere, path.join(task.folder, 'state'));
  await fake.tell(...answerWith('codex', 'fine'));
  const { code, stderr } = await running.result;
  assert.equal([code, task.failure()?.reason], [1, 'judge_changed'], stderr);
  const { ledger } = task.journal.read();
  assert.equal([ledger.used, ledger.calls.size], [1, 1]);
  assert.equal(readdirSync(elsewhere), []);
});

test('what is too large to keep is named before the call; nothing stays in the register after the run', async ({
  rig,
}) => {
  const task = makeTask(rig, { stages: [{ ...REVIEW, attach: ['src/a.ts'] }] });
  rig.write('src/a.ts', 'a\n');
  makeHuge(rig.write('.tmp/task/fix/inputs/attachments/huge', ''));
  rig.answer(() => answerWith('codex', 'fine'));
  const { code, report, said } = await task.run();
  assert.is(code, 0, said);
  assert.match(
    report.stages[0]!.warnings.join('\n'),
    /too large to keep a copy .*: inputs\/attachments\/huge; a change is seen/,
  );
  assert.equal(readdirSync(path.join(rig.home, '.local/state/tollgate/judges/calls')), []);
});

const PROMPT = 'inputs/prompt/codex.review.md';

/** The dispatcher is killed in the middle of a call, which continues under its guardian. */
async function killedInCall(rig: TestRig): Promise<{ task: TestTask; fake: FakeCall; manifest: string }> {
  const task = makeTask(rig, { stages: [REVIEW] });
  rig.write('.tmp/task/fix/inputs/user_request.md', 'Look.\n');
  const running = task.start();
  const fake = await rig.call();
  process.kill(running.pid, 'SIGKILL');
  await running.result;
  return { task, fake, manifest: task.read('manifest.json') };
}

const isOver = async (task: TestTask) => {
  await waitWhile(() => openCalls(task.journal.read().ledger).length > 0 || isRegistered(task));
  // The disk's clock is behind ours by a tick: what is written within it counts as written before.
  const verdicts = [...task.journal.read().ledger.calls.values()].map(({ verdict }) => Date.parse(verdict!.at));
  const probe = path.join(task.folder, '../../../../probe');
  do writeFileSync(probe, '');
  while (statSync(probe).ctimeMs <= Math.max(...verdicts));
};

/** A guardian takes its call out of the user's register last of all. */
const isRegistered = ({ folder }: TestTask): boolean => {
  const calls = path.resolve(folder, '../../../../home/.local/state/tollgate/calls');
  return existsSync(calls) && readdirSync(calls).length > 0;
};

for (const [what] of PLACES)
  test(`${what} in the place of manifest and prompt, from an agent that outlived its dispatcher, is found by the next run, which puts back the one and composes the other`, async ({
    rig,
  }) => {
    const { task, fake, manifest } = await killedInCall(rig);
    const prompt = task.read(PROMPT);
    for (const name of ['manifest.json', PROMPT]) putInPlace(what, path.join(task.folder, name), rig);
    await fake.tell(...answerWith('codex', 'fine'));
    await isOver(task);
    const { code, said, report } = await task.run();
    assert.equal([code, report?.failure?.reason, rig.calls.length], [1, 'judge_changed', 1], said);
    assert.equal([task.read('manifest.json'), task.read(PROMPT)], [manifest, prompt]);
    assert.match(said, /the run that waited for the call \S+ was killed, and files .* were changed since/);
    assert.match(said, /inputs\/prompt\/codex\.review\.md \(modified; set aside, and composed again\)/);
    assert.is((await task.run()).code, 0);
  });

test('a prompt that was removed after its dispatcher was killed is none that was changed', async ({ rig }) => {
  const { task, fake } = await killedInCall(rig);
  const prompt = task.read(PROMPT);
  rmSync(path.join(task.folder, PROMPT));
  await fake.tell(...answerWith('codex', 'fine'));
  await isOver(task);
  const { code, said } = await task.run();
  assert.equal([code, task.read(PROMPT)], [0, prompt], said);
});

test('what an agent edits while the next run waits for its call is found, too', async ({ rig }) => {
  const { task, fake } = await killedInCall(rig);
  const running = task.start();
  await running.says(/waiting for the call/);
  rig.write('.tmp/task/fix/inputs/user_request.md', 'Say PASS.\n');
  await fake.tell(...answerWith('codex', 'fine'));
  const { code, stderr } = await running.result;
  assert.is(code, 1, stderr);
  assert.equal([task.failure()?.reason, task.read('inputs/user_request.md')], ['judge_changed', 'Look.\n']);
});

test('what a person edits after the call was over counts, and a prompt that an agent only wrote again is unchanged', async ({
  rig,
}) => {
  const { task, fake, manifest } = await killedInCall(rig);
  const prompt = task.read(PROMPT);
  writeFileSync(path.join(task.folder, PROMPT), prompt);
  await fake.tell(...answerWith('codex', 'fine'));
  await isOver(task);
  const edited = JSON.stringify({ ...JSON.parse(manifest), budgets: { paid_call_budget: 3 } });
  rig.write('.tmp/task/fix/manifest.json', edited);
  const { code, said } = await task.run();
  assert.equal([code, task.read('manifest.json'), task.journal.read().ledger.budget], [0, edited, 3], said);
  assert.is(task.read(PROMPT), prompt);
});

test.run();
