// Two requests that create one task at the same time: the first one wins, and the second learns that the task exists.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeNewTask } from '../../state/new-task.ts';
import { locateTask } from '../../state/task-folder.ts';

test('a task that another request has just created is kept, and the message names its manifest', () => {
  const project = mkdtempSync(path.join(tmpdir(), 'tollgate-new-task-'));
  try {
    const located = locateTask('fix', project, {});
    assert.is(located.how, 'found');
    if (located.how !== 'found') return;
    const content = { pipeline: null, stages: [], budget: 3, acceptance: [], base: null, values: {} };
    const [first, second] = ['the first', 'the second'].map((goal) =>
      writeNewTask(located.folder, { ...content, goal }, 'schema.json'),
    );
    assert.is(first!.how, 'done');
    const manifest = path.join(located.folder.root, 'manifest.yaml');
    const message = `${manifest} is there already; edit it, or name another task. Nothing was written`;
    assert.equal(second, { how: 'invalid', message });
    assert.match(readFileSync(manifest, 'utf8'), 'the first');
  } finally {
    rmSync(project, { recursive: true });
  }
});

test.run();
