// What the console tells its pages: also of what changed between the reading of the rows and the first look at the tasks.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChangeTold, TaskLine } from '../../../console/contract/page.ts';
import { follow } from '../../../console/server/live.ts';
import type { ServedProject } from '../../../console/server/project.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const STAGES = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

const test = suite<{ rig: TestRig; stop: AbortController }>('changes told to pages');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
  context.stop = new AbortController();
});
test.after.each(({ rig, stop }) => {
  stop.abort();
  return rig.dispose();
});

test('one that ran, came or went before the first look', async ({ rig, stop }) => {
  rig.answer(() => answerWith('codex', 'ok'));
  const rests = makeTask(rig, STAGES, 'rests');
  await rests.run();
  for (const id of ['runs', 'goes']) makeTask(rig, STAGES, id);
  const environment = { ...process.env, HOME: rig.home, XDG_STATE_HOME: '' };
  const project = { cwd: rig.project, environment, clock: () => new Date() } as unknown as ServedProject;
  const live = follow(project, stop.signal);
  const page = new Map((await live.lines.all()).map((line) => [line.task_id, line]));
  assert.equal(statesOf(page), ['goes never_run', 'rests done', 'runs never_run']);

  rig.write('.tmp/task/runs/state/journal.jsonl', rests.read('state/journal.jsonl').replaceAll('rests', 'runs'));
  rmSync(path.join(rig.project, '.tmp/task/goes'), { recursive: true });
  makeTask(rig, STAGES, 'comes');
  const named = await new Promise<string[]>((resolve) => {
    live.listen(({ topic, change }: ChangeTold) => {
      if (topic !== 'tasks' || !change || change.gone.length === 0) return;
      for (const line of change.lines) page.set(line.task_id, line);
      for (const id of change.gone) page.delete(id);
      resolve([...change.lines.map(({ task_id: id }) => id), ...change.gone].sort());
    });
  });
  assert.equal(statesOf(page), ['comes never_run', 'rests done', 'runs done']);
  // Nothing that rests is read again for it.
  assert.equal(named, ['comes', 'goes', 'runs']);
});

const statesOf = (page: ReadonlyMap<string, TaskLine>): string[] =>
  [...page.values()].map(({ task_id: id, state }) => `${id} ${state}`).sort();

test.run();
