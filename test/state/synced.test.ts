// What is promised to be on disk is synced before the line that says so: a journal's place, an answer's and a record's.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultShim } from '../rig/fault-shim.ts';
import { runFaulted } from '../rig/faulted-task.ts';

const test = suite('what is synced');
const can = faultShim() === null ? test.skip : test;
if (faultShim() === null) console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');

const TASK = '/.tmp/task/fix';
const JOURNAL = `${TASK}/state/journal.jsonl`;

can('the first line of a journal is written into a file whose folders are on disk', async () => {
  const { counted } = await runFaulted({ in: 'tollgate.cjs' });
  const before = counted.slice(0, counted.indexOf(`write ${JOURNAL}`));
  assert.equal(
    before.filter((call) => /^(mkdir|fsync)/.test(call)),
    [`mkdir ${TASK}/state`, `fsync ${TASK}/state`, `fsync ${TASK}`],
  );
  assert.is(counted[before.length + 1], `fdatasync ${JOURNAL}`);
});

can(
  'the verdict is written behind the logs, the answer, both records, and the folders that name them; then raw files go',
  async () => {
    const { counted } = await runFaulted({ in: 'run_codex.cjs' });
    const calls = counted.map((call) =>
      call.replace(/[0-9]{14}-[0-9a-f]{8}/, 'ID').replace(/\/\.([\w.]+)\.\d+-\d+$/, '/$1'),
    );
    const verdict = calls.lastIndexOf(`write ${JOURNAL}`);
    assert.is(calls[verdict + 1], `fdatasync ${JOURNAL}`);
    const ended = calls.lastIndexOf(`write ${JOURNAL}`, verdict - 1);
    assert.equal(
      calls.slice(ended, verdict).filter((call) => call.startsWith('fsync')),
      [
        `fsync ${TASK}/outputs/codex_brief.codex.err`,
        `fsync ${TASK}/outputs/codex_brief.codex.raw`,
        `fsync ${TASK}/outputs/codex_brief.codex.out`,
        `fsync ${TASK}/state/attempts/ID/record.json`,
        `fsync ${TASK}/outputs/codex_brief.codex.call.json`,
        `fsync ${TASK}/outputs`,
        `fsync ${TASK}/state/attempts/ID`,
        `fsync ${TASK}`,
        `fsync ${TASK}/state/attempts`,
        `fsync ${TASK}/state`,
      ],
    );
  },
);

test.run();
