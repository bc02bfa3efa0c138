// The end of a batch is told once, of all its tasks, and none of them tells of its own.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BatchReport } from '../../../loops/batch/report.ts';
import type { Notification } from '../../../policies/manifest/notification.ts';
import { openReceiver, type Receiver } from '../../rig/receiver.ts';
import { validatorOf } from '../../rig/schemas/validator.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; receiver: Receiver }>('the end of a batch is told');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.receiver = await openReceiver();
});
test.after.each(async ({ rig, receiver }) => {
  await receiver.close();
  await rig.dispose();
});

test('one word for the end, one for what nears its budget', async ({ rig, receiver }) => {
  rig.write('tollgate.yaml', `notify: [{webhook: "${receiver.url}"}]\n`);
  makeTask(
    rig,
    { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }], budgets: { paid_call_budget: 1 } },
    'good',
  );
  makeTask(rig, { stages: [{ tool: 'gemini', role: 'review', ...ANY_ANSWER }] }, 'bad');
  rig.answer(({ report: { tool } }) =>
    tool === 'codex' ? answerWith('codex', 'Well.') : failWith('gemini', '401 Unauthorized', 401),
  );
  const { code, stdout } = await rig.run('tollgate', ['batch', 'good', 'bad', '--json', '--trust-workspace']);
  const report = JSON.parse(stdout) as BatchReport;
  assert.is(code, 1);
  assert.ok(validatorOf('BATCH_SCHEMA')(report));
  assert.equal(
    report.notified!.map(({ event, how }) => [event, how]),
    [
      ['failed', 'sent'],
      ['budget', 'sent'],
    ],
  );
  const words = receiver.received.map(({ body }) => JSON.parse(body) as Notification);
  for (const word of words) assert.ok(validatorOf('NOTIFICATION_SCHEMA')(word));
  const failed = words.find(({ event }) => event === 'failed')!;
  assert.equal([words.length, failed.batch_id, failed.class], [2, report.batch_id, 'auth']);
  assert.equal([failed.tasks!.tasks, failed.tasks!.done, failed.near_budget], [2, 1, ['good']]);
});

test.run();
