// What a journal's last words say of a task that rests is what its fold says, whatever stands in it.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fact } from '../../../state/journal/facts.ts';
import { foldSeen } from '../../../state/journal/journal.ts';
import { openCalls } from '../../../state/journal/ledger.ts';
import { restIn } from '../../../state/journal/rest.ts';

const owner = { pid: 1, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
const RUNS = ['r1', 'r2', 'r3'];
const CALLS = ['c1', 'c2', 'c3'];

const run_id = fc.constantFrom(...RUNS);
const call_id = fc.constantFrom(...CALLS);
const FACTS = fc.oneof(
  fc.record({ fact: fc.constant('claimed'), run_id, over: fc.option(run_id), owner: fc.constant(owner) }),
  fc.record({
    fact: fc.constant('released'),
    run_id,
    exit_code: fc.constantFrom(0, 1),
    state: fc.constantFrom('done', 'failed', 'refused', 'parked', 'a word that nobody knows'),
  }),
  fc.record({
    fact: fc.constant('reserved'),
    call_id,
    run_id: fc.option(run_id),
    stage: fc.constantFrom('brief', ''),
    tool: fc.constant('codex'),
    attempt: fc.constant(1),
    for_prompt: fc.constant(null),
    guardian: fc.constant(owner),
    deadline_at: fc.constant('2026-01-02T03:09:05Z'),
  }),
  fc.record({ fact: fc.constant('started'), call_id, cli: fc.constant(null) }),
  fc.record({ fact: fc.constant('ended'), call_id, ending: fc.constant('exited') }),
  fc.record({ fact: fc.constant('verdict'), call_id, class: fc.constant(null), exit_code: fc.constantFrom(0, -1) }),
  fc.record({ fact: fc.constant('budget'), calls: fc.constantFrom(0, 5), from: fc.constant('command') }),
  fc.record({ fact: fc.constant('noted'), note: fc.constant('n1'), text: fc.constant('0'.repeat(64)) }),
  fc.constant({ stage: 'brief', call_id: 'c1', prompt_sha256: 'x', fact: 'done' }),
  // What only looks like it: more than its end is another fact's.
  fc.record({ fact: fc.constant('claimed'), run_id, owner: fc.constant(owner), over: fc.constant(',"fact":"done"}') }),
  fc.record({ run_id, owner: fc.constant(owner), over: fc.constant(',"fact":"done"}'), fact: fc.constant('claimed') }),
);

/** As our writer writes it, as a person may, half of it, and a blank one. */
const LINES = fc.record({
  fact: FACTS,
  at: fc.integer({ min: 0, max: 59 }),
  form: fc.constantFrom('ours', 'ours', 'ours', 'ours', 'spaced', 'torn', 'blank'),
});

function textOf({ fact, at, form }: { fact: object; at: number; form: string }): string {
  const line = { v: 1, at: `2026-01-02T03:04:${String(at).padStart(2, '0')}.000Z`, ...fact };
  const text = form === 'spaced' ? JSON.stringify(line, null, 1).replaceAll('\n', '') : JSON.stringify(line);
  return form === 'blank' ? '' : form === 'torn' ? text.slice(0, text.length / 2) : text;
}

test('it says nothing, or what the fold says', () => {
  let told = 0;
  fc.assert(
    fc.property(fc.array(LINES, { maxLength: 12 }), fc.boolean(), (lines, isWhole) => {
      const bytes = Buffer.from(lines.map(textOf).join('\n') + (isWhole ? '\n' : ''));
      const rest = restIn(bytes, 'journal.jsonl');
      if (rest === null) return;
      told += 1;
      const { ledger } = foldSeen('journal.jsonl', bytes);
      assert.equal([ledger.run, openCalls(ledger).length, ledger.supervised.length], [null, 0, 0]);
      assert.equal(rest, [...ledger.released.values()].at(-1));
    }),
    { numRuns: 10_000, seed: 1 },
  );
  assert.ok(told > 50, `only ${told} journals were told without the fold`);
});

const run = (id: string): Fact[] => [
  { fact: 'budget', calls: 5, from: 'manifest' },
  { fact: 'claimed', run_id: id, over: null, owner },
  {
    fact: 'reserved',
    call_id: `c-${id}`,
    run_id: id,
    stage: 'brief',
    tool: 'codex',
    attempt: 1,
    for_prompt: null,
    guardian: owner,
    deadline_at: '2026-01-02T03:09:05Z',
  },
  { fact: 'started', call_id: `c-${id}`, cli: null },
  { fact: 'ended', call_id: `c-${id}`, ending: 'exited', native_exit_code: 0, signal: null },
  { fact: 'verdict', call_id: `c-${id}`, class: null, reason: null, signature: null, retry_at: null, exit_code: 0 },
  { fact: 'released', run_id: id, exit_code: 0, state: id === 'r1' ? 'failed' : 'done' },
];

const written = (facts: readonly Fact[]): Buffer =>
  Buffer.from(facts.map((fact) => `${JSON.stringify({ v: 1, at: '2026-01-02T03:04:05.000Z', ...fact })}\n`).join(''));

test('of runs that ended it says how the last one did', () => {
  assert.is(restIn(written(run('r1')), 'j')?.state, 'failed');
  assert.is(restIn(written([...run('r1'), ...run('r2')]), 'j')?.state, 'done');
});

for (const [what, facts] of [
  ['a run that has not released the task', run('r1').slice(0, -1)],
  ['a call without a verdict', run('r1').filter(({ fact }) => fact !== 'verdict')],
  ['nothing but a budget', run('r1').slice(0, 1)],
] as const)
  test(`it leaves to the fold: ${what}`, () => assert.is(restIn(written(facts), 'j'), null));

test.run();
