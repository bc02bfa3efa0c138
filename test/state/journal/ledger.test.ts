// Whatever the clock says, a decision is about the call before it, and a call was made for the stand-ins decided before it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JournalLine } from '../../../state/journal/facts.ts';
import { decisionsByCall, emptyLedger, fold, standInsOf } from '../../../state/journal/ledger.ts';

const reserved = (call_id: string, run_id: string | null = 'r', stage = 'look') => ({
  ...{ fact: 'reserved', call_id, run_id, stage, tool: 'codex', attempt: 1, for_prompt: null, deadline_at: '' },
  guardian: { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' },
});
const verdict = (call_id: string) => ({ fact: 'verdict', call_id, class: 'transient', reason: 'overloaded' });
const decided = (why: string, model: string | null, stage = 'look') => ({
  ...{ fact: 'decided', run_id: 'r', stage, action: model === null ? 'retry' : 'fallback', why, wait_ms: 0 },
  ...(model === null
    ? {}
    : { stand_in: { tool: 'codex', model, in_place_of: { tool: 'codex', model: 'm1' }, reason: 'overloaded' } }),
});

const LINES = [
  reserved('c1'),
  verdict('c1'),
  decided('of another stage', 'm9', 'other'),
  decided('of c1', null),
  // A wrapper on its own, of the same stage.
  reserved('own', null),
  reserved('c2'),
  verdict('c2'),
  decided('of c2', 'm2'),
  decided('of c2 once more', 'm2'),
  reserved('c3'),
  verdict('c3'),
  decided('of c3', 'm3'),
  reserved('c4'),
];

/** @param hours how far the clock is put before each line. */
function ledgerOf(hours: (nth: number) => number) {
  const ledger = emptyLedger();
  for (const [nth, line] of LINES.entries()) {
    const at = new Date(Date.UTC(2026, 0, 2) + hours(nth) * 3_600_000).toISOString();
    fold(ledger, { v: 1, at, ...line } as JournalLine, nth);
  }
  return ledger;
}

for (const [name, hours] of [
  ['continues', (nth) => nth],
  ['stands still', () => 0],
  ['is set back before every line', (nth) => -nth],
  ['is set back and forward', (nth) => (nth % 2 === 0 ? nth : -nth)],
] as [string, (nth: number) => number][]) {
  test(`each call has its own decision when the clock ${name}`, () => {
    const decisions = [...decisionsByCall(ledgerOf(hours))].map(([{ reserved }, { why }]) => [reserved.call_id, why]);
    assert.equal(decisions, [
      ['c1', 'of c1'],
      ['c2', 'of c2'],
      ['c3', 'of c3'],
    ]);
  });

  test(`each call has its stand-ins when the clock ${name}`, () => {
    const ledger = ledgerOf(hours);
    const asked = [...ledger.calls.values()].map((call) => standInsOf(ledger, call).map(({ model }) => model));
    assert.equal(asked, [[], [], [], ['m2', 'm2'], ['m2', 'm2', 'm3']]);
  });
}

test.run();
