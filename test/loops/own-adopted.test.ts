// A described CLI whose dispatcher and guardian were killed: the next run guards it by the description it was started with, and pays once.

import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { openCalls } from '../../state/journal/ledger.ts';
import { killWithGuardian, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('own adopted');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const describe = (rig: TestRig, more: string) =>
  rig.write('tollgate.yaml', `tools:\n  mine:\n    binary: ./mine.sh\n${more}`);

/** It waits for a word of ours, answers, and is adopted meanwhile; `changed` is what describes it by then. */
async function adopted(rig: TestRig, answer: string, more: string, changed: string) {
  const [go, started] = [path.join(rig.root, 'go'), path.join(rig.root, 'started')];
  execFileSync('mkfifo', [go]);
  const script = `#!/bin/sh\necho started >> '${started}'\ncat '${go}'\nprintf '%s\\n' '${answer}'\n`;
  chmodSync(rig.write('mine.sh', script), 0o755);
  describe(rig, more);
  const task = makeTask(rig, { stages: [{ tool: 'mine', role: 'review', id: 'one', requires: [], min_lines: 0 }] });
  const first = rig.start('tollgate', ['run', 'fix', '--trust-workspace']);
  const open = () => openCalls(task.journal.read().ledger)[0];
  await waitWhile(() => open()?.started == null);
  const { reserved } = await killWithGuardian(task, first);
  describe(rig, changed);
  const next = rig.start('tollgate', ['run', 'fix', '--trust-workspace']);
  await next.says(/stage one: the call \S+ lost its guardian and still works/);
  await writeFile(go, '');
  const { code } = await next.result;
  const record = JSON.parse(task.read(`state/attempts/${reserved.call_id}/record.json`)) as CallRecord;
  return { code, record, starts: readFileSync(started, 'utf8').trim().split('\n').length };
}

const JSON_ROW = '    output: json\n    document: { answer: text }\n';
const LINES_ROW = '    output: lines\n    events: [{ when: { type: end }, answer: text, completed: true }]\n';

for (const [what, more, changed, exit] of [
  ['a whole document', JSON_ROW, JSON_ROW, 0],
  ['a line that says it is the end', LINES_ROW, LINES_ROW, 0],
  // Whoever changes it while its call continues changes what the stage is judged by: it is put back, and told.
  ['what it was described as when it was started', JSON_ROW, JSON_ROW.replace('text', 'other'), 1],
] as const)
  test(`${what} counts, and is paid once`, async ({ rig }) => {
    const { code, record, starts } = await adopted(rig, '{"type":"end","text":"Hello."}', more, changed);
    assert.equal([code, record.verdict.class, record.native_exit_code, starts], [exit, null, null, 1]);
    assert.equal(rig.survivors(), []);
  });

test.run();
