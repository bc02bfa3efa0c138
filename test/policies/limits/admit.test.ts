// Who may begin: budgets by tool and project, the last calls of a day, a clock that is set back, the pace.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { admit } from '../../../policies/limits/admit.ts';
import {
  asOf,
  countedSince,
  counting,
  EMPTY_LEDGER,
  isAhead,
  type LimitsLedger,
  type OpenCall,
  settled,
} from '../../../policies/limits/ledger.ts';
import { type Limits, type LimitsInForce, limitsMistake, NO_LIMITS } from '../../../policies/limits/limits.ts';

const OWNER = { pid: 7, start_time: '1', host: 'h', boot_id: 'b', pid_ns: 'n' };
const NOON = Date.parse('2026-11-23T12:00:00Z');

const limited = (limits: Partial<Limits>, project: string | null = null): LimitsInForce => ({
  limits: { ...NO_LIMITS, ...limits },
  project,
  file: 'limits.json',
});
const asking = (more: Partial<OpenCall> = {}): OpenCall => ({
  call_id: 'one',
  tool: 'codex',
  account: 'signed in',
  project: '/p',
  task: null,
  at: NOON,
  owner: OWNER,
  ...more,
});

/** So many calls, one after another; how the first that was not granted ended. */
function askAll(inForce: LimitsInForce[], calls: Partial<OpenCall>[], ledger: LimitsLedger = EMPTY_LEDGER) {
  const hows: string[] = [];
  let at = ledger;
  for (const [i, call] of calls.entries()) {
    const asked = asking({ call_id: `c${i}`, ...call });
    at = asOf(at, asked.at);
    const admitted = admit(inForce, at, asked);
    hows.push(admitted.how);
    if (admitted.how === 'admitted') at = admitted.ledger;
  }
  return { hows, ledger: at };
}

const DAY_OF_2 = limited({ budgets: [{ per: 'day', tool: 'any', calls: 2 }] });

test('a budget is exact, and refused until its reset', () => {
  const { hows, ledger } = askAll([DAY_OF_2], [{}, {}, {}]);
  assert.equal(hows, ['admitted', 'admitted', 'refused']);
  const refused = admit([DAY_OF_2], ledger, asking({ call_id: 'x' }));
  assert.equal(refused, {
    how: 'refused',
    why: 'used up: 2 of 2 calls a day, since 2026-11-23T00:00:00.000Z, until 2026-11-24T00:00:00.000Z',
    retryAt: new Date('2026-11-24T00:00:00Z'),
    file: 'limits.json',
    limit: { name: 'user_budget', value: 2, unit: 'calls', per: 'day' },
  });
  assert.is(admit([DAY_OF_2], ledger, asking({ call_id: 'x', at: NOON + 12 * 3_600_000 })).how, 'admitted');
});

test('of two that are used up the later reset counts', () => {
  const both = limited({
    budgets: [
      { per: 'day', tool: 'any', calls: 1 },
      { per: 'month', tool: 'any', calls: 1 },
    ],
  });
  const { ledger } = askAll([both], [{}]);
  const refused = admit([both], ledger, asking());
  assert.equal(refused.how === 'refused' && refused.retryAt, new Date('2026-12-01T00:00:00Z'));
});

test('a tool has its own; a project counts its own calls and loosens nothing', () => {
  const gemini = limited({ budgets: [{ per: 'day', tool: 'gemini', calls: 1 }] });
  assert.equal(askAll([gemini], [{ tool: 'gemini' }, { tool: 'gemini' }, {}]).hows, [
    'admitted',
    'refused',
    'admitted',
  ]);
  const project = limited({ budgets: [{ per: 'day', tool: 'any', calls: 1 }] }, '/p');
  assert.equal(askAll([project], [{ project: '/q' }, {}, {}]).hows, ['admitted', 'admitted', 'refused']);
  const generous = limited({ budgets: [{ per: 'day', tool: 'any', calls: 1000 }] }, '/p');
  assert.equal(askAll([DAY_OF_2, generous], [{}, {}, {}]).hows, ['admitted', 'admitted', 'refused']);
});

test('a clock that is set back gains nothing, and one that ran ahead loses no more than its day', () => {
  const ahead = NOON + 400 * 86_400_000;
  assert.equal(askAll([DAY_OF_2], [{ at: ahead }, { at: NOON }, { at: NOON }]).hows, [
    'admitted',
    'admitted',
    'refused',
  ]);
  assert.equal(askAll([DAY_OF_2], [{}, {}, { at: NOON - 86_400_000 }]).hows, ['admitted', 'admitted', 'refused']);
  const used = askAll([DAY_OF_2], [{ at: ahead }, { at: ahead }, { at: NOON }]);
  assert.equal(used.hows, ['admitted', 'admitted', 'refused']);
  assert.equal(askAll([DAY_OF_2], [{ at: NOON + 86_400_000 }], used.ledger).hows, ['admitted']);
});

test('a clock that is behind for a moment forgets nothing of the day, also of a call that is open meanwhile', () => {
  const tokens = limited({ budgets: [{ per: 'day', tool: 'any', calls: 2, tokens: 100 }] });
  const { ledger } = askAll([tokens], [{}, {}]);
  const behind = asOf(ledger, Date.parse('1970-01-01T00:10:00Z'));
  const back = asOf(settled(behind, 'c1', 'not_made'), NOON);
  assert.equal(askAll([tokens], [{}, {}], back).hows, ['admitted', 'refused']);
  const used = asOf(settled(back, 'c0', { tokens: 100, usd: 0 }), NOON);
  assert.match((admit([tokens], used, asking()) as { why: string }).why, /^used up: 100 of 100 tokens a day/);
  const since = counting(asOf({ ...ledger, since: { '': NOON } }, 0), [null], 0);
  assert.is(countedSince(since, null, NOON + 1), NOON);
});

test('a call that began by a clock that ran ahead is given back, and holds up no minute, once that is set back', () => {
  const both = limited({ per_minute: { codex: 1 }, budgets: [{ per: 'day', tool: 'any', calls: 1 }] });
  const { ledger } = askAll([both], [{ at: NOON + 3_600_000 }]);
  const back = asOf(ledger, NOON);
  assert.is(settled(back, 'c0', 'not_made').spent[0]?.calls, 0);
  const next = admit([limited({ per_minute: { codex: 1 } })], back, asking({ call_id: 'x' }));
  assert.is(next.how === 'wait' && next.untilMs, NOON + 60_000);
});

test('a limit that is lowered below what is used refuses, and one of nothing refuses all', () => {
  const { ledger } = askAll([DAY_OF_2], [{}, {}]);
  const lowered = limited({ budgets: [{ per: 'day', tool: 'any', calls: 1 }] });
  assert.match((admit([lowered], ledger, asking()) as { why: string }).why, /^used up: 2 of 1 call a day/);
  assert.equal(askAll([limited({ budgets: [{ per: 'week', tool: 'any', calls: 0 }] })], [{}]).hows, ['refused']);
});

test('tokens and dollars bind between calls; a call that was not made counts for nothing', () => {
  const tokens = limited({ budgets: [{ per: 'day', tool: 'any', tokens: 100, calls: 3 }] });
  const { ledger } = askAll([tokens], [{}, {}]);
  const used = settled(settled(ledger, 'c0', { tokens: 100, usd: null }), 'c1', 'not_made');
  assert.equal([used.open.length, used.begun.length, used.spent[0]?.calls, used.spent[0]?.tokens], [0, 1, 1, 100]);
  assert.match((admit([tokens], used, asking()) as { why: string }).why, /^used up: 100 of 100 tokens a day/);
  assert.is(settled(used, 'unknown', { tokens: 9, usd: 9 }), used);
});

test('who uses up the fourth fifth is warned, once', () => {
  const five = limited({ budgets: [{ per: 'day', tool: 'any', calls: 5 }] });
  const nears: number[] = [];
  let ledger = EMPTY_LEDGER;
  for (let i = 0; i < 5; i++) {
    const admitted = admit([five], ledger, asking({ call_id: `c${i}` }));
    if (admitted.how !== 'admitted') throw new Error(admitted.why);
    nears.push(admitted.near.length);
    ledger = admitted.ledger;
  }
  assert.equal(nears, [0, 0, 0, 1, 0]);
});

test('at once: by tool and account, and of all; what is lost holds no place', () => {
  const one = limited({ at_once: { codex: 1, any: 2 } });
  const calls = [{}, {}, { account: 'other' }, { tool: 'claude' }];
  const { hows, ledger } = askAll([one], calls);
  assert.equal(hows, ['admitted', 'wait', 'admitted', 'wait']);
  const free = { ...ledger, open: ledger.open.map((open) => ({ ...open, lost: true as const })) };
  assert.is(admit([one], free, asking()).how, 'admitted');
});

test('a minute: the oldest of them has to be over', () => {
  const two = limited({ per_minute: { codex: 2 } });
  const { hows, ledger } = askAll([two], [{}, { at: NOON + 1000 }, { at: NOON + 2000 }, { at: NOON + 60_001 }]);
  assert.equal(hows, ['admitted', 'admitted', 'wait', 'admitted']);
  const waits = admit([two], ledger, asking({ call_id: 'x', at: NOON + 60_002 }));
  assert.is(waits.how === 'wait' && waits.untilMs, NOON + 61_000);
});

test('what is no limits file is told by its field', () => {
  const rows: [unknown, RegExp | null][] = [
    [{ v: 1, ...NO_LIMITS }, null],
    [[], /is not a JSON object/],
    [{ limit: 1 }, /has a field "limit"/],
    [{ time_zone: 'Mars/Olympus' }, /time_zone/],
    [{ budgets: [{ per: 'year', calls: 1 }] }, /budgets\[0\] that has a per/],
    [{ budgets: [{ per: 'day' }] }, /limits nothing/],
    [{ budgets: [{ per: 'day', calls: -1 }] }, /number of calls/],
    [{ budgets: [{ per: 'day', call: 1 }] }, /field "call"/],
    [{ at_once: { codex: 0 } }, /at_once\.codex/],
    [{ per_minute: [] }, /per_minute/],
  ];
  for (const [value, mistake] of rows)
    if (mistake === null) assert.is(limitsMistake(value), null);
    else assert.match(limitsMistake(value) ?? '', mistake);
});

test('the first quarter of an hour of a day counts, and no time in the future is the first that is counted', () => {
  const midnight = Date.parse('2026-11-23T00:00:00Z');
  assert.equal(askAll([DAY_OF_2], [{ at: midnight }, { at: midnight + 60_000 }, {}]).hows, [
    'admitted',
    'admitted',
    'refused',
  ]);
  const ahead = { ...EMPTY_LEDGER, since: { '': NOON + 3_600_000 } };
  assert.is(countedSince(ahead, null, NOON), NOON);
  assert.ok(isAhead(ahead, NOON));
  const moved = asOf(ahead, NOON);
  assert.not.ok(isAhead(moved, NOON));
  assert.is(countedSince(moved, null, NOON + 60_000), NOON);
});

test('where a pace is lowered, the last of those that began decides', () => {
  const { ledger } = askAll([limited({ per_minute: { codex: 3 } })], [{}, { at: NOON + 1000 }, { at: NOON + 2000 }]);
  const waits = admit([limited({ per_minute: { codex: 1 } })], ledger, asking({ call_id: 'x', at: NOON + 3000 }));
  assert.is(waits.how === 'wait' && waits.untilMs, NOON + 62_000);
});

test.run();
