// What our own killed writers and gates leave in a task goes with its next run: each kind of name, in each folder.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTemporary, ownFolders, PROBE, TEMPORARIES } from '../../../loops/run/temporaries.ts';
import { temporaryPrefix } from '../../../state/disk/replace-file.ts';
import { locateTask, taskFolders } from '../../../state/task-folder.ts';
import { answerWith } from '../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../rig/task-run.ts';
import { TestRig } from '../../rig/test-rig.ts';

const UUID = '00000000-0000-4000-8000-000000000001';

const test = suite<{ rig: TestRig }>('temporaries');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

test('the names that our writers make are in the table, and names of people are not', () => {
  assert.ok(isTemporary(`${temporaryPrefix('/x/codex_brief.codex.out', 17)}3`));
  for (const { example } of [...TEMPORARIES, PROBE]) assert.ok(isTemporary(example.replace('PID', '17')), example);
  for (const name of [
    'notes.json',
    '.env',
    '.notes.md',
    'a-1',
    'stats.json',
    'codex_brief.codex.out',
    'stats.json.old',
    'events.jsonl.1',
    'dump.json.20241101',
  ])
    assert.not(isTemporary(name), name);
});

test('each kind goes from each folder, what is young or has a living writer stays', async ({ rig }) => {
  rig.answer(() => answerWith('codex', 'done'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  assert.is((await task.run()).code, 0);
  const dead = spawnSync('true').pid;
  const located = locateTask('fix', rig.project, rig.env);
  assert.ok(located.how === 'found');
  const put = (folder: string, name: string, ageMs: number) => {
    const file = path.join(folder, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, 'half');
    const at = new Date(Date.now() - ageMs);
    utimesSync(file, at, at);
    return file;
  };
  const old = ownFolders(located.folder).flatMap((folder) =>
    TEMPORARIES.map(({ example }) => put(folder, example.replace('PID', `${dead}`), 7_200_000)),
  );
  for (const folder of taskFolders({ root: task.folder })) old.push(put(folder, PROBE.example, 7_200_000));
  const outputs = path.join(task.folder, 'outputs');
  const kept = [
    put(outputs, `.x.out.${dead}-1`, 1_000),
    put(outputs, `.x.out.${process.pid}-1`, 600_000),
    put(outputs, 'mine.json', 7_200_000),
    put(outputs, 'events.jsonl.1', 7_200_000),
    put(path.join(outputs, `session.${UUID}`), 'a.md', 7_200_000),
    ...[task.folder, path.join(task.folder, 'inputs')].flatMap((folder) =>
      ['events.jsonl.1', 'dump.json.20241101', `.env.${dead}-11`, `report.${UUID}`].map((name) =>
        put(folder, name, 7_200_000),
      ),
    ),
  ];
  utimesSync(path.join(outputs, `session.${UUID}`), 1, 1);
  assert.is((await task.run()).code, 0);
  assert.equal(
    old.filter((file) => existsSync(file)),
    [],
  );
  assert.equal(
    kept.filter((file) => !existsSync(file)),
    [],
  );
});

test.run();
