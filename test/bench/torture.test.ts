// The torture itself: its plans are repeatable, each of its checks sees what it is there for, and a short run finds nothing.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkTask } from '../../bench/torture/invariants.ts';
import { planOf } from '../../bench/torture/plan.ts';
import { playRound } from '../../bench/torture/round.ts';
import { fakeWorld, type Seen } from '../../bench/torture/world.ts';
import type { Fact } from '../../state/journal/facts.ts';
import { openJournal } from '../../state/journal/journal.ts';
import { refreshStats } from '../../state/journal/stats.ts';

const test = suite<{ folder: string }>('torture');
test.before.each((context) => {
  context.folder = path.join(mkdtempSync(path.join(tmpdir(), 'tortured-')), 'a');
});
test.after.each(({ folder }) => rmSync(path.dirname(folder), { recursive: true, force: true }));

const clock = () => new Date('2026-01-01T00:00:00Z');
const PROCESS = { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
const claimed: Fact = { fact: 'claimed', run_id: 'r', over: null, owner: PROCESS };
const released: Fact = { fact: 'released', run_id: 'r', exit_code: 0, state: 'done' };
const reserved = (call_id: string): Fact => ({
  fact: 'reserved',
  call_id,
  run_id: 'r',
  stage: 's',
  tool: 'codex',
  attempt: 1,
  for_prompt: 'p',
  guardian: PROCESS,
  deadline_at: clock().toISOString(),
});
const started = (call_id: string): Fact => ({ fact: 'started', call_id, cli: null });
const verdict = (call_id: string, reason: string | null = null): Fact => ({
  fact: 'verdict',
  call_id,
  class: reason === null ? null : 'transient',
  reason,
  signature: null,
  retry_at: null,
  exit_code: 0,
});
const lost = (call_id: string): Fact => ({
  fact: 'ended',
  call_id,
  ending: 'lost',
  native_exit_code: null,
  signal: null,
});
const begun = (id: string): Seen => ({ what: 'begun', id });
const answered = (id: string): Seen => ({ what: 'answered', id });

const WHOLE: Fact[] = [claimed, reserved('1'), started('1'), verdict('1'), released];
const BUDGET = (calls: number): Fact => ({ fact: 'budget', calls, from: 'manifest' });

interface Row {
  why: string;
  facts?: Fact[];
  seen?: Seen[];
  /** Files of the task beside a whole one's, or in their place; null takes one away. */
  files?: Record<string, string | null>;
  found: string[];
}

const ROWS: Row[] = [
  { why: 'a whole round', found: [] },
  { why: 'a call that was asked twice', seen: [begun('1'), begun('1'), answered('1')], found: ['double'] },
  {
    why: 'a stage that was answered and asked again',
    facts: [claimed, reserved('1'), verdict('1'), reserved('2'), verdict('2'), released],
    seen: [begun('1'), answered('1'), begun('2'), answered('2')],
    found: ['double'],
  },
  {
    why: 'more calls than the strikes excuse',
    facts: [claimed, ...['1', '2', '3'].flatMap((id) => [reserved(id), verdict(id, 'interrupted')]), released],
    seen: [begun('1'), begun('2'), begun('3')],
    found: ['double'],
  },
  {
    why: 'a call that was refused and asked all the same',
    facts: [BUDGET(1), ...WHOLE, reserved('2')],
    seen: [begun('1'), answered('1'), begun('2')],
    found: ['overrun'],
  },
  { why: 'an answer that is not there', files: { 'outputs/s.codex.out': null }, found: ['lost'] },
  { why: 'another answer than the one paid for', files: { 'outputs/s.codex.out': 'half of' }, found: ['lost'] },
  {
    why: 'a call without a verdict',
    facts: [claimed, reserved('1'), released],
    found: ['unrecorded'],
  },
  { why: 'a run that is not released', facts: [claimed, reserved('1'), verdict('1')], found: ['unrecorded'] },
  {
    why: 'a call lost in flight of which nobody is told',
    facts: [claimed, reserved('0'), lost('0'), verdict('0', 'interrupted'), reserved('1'), verdict('1'), released],
    seen: [begun('0'), begun('1'), answered('1')],
    found: ['unrecorded'],
  },
  { why: 'no summary', files: { 'outputs/_summary.md': null }, found: ['unrecorded'] },
  { why: 'half a JSON file', files: { 'state/last_failure.json': '{"schema":' }, found: ['unreadable'] },
  { why: 'a stage that is not marked done', files: { 'done/s.done': null }, found: ['unwell'] },
  {
    why: 'a view that tells another figure',
    files: { 'state/stats.json': '{"paid_calls_used":7}' },
    found: ['unrecorded'],
  },
  { why: 'half of a file under another name', files: { 'outputs/.s.codex.out.4711-1': 'half' }, found: ['leftovers'] },
];

for (const { why, facts = WHOLE, seen = [begun('1'), answered('1')], files = {}, found } of ROWS)
  test(`it sees ${why}`, async ({ folder }) => {
    const journal = openJournal(folder, clock);
    for (const fact of facts) journal.append(fact);
    await refreshStats(journal, clock);
    const all = {
      'outputs/s.codex.out': 'answer 1',
      'outputs/s.codex.call.json': '{"call_id":"1"}',
      'outputs/_summary.md': '#',
      'done/s.done': 'p',
      ...files,
    };
    for (const [name, text] of Object.entries(all)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      if (text !== null) writeFileSync(path.join(folder, name), text);
    }
    const stages = [{ name: 's', tool: 'codex' }];
    const { violations } = checkTask(folder, { stages, excused: 1 }, seen, { answerOf: (id) => `answer ${id}` });
    assert.equal([...new Set(violations.map(({ what }) => what))], found, JSON.stringify(violations));
  });

test('the same seed and number make the same plan, another one another', () => {
  assert.equal(planOf(1, 7, 'fake'), planOf(1, 7, 'fake'));
  assert.not.equal(planOf(1, 7, 'fake'), planOf(2, 7, 'fake'));
  assert.not.equal(planOf(1, 7, 'fake'), planOf(1, 8, 'fake'));
});

/** Of each kind; `npm run torture` does more. */
const SHORT = 8;

test('a short torture finds nothing', async () => {
  for (let n = 1; n <= SHORT; n++) {
    const plan = planOf(20, n, 'fake');
    const world = fakeWorld(n);
    try {
      const { violations, begun } = await playRound(plan, world, 'fake');
      assert.equal(violations, [], `npm run torture -- --seed 20 --only ${n}: ${JSON.stringify(plan)}`);
      assert.ok(begun > 0, `round ${n} asked nobody`);
    } finally {
      await world.close('removed');
    }
  }
});

test.run();
