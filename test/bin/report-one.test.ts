// tollgate report of one task, and of what a batch left.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { validatorOf } from '../rig/schemas/validator.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('report of one');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  for (const id of ['a', 'b']) makeTask(context.rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] }, id);
});
test.after.each(({ rig }) => rig.dispose());

async function report(rig: TestRig, ...argv: string[]) {
  const { code, stdout, stderr } = await rig.run('tollgate', ['report', ...argv]);
  return { code, stdout, stderr: stderr.replaceAll(rig.root, '~') };
}

test('--task is that task alone', async ({ rig }) => {
  for (const word of ['a', './.tmp/task/a']) {
    const { code, stdout } = await report(rig, `--task=${word}`, '--json');
    const { tasks, totals } = JSON.parse(stdout);
    assert.equal([code, tasks.map(({ task_id }: { task_id: string }) => task_id), totals.tasks], [0, ['a'], 1]);
  }
});

test('--batch is what it left, by its id or the last one', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const ran = JSON.parse((await rig.run('tollgate', ['batch', 'a', 'b', '--json'])).stdout);
  const json = JSON.parse((await report(rig, `--batch=${ran.batch_id}`, '--json')).stdout);
  assert.equal(json, ran);
  assert.ok(validatorOf('BATCH_SCHEMA')(json));
  const page = await report(rig, '--batch', 'last');
  assert.equal([page.code, page.stdout], [0, (await report(rig, '--batch=last', '--format=md')).stdout]);
  assert.match(page.stdout, ran.batch_id);
  const other = await report(rig, '--batch=none');
  assert.equal(other, {
    code: 2,
    stdout: '',
    stderr: `tollgate report: no batch "none" is in ~/project/.tmp/batch; the last ones are ${ran.batch_id}\n`,
  });
  rig.write(`.tmp/batch/${ran.batch_id}/report.json`, '{');
  const broken = await report(rig, '--batch=last');
  assert.equal(broken.code, 2);
  assert.match(broken.stderr, /report\.json cannot be read \(it is not JSON\)\n$/);
});

const MISTAKES: [argv: string[], said: string][] = [
  [['--task=none'], 'there is no task at ~/project/.tmp/task/none (tollgate status lists those that exist)'],
  [['--task=a', '--errors'], '--task and --errors do not go together; leave one of them out'],
  [['--task=a', 'x'], '--task says what is meant; leave x out'],
  [['--batch=last'], 'there is no batch report in ~/project/.tmp/batch'],
  [['--batch=last', '--failed'], '--batch and --failed do not go together; leave one of them out'],
];
for (const [argv, said] of MISTAKES)
  test(argv.join(' '), async ({ rig }) => {
    assert.equal(await report(rig, ...argv), { code: 2, stdout: '', stderr: `tollgate report: ${said}\n` });
  });

test.run();
