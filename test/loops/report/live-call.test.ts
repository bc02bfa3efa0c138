// What is known of a call under way grows with what its CLI writes.

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { liveCall } from '../../../loops/report/live-call.ts';
import type { Tool } from '../../../policies/facts/tools.ts';
import type { Call } from '../../../state/journal/ledger.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { SESSION, STREAMS } from '../../rig/streams.ts';

const test = suite<{ root: string; events: string }>('a live call');
test.before.each((context) => {
  context.root = mkdtempSync(path.join(tmpdir(), 'live-'));
  mkdirSync(path.join(context.root, 'c'));
  context.events = path.join(context.root, 'c/stdout');
});
test.after.each(({ root }) => rmSync(root, { recursive: true }));

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

test('tokens are told while it goes on, of a line once it is whole', ({ root, events }) => {
  const { look, close } = opened(root, 'codex');
  assert.equal(look(), [null, null]);
  writeFileSync(events, text(STREAMS.codex.opens(SESSION)));
  assert.equal(look(), ['asks the model', null]);
  const [counted] = STREAMS.codex.succeeds();
  appendFileSync(events, counted!.slice(0, -5));
  assert.is(look()[1], null);
  appendFileSync(events, text([counted!.slice(-5)]));
  assert.equal(look(), ['is done', 18]);
  close();
});

test('what one more result tells is added; what is no event is passed over', ({ root, events }) => {
  const { look, close } = opened(root, 'claude');
  const [first] = STREAMS.claude.succeeds(SESSION);
  writeFileSync(events, text([first!, 'tokens: many', '{"type":"result","tokens":']));
  assert.is(look()[1], 18);
  appendFileSync(events, text([first!.replace('"result_index":0', '"result_index":1')]));
  assert.is(look()[1], 36);
  close();
});

test('a folder in the place of its events has said nothing', ({ root, events }) => {
  mkdirSync(events);
  const { look, close } = opened(root, 'codex');
  assert.equal(look(), [null, null]);
  close();
});

test.run();
