// The end of a run is told to whom tollgate.yaml names, once it is on disk; whatever comes of that, the run is as it is.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notification } from '../../../policies/manifest/notification.ts';
import { openReceiver, type Receiver } from '../../rig/receiver.ts';
import { validatorOf } from '../../rig/schemas/validator.ts';
import { answerWith, failWith } from '../../rig/streams.ts';
import { play, superviseTask } from '../../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask, type TestTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { runWrapper } from '../../rig/wrapper-run.ts';

const test = suite<{ rig: TestRig; receiver: Receiver }>('the end of a run is told');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.receiver = await openReceiver();
});
test.after.each(async ({ rig, receiver }) => {
  await receiver.close();
  await rig.dispose();
});

const wordsTo = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body) as Notification);

function oneStage(rig: TestRig, receiver: Receiver, more: object = {}): TestTask {
  rig.write('tollgate.yaml', `notify: [{webhook: "${receiver.url}"}]\n`);
  return makeTask(rig, { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }], ...more });
}

test('done, and four fifths of its paid calls used: both are told, and the summary says so', async ({
  rig,
  receiver,
}) => {
  const task = oneStage(rig, receiver, { budgets: { paid_call_budget: 1 } });
  rig.answer(() => answerWith('codex', 'All is well.'));
  const { code, report, summary, said } = await task.run('--trust-workspace');
  assert.equal([code, said.includes('was not sent')], [0, false]);
  const words = wordsTo(receiver);
  assert.equal(words.map(({ event }) => event).sort(), ['budget', 'done']);
  const done = words.find(({ event }) => event === 'done')!;
  assert.equal([done.task_id, done.exit_code, done.budget], ['fix', 0, { used: 1, total: 1 }]);
  assert.equal(
    report.notified!.map(({ how }) => how),
    ['sent', 'sent'],
  );
  assert.ok(validatorOf('REPORT_SCHEMA')(report));
  const host = new URL(receiver.url).host;
  assert.match(
    summary,
    `Notified of "done" by the webhook to ${host} (answered 200), "budget" by the webhook to ${host}`,
  );
});

test('a limit over all tasks that a call by hand neared is told by the next run that ends, and by none after it', async ({
  rig,
  receiver,
}) => {
  const folder = path.join(rig.home, '.local/state/tollgate/limits');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(folder, 'limits.json'), JSON.stringify({ budgets: [{ per: 'month', calls: 10 }] }));
  rig.answer(() => answerWith('codex', 'All is well.'));
  for (let calls = 0; calls < 8; calls++) assert.is((await runWrapper(rig, 'codex').ended()).code, 0);
  await oneStage(rig, receiver).run('--trust-workspace');
  rig.write('tollgate.yaml', `notify: [{webhook: "${receiver.url}"}]\n`);
  await makeTask(rig, { stages: [{ tool: 'codex', role: 'review', ...ANY_ANSWER }] }, 'second').run(
    '--trust-workspace',
  );
  const words = wordsTo(receiver);
  assert.equal(words.map(({ task_id, event }) => `${task_id} ${event}`).sort(), [
    'fix budget',
    'fix done',
    'second done',
  ]);
  const near = words.find(({ event }) => event === 'budget')!;
  assert.is(near.near_limits.length, 1);
  assert.match(near.near_limits[0]!, /^four fifths of a limit over all tasks are used: 8 of 10 calls a month/);
  assert.match(near.text, /; four fifths of a limit over all tasks are used: 8 of 10 calls a month/);
  assert.ok(validatorOf('NOTIFICATION_SCHEMA')(near));
});

test('failed, with a receiver that is broken: the exit is that of the run, and a warning says it', async ({ rig }) => {
  const broken = await openReceiver((response) => response.writeHead(403).end());
  const task = oneStage(rig, broken);
  rig.answer(() => failWith('codex', 'unexpected status 401 Unauthorized: no', 401));
  const { code, report, summary, said } = await task.run('--trust-workspace');
  const [word] = wordsTo(broken);
  await broken.close();
  assert.equal([code, word!.event, word!.stage, word!.class], [1, 'failed', 'codex_review', 'auth']);
  assert.equal(word!.next_actions, report.next_actions);
  const to = `the webhook to ${new URL(broken.url).host}: answered 403`;
  assert.match(summary, `Warning: the notification "failed" was not sent by ${to}`);
  assert.match(said, `the notification "failed" was not sent by ${to}`);
});

test('in a workspace that is not trusted nobody is told, and a note says so', async ({ rig, receiver }) => {
  const task = oneStage(rig, receiver);
  rig.answer(() => answerWith('codex', 'All is well.'));
  const { code, report } = await task.run();
  assert.equal([code, receiver.received.length, report.notified], [0, 0, undefined]);
  const note = 'notify of tollgate.yaml is not used, since the workspace is not trusted (--trust-workspace)';
  assert.ok(report.notes.includes(note), report.notes.join('\n'));
});

test('a task that is trusted by its manifest, and refused: that is told as failed', async ({ rig, receiver }) => {
  const task = oneStage(rig, receiver, { security: { trust_workspace: true } });
  rig.answer(() => answerWith('codex', 'All is well.'));
  await task.run();
  const { code } = await oneStage(rig, receiver, {
    goal: 'Something else.',
    security: { trust_workspace: true },
  }).run();
  assert.equal([code, wordsTo(receiver).map(({ event }) => event)], [2, ['done', 'failed']]);
  assert.is(wordsTo(receiver)[1]!.reason, 'prompt_changed');
});

test('a supervised task that asks is parked, and its question is told', async ({ rig, receiver }) => {
  rig.write('tollgate.yaml', `notify: [{webhook: "${receiver.url}", format: slack}]\n`);
  const task = superviseTask(rig);
  play(rig, [{ action: 'ask', question: 'Keep the <old> flag?' }]);
  await task.supervise('--trust-workspace');
  const text =
    'tollgate: task fix waits for an answer: Keep the &lt;old&gt; flag?; next: ask the user, and give the answer in place of the dots: tollgate answer fix "…" --trust-workspace';
  assert.equal(
    receiver.received.map(({ body }) => JSON.parse(body)),
    [{ text }],
  );
});

test.run();
