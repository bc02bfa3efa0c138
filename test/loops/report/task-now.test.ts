// A task is read again and again: what it waits for is told by the order of its journal, a call by what its CLI has written.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { liveCall, taskNow } from '../../../loops/report/task-now.ts';
import type { Tool } from '../../../policies/facts/tools.ts';
import type { Call } from '../../../state/journal/ledger.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { SESSION, STREAMS } from '../../rig/streams.ts';

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

const liveTest = suite<{ root: string; events: string }>('a live call');
liveTest.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'live-'));
  mkdirSync(path.join(context.root, 'c'));
  context.events = path.join(context.root, 'c/stdout');
});
liveTest.after.each(({ root }) => rmSync(root, { recursive: true }));

function opened(root: string, tool: Tool) {
  const reserved = { call_id: 'c', stage: 'one', tool, attempt: 1, at: 'then', deadline_at: 'later' };
  const call = { reserved, started: null } as unknown as Call;
  const live = liveCall({ attempts: root } as TaskFolder, call, []);
  const look = () => {
    const { last, tokens } = live.look(call);
    return [last, tokens];
  };
  return { look, close: live.close };
}

const text = (lines: string[]) => `${lines.join('\n')}\n`;

liveTest('tokens are told while it continues, of a line once it is whole', ({ root, events }) => {
  const { look, close } = opened(root, 'codex');
  assert.equal(look(), [null, null]);
  writeFileSync(events, text(STREAMS.codex.opens(SESSION)));
  assert.equal(look(), ['asks the model', null]);
  const [counted] = STREAMS.codex.succeeds();
  appendFileSync(events, counted!.slice(0, -5));
  assert.is(look()[1], null);
  appendFileSync(events, text([counted!.slice(-5)]));
  assert.equal(look(), ['ended its turn', 18]);
  close();
});

liveTest('what one more result tells is added; what is no event is passed over', ({ root, events }) => {
  const { look, close } = opened(root, 'claude');
  const [first] = STREAMS.claude.succeeds(SESSION);
  writeFileSync(events, text([first!, 'tokens: many', '{"type":"result","tokens":']));
  assert.is(look()[1], 18);
  appendFileSync(events, text([first!.replace('"result_index":0', '"result_index":1')]));
  assert.is(look()[1], 36);
  close();
});

liveTest('a folder in the place of its events has said nothing', ({ root, events }) => {
  mkdirSync(events);
  const { look, close } = opened(root, 'codex');
  assert.equal(look(), [null, null]);
  close();
});

test.run();
liveTest.run();
