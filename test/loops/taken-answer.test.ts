// An answer that is paid for and taken away before a gate has looked at it is published again from its attempt: nobody asks, or pays, twice.

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openCalls } from '../../state/journal/ledger.ts';
import { waitForChange } from '../../state/wait-for-change.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('a taken answer');
test.before.each(async (context) => {
  context.rig = await TestRig.open({ tools: ['codex'] });
});
test.after.each(({ rig }) => rig.dispose());

const STAGES = { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] };
const OUT = 'outputs/codex_review.codex.out';
const RECORD = 'outputs/codex_review.codex.call.json';

/** As a run leaves it that was killed before its gate: its guardian publishes the answer. */
async function paidAlone(rig: TestRig): Promise<TestTask> {
  const task = makeTask(rig, STAGES);
  const run = task.start();
  const fake = await rig.call();
  run.signal('SIGKILL');
  await run.result;
  await fake.tell(...answerWith('codex', 'All is well.'));
  const open = () => openCalls(task.journal.read().ledger);
  for (let looks = 0; looks < 100 && open().length > 0; looks += 1)
    await waitForChange(task.journal.file, 200, new AbortController().signal);
  assert.equal(open(), [], 'its guardian never published the answer');
  return task;
}

for (const [what, take] of [
  ['the answer', ({ folder }: TestTask) => rmSync(path.join(folder, OUT))],
  [
    'answer and record',
    ({ folder }: TestTask) => [OUT, RECORD].forEach((name) => void rmSync(path.join(folder, name))),
  ],
  ['all of outputs/', ({ folder }: TestTask) => renameSync(path.join(folder, 'outputs'), path.join(folder, 'away'))],
] as const)
  test(`${what}: the next run looks at it, and pays nothing`, async ({ rig }) => {
    const task = await paidAlone(rig);
    take(task);
    rig.answer(() => answerWith('codex', 'Paid twice.'));
    const { code, report, said } = await task.run();
    assert.equal([code, report?.budget?.used, rig.calls.length], [0, 1, 1], said + JSON.stringify(report));
    assert.match(task.read(OUT), 'All is well.');
    const [call] = readdirSync(path.join(task.folder, 'state/attempts'));
    // It may hold a key, and is needed no more.
    assert.not(existsSync(path.join(task.folder, 'state/attempts', call!, 'answer')));
    const note = 'codex_review: its answer was removed before it was checked; it was published again from its attempt';
    assert.ok(report.stages[0]!.notes.includes(note), JSON.stringify(report.stages[0]));
  });

test('one that a gate has looked at, and a person takes away, is asked for anew', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'All is well.'));
  const task = makeTask(rig, STAGES);
  await task.run();
  rmSync(path.join(task.folder, OUT));
  const { code } = await task.run('--redo', 'codex_review');
  assert.equal([code, rig.calls.length, existsSync(path.join(task.folder, OUT))], [0, 2, true]);
});

test.run();
