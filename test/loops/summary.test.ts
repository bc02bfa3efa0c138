// The summary of every kind of end, whole, as the file beside this test has it. To write them anew: GOLDEN=write.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CLASSES } from '../../policies/facts/classes.ts';
import { KINDS } from '../rig/kinds-of-end.ts';
import { makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('summary');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const FOLDER = path.join(import.meta.dirname, 'summaries');

for (const [name, kind] of Object.entries(KINDS))
  test(name, async ({ rig }) => {
    const { manifest, calls, flags = [], files = {}, during } = kind;
    rig.answer(() => calls[Math.min(rig.calls.length, calls.length) - 1]!);
    const task = makeTask(rig, manifest);
    for (const [file, text] of Object.entries(files)) rig.write(`.tmp/task/fix/${file}`, text);
    if (during === undefined) await task.outcome(...flags);
    else {
      const running = task.start(...flags);
      await waitWhile(() => rig.calls.length === 0);
      during(running);
      await running.result;
    }
    const page = task.read('outputs/_summary.md');
    assert.equal(missingPaths(page, rig), []);
    const summary = steady(page, rig);
    assert.ok(summary.split('\n').length <= 81);
    const file = path.join(FOLDER, `${name}.md`);
    if (process.env.GOLDEN === 'write') {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, summary);
    }
    assert.is(summary, readFileSync(file, 'utf8'));
  });

test('every class has its summary, and no golden file is left over', async () => {
  const files = readdirSync(FOLDER).map((file) => file.replace(/\.md$/, ''));
  assert.equal(files.sort(), Object.keys(KINDS).sort());
  const shown = files.map((name) => readFileSync(path.join(FOLDER, `${name}.md`), 'utf8')).join('');
  for (const name of Object.keys(CLASSES)) assert.match(shown, `- Class: ${name} (`);
});

/** A path of the project that is shown is there (a CLI's own folder may not be); a line of a file is its path. */
function missingPaths(page: string, rig: TestRig): string[] {
  const shown = page
    .split(rig.project)
    .slice(1)
    .map((rest) => `${rig.project}${/^[\w./-]*/.exec(rest)![0].replace(/[.]$/, '')}`);
  assert.ok(shown.length > 0);
  return shown.filter((file) => !existsSync(file));
}

/** Without what is another in each run: folders, times, ids of calls. */
function steady(summary: string, rig: TestRig): string {
  return summary
    .replaceAll(rig.root, '/rig')
    .replace(/\b\d{14}-[0-9a-f]{8}\b/g, 'CALL')
    .replace(/\| \d+\.\d s \|/g, '| N s |')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

test.run();
