// What a run waits for is told by the order of its journal: a call that followed a decision ends its wait, whatever the clock says.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { taskNow } from '../../../loops/report/task-now.ts';
import { identify } from '../../../wrappers/processes/identity.ts';

const test = suite<{ root: string }>('waits by order');
test.before.each((context) => {
  context.root = path.join(mkdtempSync(path.join(tmpdir(), 'waits-')), 'fix');
  mkdirSync(path.join(context.root, 'state'), { recursive: true });
});
test.after.each(({ root }) => rmSync(path.dirname(root), { recursive: true }));

const NOW = new Date('2026-01-02T12:00:00.000Z');
const reserved = (call_id: string) => ({
  ...{ fact: 'reserved', call_id, run_id: 'r', stage: 'look', tool: 'codex', attempt: 1, for_prompt: null },
  guardian: { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' },
  deadline_at: NOW.toISOString(),
});
const verdict = (call_id: string) => ({
  ...{ fact: 'verdict', call_id, class: 'transient', reason: 'rate_limit', signature: null, retry_at: null },
  exit_code: 1,
});
const decided = { fact: 'decided', run_id: 'r', stage: 'look', action: 'retry', why: 'w', wait_ms: 3_600_000 };

for (const [name, followed, hours, waits] of [
  ['no call has followed', false, 0, true],
  ['a call has followed', true, 0, false],
  ['a call has followed, and the clock was set back by a day', true, -24, false],
] as const)
  test(name, async ({ root }) => {
    const self = (await identify(process.pid))!;
    const claimed = { fact: 'claimed', run_id: 'r', over: null, owner: self };
    const before = [claimed, reserved('c1'), verdict('c1'), decided].map((line) => ({ at: NOW.toISOString(), line }));
    const later = new Date(NOW.getTime() + hours * 3_600_000).toISOString();
    const after = followed ? [reserved('c2'), verdict('c2')].map((line) => ({ at: later, line })) : [];
    const text = [...before, ...after].map(({ at, line }) => `${JSON.stringify({ v: 1, at, ...line })}\n`).join('');
    writeFileSync(path.join(root, 'state/journal.jsonl'), text);
    const now = taskNow(root);
    const seen = await now.look({ self, now: NOW, waits: null, detail: false });
    now.close();
    assert.is(seen.state, 'running');
    const until = new Date(NOW.getTime() + 3_600_000).toISOString();
    assert.equal(seen.waits, waits ? { what: 'time', until, stage: 'look' } : null);
  });

test.run();
