// The shared ledger: budgets and limits hold exactly over many connections, and each call is booked once by its epoch.

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, openDatabase } from '../../fleet/database.ts';
import { reserveCall, settleCall } from '../../fleet/ledger.ts';
import { openQueue, queuesFor, takeTask } from '../../fleet/queue.ts';
import { SCHEMA_VERSION } from '../../fleet/schema.ts';
import { setUp } from '../../fleet/setup.ts';
import { locateTask } from '../../state/task-folder.ts';
import { type Postgres, startPostgres } from '../rig/postgres.ts';

interface Context {
  postgres: Postgres;
  database: Database;
}

const test = suite<Context>('ledger');
test.before(async (context) => {
  context.postgres = await startPostgres();
  context.database = openDatabase(await context.postgres.create('fleet'), 16);
  await setUp(context.database);
});
test.before.each(async ({ database }) => {
  await database.query(
    'TRUNCATE tollgate.reservations, tollgate.tasks, tollgate.workers, tollgate.budgets, tollgate.limits',
  );
});
test.after(async ({ postgres, database }) => {
  await database.close();
  await postgres.stop();
});

/** A task that a worker holds. */
async function heldTask(database: Database, { calls = 1000, seconds = 600, name = 'fix' } = {}) {
  const worker = randomUUID();
  await database.query('SELECT tollgate.register($1, $2, $3, $4, $5)', [
    worker,
    `machine-${worker}`,
    'test',
    '1',
    seconds,
  ]);
  const [row] = await database.query<{ id: string }>(
    `INSERT INTO tollgate.tasks (name, project, pool, priority, tools, queue, state, on_lost, epoch, worker, machine, calls_budget, meta)
     VALUES ($1, 'p', 'default', 0, '{gemini}', 'q', 'running', 'stop', 1, $2, $3, $4, '{}') RETURNING id::text AS id`,
    [name, worker, `machine-${worker}`, calls],
  );
  return { id: row!.id, epoch: 1, worker };
}

type Task = Awaited<ReturnType<typeof heldTask>>;

const reserve = (database: Database, task: Task, n: number, more: object = {}) =>
  reserveCall(database, task, {
    tool: 'gemini',
    model: null,
    call: { id: `${task.id}-${n}`, stage: 'do', prompt: 'hash', attempt: n, ...more },
  });

const settle = async (database: Database, call: string, { epoch = 1, isMade = true, holdMs = 0 } = {}) => {
  const [row] = await database.query<{ settle: string }>(
    "SELECT tollgate.settle($1, $2, $3, NULL, 'rate_limit', 10, 0.5, $4)",
    [call, epoch, isMade, holdMs],
  );
  return row!.settle;
};

const many = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n + 1)));

for (const [budget, limit] of [
  ['of the task', null],
  ['of its pool', "INSERT INTO tollgate.budgets (scope, calls) VALUES ('pool:default', 40)"],
  ['of the day', "INSERT INTO tollgate.budgets (scope, calls) VALUES ('day', 40)"],
] as const)
  test(`a budget ${budget} is used up exactly, over 16 connections`, async ({ database }) => {
    if (limit !== null) await database.query(limit);
    const task = await heldTask(database, { calls: limit === null ? 40 : 1000 });
    const answers = await many(120, (n) => reserve(database, task, n));
    const counts = new Map<string, number>();
    for (const { outcome } of answers) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    assert.equal(Object.fromEntries(counts), { reserved: 40, budget: 80 });
    // A call that was not made is given back, and only once.
    const call = `${task.id}-${answers.findIndex(({ outcome }) => outcome === 'reserved') + 1}`;
    assert.is(await settle(database, call, { isMade: false }), 'abandoned');
    assert.is(await settle(database, call, { isMade: false }), 'already');
    const again = await many(3, (n) => reserve(database, task, 200 + n));
    assert.equal(again.map(({ outcome }) => outcome).sort(), ['budget', 'budget', 'reserved']);
  });

test('never more calls at once than allowed, over 6 workers', async ({ database }) => {
  await database.query("INSERT INTO tollgate.limits (tool, account, at_once) VALUES ('gemini', '', 3)");
  const tasks: Task[] = [];
  for (let n = 0; n < 6; n += 1) tasks.push(await heldTask(database, { name: `t${n}` }));
  let most = 0;
  await Promise.all(
    tasks.map(async (task) => {
      for (let n = 1; n <= 20; ) {
        const { outcome } = await reserve(database, task, n);
        if (outcome !== 'reserved') continue;
        const [row] = await database.query<{ now: number }>(
          "SELECT count(*)::int AS now FROM tollgate.reservations WHERE state = 'reserved'",
        );
        most = Math.max(most, row!.now);
        assert.is(await settle(database, `${task.id}-${n}`), 'settled');
        n += 1;
      }
    }),
  );
  assert.ok(most >= 1 && most <= 3, `${most} at once`);
});

test('a limit per minute and a hold count for all workers, and say how long', async ({ database }) => {
  await database.query("INSERT INTO tollgate.limits (tool, account, per_minute) VALUES ('gemini', '', 2)");
  const [one, two] = [await heldTask(database, { name: 'one' }), await heldTask(database, { name: 'two' })];
  for (const task of [one, two]) assert.is((await reserve(database, task, 1)).outcome, 'reserved');
  const full = await reserve(database, two, 2);
  assert.is(full.outcome, 'per_minute');
  assert.ok(full.waitMs > 0 && full.waitMs <= 60_000, `${full.waitMs}`);
  await database.query('UPDATE tollgate.limits SET per_minute = NULL');
  await settle(database, `${one.id}-1`, { holdMs: 500_000 });
  const held = await reserve(database, two, 2);
  assert.equal([held.outcome, held.detail], ['held', 'rate_limit']);
  assert.ok(held.waitMs > 400_000 && held.waitMs <= 500_000, `${held.waitMs}`);
});

test('the same attempt is reserved once, and a repeated request gets the same answer', async ({ database }) => {
  const task = await heldTask(database);
  assert.is((await reserve(database, task, 1)).outcome, 'reserved');
  assert.is((await reserve(database, task, 1)).outcome, 'reserved');
  assert.is((await reserve(database, task, 2, { attempt: 1 })).outcome, 'duplicate');
  const [row] = await database.query<{ used: number }>('SELECT calls_used AS used FROM tollgate.tasks');
  assert.is(row!.used, 1);
});

test('without its lease a worker reserves nothing, and its answer is booked late and once', async ({ database }) => {
  const task = await heldTask(database, { seconds: 0 });
  assert.is((await reserve(database, task, 1)).outcome, 'fenced');
  await database.query("UPDATE tollgate.workers SET lease_until = clock_timestamp() + interval '1 hour'");
  assert.is((await reserve(database, task, 1)).outcome, 'reserved');
  await database.query('UPDATE tollgate.workers SET lease_until = clock_timestamp()');
  await database.query('SELECT tollgate.expire()');
  assert.is((await reserve(database, task, 2)).outcome, 'fenced');
  const [row] = await database.query<{ state: string; epoch: number }>('SELECT state, epoch FROM tollgate.tasks');
  assert.equal(row, { state: 'lost', epoch: 2 });
  assert.is(await settle(database, `${task.id}-1`, { epoch: 2 }), 'wrong_epoch');
  const booked = await many(8, () => settle(database, `${task.id}-1`));
  assert.equal(booked.sort(), [...Array(7).fill('already'), 'late']);
  assert.is(await settle(database, 'no-such-call'), 'unknown');
});

test('a task that was cancelled has ended when the lease of its worker is over', async ({ database }) => {
  const task = await heldTask(database);
  await database.query(
    'WITH w AS (UPDATE tollgate.workers SET lease_until = clock_timestamp()) UPDATE tollgate.tasks SET cancel_requested = true',
  );
  await database.query('SELECT tollgate.expire()');
  const [row] = await database.query<{ state: string; ended: boolean }>(
    'SELECT state, ended_at IS NOT NULL AS ended FROM tollgate.tasks WHERE id = $1',
    [task.id],
  );
  assert.equal(row, { state: 'cancelled', ended: true });
});

test('a reservation is one round trip', async ({ database, postgres }) => {
  const task = await heldTask(database);
  let queries = 0;
  const client = new pg.Client({ connectionString: postgres.url('fleet') });
  await client.connect();
  const counted: Database = {
    ...database,
    query: async (text, values = []) => {
      queries += 1;
      return (await client.query(text, [...values])).rows;
    },
  };
  assert.is((await reserve(counted, task, 1)).outcome, 'reserved');
  assert.is(queries, 1);
  await client.end();
});

const ANY = { queue: 'q', tools: ['gemini'], ready: true, busy: [] };

test('a worker that dies while it takes a task has not taken it', async ({ database }) => {
  const queue = await openQueue(database, 'submit');
  await queue.prepare('q');
  const job = await database.transaction((query) => queue.send({ id: '1', queue: 'q', priority: 0, tag: null }, query));
  const died = database.transaction(async (query) => {
    assert.is((await queue.fetch(ANY, query))!.id, job);
    throw new Error('died');
  });
  assert.is(await died.catch((error: Error) => error.message), 'died');
  assert.is((await database.transaction((query) => queue.fetch(ANY, query)))!.id, job);
  await queue.stop();
});

test('two workers that take tasks of one tag at the same moment: one waits', async ({ database }) => {
  const queue = await openQueue(database, 'submit');
  await queue.prepare('q');
  const machines = ['here', 'there'];
  const sent = await Promise.all(
    machines.map(async (name) => {
      const { id, worker } = await heldTask(database, { name });
      await database.query(
        "UPDATE tollgate.tasks SET state = 'queued', machine = NULL, queue = 'q', tag = 'a tag' WHERE id = $1",
        [id],
      );
      const job = await database.transaction((query) =>
        queue.send({ id, queue: 'q', priority: 0, tag: 'a tag' }, query),
      );
      await database.query('UPDATE tollgate.tasks SET job = $2 WHERE id = $1', [id, job]);
      return { id, worker };
    }),
  );
  const beginners = sent.map(({ worker }, n) => [worker, machines[n]!, 0] as const);
  const taken = await Promise.all(beginners.map((beginner) => takeTask(database, queue, ANY, beginner)));
  assert.is(taken.filter((each) => each !== null).length, 1);
  const [first] = taken.filter((each) => each !== null);
  const [waiting] = await queuesFor(database, ['gemini'], beginners[0]!);
  assert.equal([waiting!.ready, waiting!.busy], [false, ['a tag']]);
  await database.query("UPDATE tollgate.tasks SET state = 'done', ended_at = clock_timestamp() WHERE id = $1", [
    first!.job.task,
  ]);
  const next = await Promise.all(beginners.map((beginner) => takeTask(database, queue, ANY, beginner)));
  assert.equal(
    next.flatMap((each) => each?.job.task ?? []),
    sent.map(({ id }) => id).filter((id) => id !== first!.job.task),
  );
  await queue.stop();
});

test('a machine that returns without a task frees the limits that its call used', async ({ database }) => {
  await database.query("INSERT INTO tollgate.limits (tool, account, at_once) VALUES ('gemini', '', 1)");
  const [gone, other] = [await heldTask(database, { name: 'gone' }), await heldTask(database, { name: 'other' })];
  assert.is((await reserve(database, gone, 1)).outcome, 'reserved');
  await database.query("UPDATE tollgate.tasks SET state = 'cancelled' WHERE id = $1", [gone.id]);
  assert.is((await reserve(database, other, 1)).outcome, 'at_once');
  await database.query("SELECT tollgate.register(gen_random_uuid(), $1, 'test', '1', 600)", [`machine-${gone.worker}`]);
  assert.is((await reserve(database, other, 1)).outcome, 'reserved');
  assert.is(await settle(database, `${gone.id}-1`), 'late');
});

test('a guardian that died before it reserved its call leaves nothing open', async ({ database }) => {
  const root = mkdtempSync(path.join(tmpdir(), 'ledger-'));
  const located = locateTask(`${root}/`, path.dirname(root), process.env);
  if (located.how === 'invalid') throw new Error(located.message);
  const { folder } = located;
  const task = await heldTask(database, { calls: 1 });
  const call = { call_id: `${task.id}-1`, epoch: 1 };
  assert.is((await reserve(database, task, 1)).outcome, 'reserved');
  // It took its dispatch, and wrote no line in the journal.
  mkdirSync(path.join(folder.attempts, call.call_id), { recursive: true });
  const clock = () => new Date();
  assert.is(await settleCall(database, folder, call, clock), 'open', 'it may still live');
  assert.is(await settleCall(database, folder, call, clock, 'ended'), 'abandoned');
  assert.is((await reserve(database, task, 2)).outcome, 'reserved', 'the budget has its call back');
  rmSync(root, { recursive: true, force: true });
});

test('no function of the ledger uses what others put into the search path', async ({ database }) => {
  const rows = await database.query(
    "SELECT proname FROM pg_proc WHERE pronamespace = 'tollgate'::regnamespace AND NOT coalesce(proconfig, '{}') @> '{\"search_path=pg_catalog, pg_temp\"}'",
  );
  assert.equal(rows, []);
});

test('two setups at once run each step once, and a newer version is refused', async ({ postgres }) => {
  const database = openDatabase(await postgres.create('twice'));
  const versions = await Promise.all([setUp(database), setUp(database)]);
  assert.equal(versions.sort(), [0, SCHEMA_VERSION]);
  await database.query('INSERT INTO tollgate.version VALUES (99)');
  const refusal = await setUp(database).then(
    () => null,
    (error: Error) => error.message,
  );
  assert.match(refusal!, `the tables have version 99; this Tollgate knows ${SCHEMA_VERSION}: install the newer one`);
  await database.close();
});

test.run();
