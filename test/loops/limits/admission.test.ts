// Limits over all tasks, on disk: exact however many ask at once, spent when an asker dies, in line, held.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckedCall } from '../../../loops/attempt/phases.ts';
import { withinLimits } from '../../../loops/call/within-limits.ts';
import { askLimits } from '../../../loops/limits/admission.ts';
import { locked } from '../../../loops/limits/ledger-lock.ts';
import type { LimitedCall } from '../../../loops/limits/limited-call.ts';
import { settleLimits } from '../../../loops/limits/settle-limits.ts';
import { UNKNOWN_USAGE } from '../../../policies/facts/engine-event.ts';
import type { Verdict } from '../../../policies/facts/evidence.ts';
import type { LimitsLedger } from '../../../policies/limits/ledger.ts';
import type { CallRecord } from '../../../policies/report/call-record.ts';
import { openJournal } from '../../../state/journal/journal.ts';
import { limitsFiles } from '../../../state/limits/limits-folder.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { waitWhile } from '../../rig/wait-while.ts';

const NOON = new Date('2026-11-23T12:00:00Z');
const SUCCESS: Verdict = { class: null, reason: null, evidence: null, retry_at: null };

interface World {
  home: string;
  folder: string;
  /** What was said by anybody who asked. */
  said: string[];
  now: { at: Date };
}

const test = suite<World>('limits');
test.before.each((world) => {
  world.home = mkdtempSync(path.join(tmpdir(), 'limits-'));
  world.folder = path.join(world.home, '.local/state/tollgate/limits');
  world.said = [];
  world.now = { at: NOON };
  mkdirSync(world.folder, { recursive: true, mode: 0o700 });
  mkdirSync(path.join(world.home, '.tmp'));
});
test.after.each(({ home }) => rmSync(home, { recursive: true, force: true }));

const limit = ({ folder }: World, limits: object) =>
  writeFileSync(path.join(folder, 'limits.json'), JSON.stringify(limits));
const ledgerOf = ({ folder }: World) =>
  JSON.parse(readFileSync(path.join(folder, 'ledger.json'), 'utf8')) as LimitsLedger;
const usedIn = (world: World) => ledgerOf(world).spent.reduce((sum, { calls }) => sum + calls, 0);

const callIn = ({ home }: World, id: string, more: Partial<LimitedCall> = {}): LimitedCall => ({
  callId: id,
  tool: 'codex',
  model: null,
  task: null,
  cwd: home,
  environment: { HOME: home },
  holds: 'obeyed',
  rateWaitMs: 60_000,
  ...more,
});
const ask = (world: World, call: LimitedCall, stop = new AbortController().signal) =>
  askLimits({ call, clock: () => world.now.at, stop, say: (sentence) => world.said.push(sentence) });
const settle = (world: World, call: LimitedCall, verdict: Verdict = SUCCESS, begun = world.now.at) => {
  const record = {
    ending: 'exited',
    verdict,
    usage: UNKNOWN_USAGE,
    model: null,
    started_at: begun.toISOString(),
  } as const;
  return settleLimits(call, record, () => world.now.at);
};
const PLAN: Verdict = { class: 'quota', reason: 'plan', evidence: null, retry_at: null };

const ANY_AMOUNT = { tokens: null, usd: null };

test('64 at once on a budget of 20: exactly 20', async (world) => {
  limit(world, { budgets: [{ per: 'day', calls: 20 }] });
  const ends = await Promise.all(Array.from({ length: 64 }, (_, i) => ask(world, callIn(world, `c${i}`))));
  assert.is(ends.filter(({ how }) => how === 'admitted').length, 20);
  assert.is(usedIn(world), 20);
  const refused = ends.find(({ how }) => how === 'refused');
  assert.equal(refused, {
    how: 'refused',
    reason: 'own_limit',
    message: `a limit over all tasks is used up: 20 of 20 calls a day, since 2026-11-23T00:00:00.000Z, until 2026-11-24T00:00:00.000Z; nothing was started. The limit is set in ${world.folder}/limits.json; tollgate budget shows all of them`,
    retryAt: new Date('2026-11-24T00:00:00Z'),
    limit: { name: 'user_budget', value: 20, unit: 'calls', per: 'day' },
  });
});

test('a limit that is lowered below what is used refuses until its reset, and tells both', async (world) => {
  limit(world, { budgets: [{ per: 'day', calls: 3 }] });
  for (const id of ['a', 'b', 'c']) await ask(world, callIn(world, id));
  limit(world, { budgets: [{ per: 'day', calls: 1 }] });
  const refused = await ask(world, callIn(world, 'd'));
  assert.match(refused.how === 'refused' ? refused.message : '', /is used up: 3 of 1 call a day, since/);
  assert.equal(refused.how === 'refused' && refused.retryAt, new Date('2026-11-24T00:00:00Z'));
  assert.is(usedIn(world), 3);
});

test('a call may use what remains of the strictest limit in tokens and in dollars', async (world) => {
  limit(world, {
    budgets: [
      { per: 'day', tokens: 100, usd: 2 },
      { per: 'month', tokens: 70 },
      { per: 'day', tool: 'gemini', tokens: 1 },
    ],
  });
  const admission = await ask(world, callIn(world, 'one'));
  assert.equal(admission.how === 'admitted' && admission.left, { tokens: 70, usd: 2 });
});

test('calls that a wrong clock dated in the future use up one day, and not each day until then', async (world) => {
  limit(world, { budgets: [{ per: 'day', calls: 1 }] });
  world.now.at = new Date('2036-01-01T00:00:00Z');
  assert.is((await ask(world, callIn(world, 'ahead'))).how, 'admitted');
  world.now.at = NOON;
  assert.is((await ask(world, callIn(world, 'same day'))).how, 'refused');
  world.now.at = new Date('2026-11-24T12:00:00Z');
  assert.is((await ask(world, callIn(world, 'next day'))).how, 'admitted');
});

test('an open call of a container that is gone has no place, also if a wrong clock dated it in the future', async (world) => {
  limit(world, { at_once: { codex: 1 } });
  await ask(world, callIn(world, 'gone'));
  const { open, ...rest } = ledgerOf(world);
  const at = NOON.getTime() + 3_600_000;
  const elsewhere = open.map((one) => ({ ...one, at, owner: { ...one.owner, host: 'gone', pid_ns: 'gone' } }));
  writeFileSync(path.join(world.folder, 'ledger.json'), JSON.stringify({ ...rest, open: elsewhere }));
  assert.is((await ask(world, callIn(world, 'next'))).how, 'admitted');
});

test('a pace that a wrong clock dated in the future holds back for its minute, and not at each look for another', async (world) => {
  limit(world, { per_minute: { codex: 1 } });
  world.now.at = new Date('2026-11-24T12:00:00Z');
  await ask(world, callIn(world, 'ahead'));
  world.now.at = NOON;
  const unlessItWaits = (id: string) => {
    const leave = new AbortController();
    return askLimits({
      call: callIn(world, id),
      clock: () => world.now.at,
      stop: leave.signal,
      say: () => leave.abort(),
    });
  };
  assert.is((await unlessItWaits('at once')).how, 'stopped');
  world.now.at = new Date(NOON.getTime() + 60_001);
  assert.is((await unlessItWaits('later')).how, 'admitted');
});

test('a call whose asker died is spent, and holds no place', async (world) => {
  limit(world, { budgets: [{ per: 'day', calls: 2 }], at_once: { codex: 1 } });
  await ask(world, callIn(world, 'dead'));
  const ledger = ledgerOf(world);
  const [open] = ledger.open;
  const killed = { ...ledger, open: [{ ...open!, owner: { ...open!.owner, start_time: 'before' } }] };
  writeFileSync(path.join(world.folder, 'ledger.json'), JSON.stringify(killed));
  const next = callIn(world, 'next');
  assert.equal(await ask(world, next), {
    how: 'admitted',
    near: [
      'four fifths of a limit over all tasks are used: 2 of 2 calls a day, since 2026-11-23T00:00:00.000Z, until 2026-11-24T00:00:00.000Z',
    ],
    waited: false,
    left: ANY_AMOUNT,
  });
  await settle(world, next);
  assert.equal([usedIn(world), ledgerOf(world).open], [2, []]);
});

test('what a dead asker’s call used is found in the record of its task', async (world) => {
  limit(world, { budgets: [{ per: 'day', tokens: 50 }] });
  const task = { root: path.join(world.home, '.tmp/task/fix') };
  await ask(world, callIn(world, 'dead', { task }));
  const ledger = ledgerOf(world);
  const owner = { ...ledger.open[0]!.owner, start_time: 'before' };
  const killed = { ...ledger, open: [{ ...ledger.open[0]!, owner }] };
  writeFileSync(path.join(world.folder, 'ledger.json'), JSON.stringify(killed));
  const early = callIn(world, 'early');
  assert.is((await ask(world, early)).how, 'admitted');
  assert.equal(
    ledgerOf(world).open.map(({ call_id, lost }) => [call_id, lost]),
    [
      ['dead', true],
      ['early', undefined],
    ],
  );
  await settle(world, early);
  const attempt = path.join(task.root, 'state/attempts/dead');
  mkdirSync(attempt, { recursive: true });
  writeFileSync(path.join(attempt, 'record.json'), JSON.stringify({ call_id: 'dead', usage: { total_tokens: 60 } }));
  assert.is((await ask(world, callIn(world, 'late'))).how, 'refused');
});

test('they stand in line in order, and say what for; who is told to stop leaves it', async (world) => {
  limit(world, { at_once: { codex: 1 } });
  const calls = ['a', 'b', 'c'].map((id) => callIn(world, id));
  assert.is((await ask(world, calls[0]!)).how, 'admitted');
  const order: string[] = [];
  const leave = new AbortController();
  const stopped = ask(world, callIn(world, 'x'), leave.signal);
  const told = (count: number) => waitWhile(() => world.said.length < count);
  await told(1);
  leave.abort();
  assert.is((await stopped).how, 'stopped');
  const waits = async (call: LimitedCall) => {
    const { how } = await ask(world, call);
    order.push(`${call.callId} ${how}`);
    await settle(world, call);
  };
  // The second comes when the first one stands in line.
  const waiting = [waits(calls[1]!)];
  await told(2);
  waiting.push(waits(calls[2]!));
  assert.match(
    world.said.at(-1)!,
    /^waits for one of 1 calls to end, since 1 of codex are made at once: a \(pid \d+\)$/,
  );
  assert.equal(order, []);
  await settle(world, calls[0]!);
  await Promise.all(waiting);
  assert.equal(order, ['b admitted', 'c admitted']);
});

test('a call from within a call does not wait for its own caller', async (world) => {
  limit(world, { at_once: { any: 1 } });
  await ask(world, callIn(world, 'outer'));
  const environment = { HOME: world.home, TOLLGATE_CALL_ID: 'outer' };
  const nested = await ask(world, callIn(world, 'inner', { environment, tool: 'claude' }));
  assert.match(nested.how === 'refused' ? nested.message : '', /^it would have to wait for one of 1 calls to end/);
});

test('a guardian goes ahead of whoever waits for its call', async (world) => {
  limit(world, { at_once: { codex: 1 } });
  const run = callIn(world, 'a');
  assert.is((await ask(world, run)).how, 'admitted');
  const other = ask(world, callIn(world, 'b'));
  await waitWhile(() => world.said.length === 0);
  assert.is((await ask(world, run, AbortSignal.timeout(20_000))).how, 'admitted');
  await settle(world, run);
  assert.is((await other).how, 'admitted');
});

test('a call from within a call does not stand in line behind whoever waits for its caller', async (world) => {
  limit(world, { at_once: { codex: 1 } });
  const outer = callIn(world, 'outer');
  await ask(world, outer);
  const other = ask(world, callIn(world, 'other'));
  await waitWhile(() => world.said.length === 0);
  const environment = { HOME: world.home, TOLLGATE_CALL_ID: 'outer' };
  const nested = await ask(world, callIn(world, 'inner', { environment }), AbortSignal.timeout(20_000));
  assert.equal([nested.how, nested.how === 'refused' && nested.reason], ['refused', 'own_limit']);
  await settle(world, outer);
  assert.is((await other).how, 'admitted');
});

test('a limit that was met holds back the next one; --ignore-hold asks, and a success ends it', async (world) => {
  const seen = callIn(world, 'seen');
  const until = '2026-11-23T15:00:00.000Z';
  await settle(world, seen, { class: 'quota', reason: 'plan', evidence: null, retry_at: until });
  const held = await ask(world, callIn(world, 'next'));
  assert.equal([held.how, held.how === 'refused' && held.reason], ['refused', 'held']);
  assert.equal(held.how === 'refused' && held.retryAt, new Date(until));
  assert.is((await ask(world, callIn(world, 'claude', { tool: 'claude' }))).how, 'admitted');
  const asks = callIn(world, 'asks', { holds: 'ignored' });
  assert.is((await ask(world, asks)).how, 'admitted');
  await settle(world, asks);
  assert.is((await ask(world, callIn(world, 'after'))).how, 'admitted');
});

test('--ignore-hold asks with limits in force, too, and ends no hold for others', async (world) => {
  limit(world, { budgets: [{ per: 'day', tool: 'codex', calls: 2 }] });
  await settle(world, callIn(world, 'seen'), { ...PLAN, retry_at: '2026-11-23T15:00:00.000Z' });
  assert.is((await ask(world, callIn(world, 'asks', { holds: 'ignored' }))).how, 'admitted');
  const held = await ask(world, callIn(world, 'next'));
  assert.equal([held.how === 'refused' && held.reason, usedIn(world)], ['held', 1]);
});

test('the time of a call that had to wait begins when it is let through', async (world) => {
  limit(world, { at_once: { codex: 1 } });
  const first = callIn(world, 'first');
  await ask(world, first);
  const checked = {
    callId: 'second',
    clock: () => world.now.at,
    startedAt: NOON,
    warnings: [],
    request: {
      adapter: { tool: 'codex' },
      call: first,
      charge: null,
      say: (sentence: string) => world.said.push(sentence),
    },
  } as unknown as CheckedCall;
  const starts: Date[] = [];
  const record = {
    ending: 'exited',
    verdict: SUCCESS,
    usage: UNKNOWN_USAGE,
    model: null,
    started_at: NOON.toISOString(),
  };
  const call = withinLimits(checked, AbortSignal.timeout(20_000), {
    make: async ({ startedAt }) => {
      starts.push(startedAt);
      return { record: record as unknown as CallRecord };
    },
    refuse: () => Promise.reject(new Error('it was let through')),
  });
  await waitWhile(() => world.said.length === 0);
  world.now.at = new Date('2026-11-23T12:10:00Z');
  await settle(world, first);
  await call;
  assert.equal(starts, [world.now.at]);
});

test('where no time was given one call finds out, and the others are refused meanwhile', async (world) => {
  await settle(world, callIn(world, 'seen'), PLAN);
  const first = callIn(world, 'first');
  assert.is((await ask(world, first)).how, 'admitted');
  assert.is((await ask(world, callIn(world, 'second'))).how, 'refused');
  await settleLimits(first, null, () => world.now.at);
  const third = callIn(world, 'third');
  assert.is((await ask(world, third)).how, 'admitted');
  // It failed for another reason, and has found nothing out.
  await settle(world, third, { class: 'transient', reason: 'overloaded', evidence: null, retry_at: null });
  assert.is((await ask(world, callIn(world, 'fourth'))).how, 'admitted');
});

test('who was to find out and died keeps nobody from finding out', async (world) => {
  await settle(world, callIn(world, 'seen'), PLAN);
  await ask(world, callIn(world, 'dead'));
  const file = path.join(world.folder, 'holds.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/("start_time": ?")[^"]*/, '$1before'));
  assert.is((await ask(world, callIn(world, 'next'))).how, 'admitted');
});

test('a task without a paid call left is refused by its budget, not by a hold', async (world) => {
  await settle(world, callIn(world, 'seen'), { ...PLAN, retry_at: '2026-11-23T15:00:00.000Z' });
  const task = { root: path.join(world.home, '.tmp/task/fix') };
  openJournal(task.root, () => world.now.at).append({ fact: 'budget', calls: 0, from: 'command' });
  assert.is((await ask(world, callIn(world, 'spent', { task }))).how, 'admitted');
  assert.is((await ask(world, callIn(world, 'other'))).how, 'refused');
});

test('a call that its run was let through for is charged once, whichever process asks', async (world) => {
  limit(world, { budgets: [{ per: 'day', calls: 1 }], per_minute: { codex: 1 } });
  await ask(world, callIn(world, 'one'));
  const ledger = ledgerOf(world);
  const asker = { ...ledger, open: [{ ...ledger.open[0]!, owner: (await identify(process.ppid))! }] };
  writeFileSync(path.join(world.folder, 'ledger.json'), JSON.stringify(asker));
  assert.is((await ask(world, callIn(world, 'one'), AbortSignal.timeout(20_000))).how, 'admitted');
  assert.equal([usedIn(world), ledgerOf(world).open[0]!.owner.pid], [1, process.pid]);
});

test('the pace looks at the last minute alone', async (world) => {
  limit(world, { per_minute: { codex: 1 } });
  await ask(world, callIn(world, 'one'));
  world.now.at = new Date(NOON.getTime() + 61_000);
  assert.equal(await ask(world, callIn(world, 'two'), AbortSignal.timeout(5000)), {
    how: 'admitted',
    near: [],
    left: ANY_AMOUNT,
    waited: false,
  });
});

test('a success ends a hold that its call met, and no later one; nothing is left of one that is over', async (world) => {
  const holds = path.join(world.folder, 'holds.json');
  const retry_at = '2026-11-23T12:00:05.000Z';
  await settle(world, callIn(world, 'seen'), { class: 'transient', reason: 'rate_limit', evidence: null, retry_at });
  await settle(world, callIn(world, 'begun before'), SUCCESS, new Date('2026-11-23T11:59:00Z'));
  assert.ok(existsSync(holds));
  // What is said of the account does not end what was said of a model.
  await settle(world, callIn(world, 'plan'), { ...PLAN, retry_at: '2026-11-23T15:00:00Z' });
  await settle(world, callIn(world, 'rate'), { class: 'transient', reason: 'rate_limit', evidence: null, retry_at });
  world.now.at = new Date('2026-11-23T12:00:06Z');
  assert.is((await ask(world, callIn(world, 'next'))).how, 'refused');
  world.now.at = new Date('2026-11-23T15:00:00Z');
  await settle(world, callIn(world, 'other tool', { tool: 'claude' }));
  assert.not.ok(existsSync(holds));
});

test('a call from within a call waits for a time that the clock brings', async (world) => {
  const retry_at = '2026-11-23T12:00:05.000Z';
  await settle(world, callIn(world, 'seen'), { class: 'transient', reason: 'rate_limit', evidence: null, retry_at });
  const environment = { HOME: world.home, TOLLGATE_CALL_ID: 'outer' };
  let isOver = false;
  const nested = ask(world, callIn(world, 'inner', { environment }), AbortSignal.timeout(20_000)).finally(() => {
    isOver = true;
  });
  await waitWhile(() => world.said.length === 0 && !isOver);
  world.now.at = new Date(retry_at);
  assert.equal(await nested, { how: 'admitted', near: [], waited: true, left: ANY_AMOUNT });
});

test('a rate limit further away refuses a call by hand, and a run waits for it as for its own', async (world) => {
  const retry_at = '2026-11-23T12:01:01.000Z';
  await settle(world, callIn(world, 'seen'), { class: 'transient', reason: 'rate_limit', evidence: null, retry_at });
  assert.is((await ask(world, callIn(world, 'by hand'))).how, 'refused');
  let isOver = false;
  const patient = callIn(world, 'of a run', { rateWaitMs: 3_600_000 });
  const run = ask(world, patient, AbortSignal.timeout(20_000)).finally(() => {
    isOver = true;
  });
  await waitWhile(() => world.said.length === 0 && !isOver);
  world.now.at = new Date(retry_at);
  assert.equal(await run, { how: 'admitted', near: [], waited: true, left: ANY_AMOUNT });
  // Not while others stand in line behind it.
  world.now.at = NOON;
  limit(world, { at_once: { codex: 3 } });
  assert.is((await ask(world, patient, AbortSignal.timeout(20_000))).how, 'refused');
});

test('who has no limit is kept from calling by no state that cannot be gone by', async (world) => {
  await settle(world, callIn(world, 'seen'), PLAN);
  // Of the user: nothing is counted by it where there is no limit.
  writeFileSync(path.join(world.folder, 'ledger.json'), 'no JSON');
  assert.is((await ask(world, callIn(world, 'other', { tool: 'claude' }))).how, 'admitted');
  assert.is((await ask(world, callIn(world, 'first'))).how, 'admitted');
  assert.is((await ask(world, callIn(world, 'second'))).how, 'refused');
  await settle(world, callIn(world, 'first'));
  assert.is((await ask(world, callIn(world, 'third'))).how, 'admitted');
});

test('who has no limit waits for nobody who has the lock and does not continue', async (world) => {
  await settle(world, callIn(world, 'seen'), PLAN);
  const files = limitsFiles({ HOME: world.home })!;
  const self = (await identify(process.pid))!;
  let release = () => {};
  const stopped = new Promise<object>((resolve) => {
    release = () => resolve({});
  });
  const clock = () => world.now.at;
  let isLocked = false;
  const holder = locked({ files, self, clock, stop: new AbortController().signal }, () => {
    isLocked = true;
    return stopped;
  });
  await waitWhile(() => !isLocked);
  const [asked, near] = await Promise.all([
    ask(world, callIn(world, 'next'), AbortSignal.timeout(60_000)),
    settle(world, callIn(world, 'other'), PLAN),
  ]);
  assert.equal([asked.how, near], ['admitted', []]);
  release();
  await holder;
});

test('what cannot be read refuses before anything is paid, and says how to mend it', async (world) => {
  writeFileSync(path.join(world.folder, 'limits.json'), '{"budgets": [{"per": "fortnight", "calls": 3}]}');
  const bad = await ask(world, callIn(world, 'one'));
  const file = `${world.folder}/limits.json`;
  assert.equal(bad, {
    how: 'refused',
    reason: 'bad_state',
    message: `${file} has a budgets[0] that has a per that is not one of day, week, month; nothing was started. Fix it, or remove it to have no limits of your own: rm ${file}`,
    retryAt: null,
  });
  limit(world, { budgets: [{ per: 'day', calls: 3 }] });
  writeFileSync(path.join(world.folder, 'ledger.json'), '{"v":1,"open":[{}],"spent":[],"begun":[]}');
  const broken = await ask(world, callIn(world, 'one'));
  assert.match(
    broken.how === 'refused' ? broken.message : '',
    /ledger\.json is not what was used of your limits; nothing was/,
  );
});

test('a project limits itself, counts its own calls alone, and loosens nothing', async (world) => {
  limit(world, { budgets: [{ per: 'day', calls: 3 }] });
  const project = path.join(world.home, 'p');
  mkdirSync(path.join(project, '.tmp'), { recursive: true });
  writeFileSync(path.join(project, 'tollgate.yaml'), 'limits: { budgets: [{ per: day, calls: 1 }] }\n');
  const hows: string[] = [];
  for (const [id, cwd] of [
    ['a', world.home],
    ['b', project],
    ['c', project],
    ['d', world.home],
    ['e', world.home],
  ])
    hows.push((await ask(world, callIn(world, id!, { cwd: cwd! }))).how);
  assert.equal(hows, ['admitted', 'admitted', 'refused', 'admitted', 'refused']);
});

test.run();
