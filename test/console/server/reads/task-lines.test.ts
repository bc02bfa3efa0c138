// The rows of all tasks: one that changes while costs are looked up is never told again as it was before.

import path from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TaskLine, TasksChange } from '../../../../console/contract/page.ts';
import type { ServedProject } from '../../../../console/server/project.ts';
import { openTaskLines } from '../../../../console/server/reads/task-lines.ts';
import { answerWith } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

/** Fewer than are told at once, so that all of them are told at the end. */
const MANY = 60;

const test = suite<{ rig: TestRig }>('the rows of all tasks');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

test('a change in the midst of the look at costs', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const stages = [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }];
  const done = makeTask(rig, { stages }, 'whole');
  await done.run();
  const journal = done.read('state/journal.jsonl');
  for (let n = 0; n < MANY; n += 1) makeTask(rig, { goal: 'One of many.', stages }, `a${n}`);

  // As a page keeps them: what is told later is what holds.
  const page = new Map<string, TaskLine>();
  const take = ({ lines }: TasksChange) => {
    for (const line of lines) page.set(line.task_id, line);
  };
  const environment = { HOME: rig.home };
  const project = { cwd: rig.project, environment, clock: () => new Date() } as unknown as ServedProject;
  const lines = openTaskLines(project, take);
  take({ lines: await lines.all(), gone: [] });
  assert.is(page.get('a0')!.state, 'never_run');
  // a0 has been looked at, the last of them has not.
  const isLooked = async () => (await lines.all()).find(({ task_id: id }) => id === 'a0')!.goal !== null;
  while (!(await isLooked())) await breathe();
  assert.is(page.get('a0')!.goal, null);
  rig.write('.tmp/task/a0/state/journal.jsonl', journal.replaceAll('whole', 'a0'));
  take(await lines.renew([path.join(rig.project, '.tmp/task/a0')]));
  const renewed = page.get('a0')!;
  assert.is(renewed.state, 'done');
  // The look that was under way is told last.
  while ([...page.values()].some(({ goal }) => goal === null)) await breathe();
  assert.equal(page.get('a0'), renewed);
});

test.run();
