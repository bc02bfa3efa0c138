// Measures a fleet on a PostgreSQL of its own: reservations, the limit of calls at once, tasks in a second, and rounds of faults.

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../fleet/database.ts';
import { reserveCall } from '../fleet/ledger.ts';
import { FleetRig } from '../test/rig/fleet-rig.ts';
import { pick, randomFrom, whole } from './random.ts';
import { linesIn } from './torture/rig.ts';

const [tasks = 200, workers = 8, calls = 1000, rounds = 30, seed = 1, callSeconds = 0.5] = process.argv
  .slice(2)
  .map(Number);
const random = randomFrom('fleet', seed);
const LEASE_SECONDS = 12;
const report = (isRight: boolean, sentence: string): void => {
  console.log(isRight ? sentence : `WRONG ${sentence}`);
  if (!isRight) process.exitCode = 1;
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** Reserves and settles calls without a CLI. @returns the median time of a reservation, and the most calls at once. */
async function reserveCalls(fleet: FleetRig, count: number, most: number, settings = '') {
  const database = openDatabase(fleet.url, count + 1);
  await fleet.rows(settings);
  const times: number[] = [];
  let [now, peak, next] = [0, 0, 0];
  const work = async (w: number) => {
    const name = `ledger${count}-${w}`;
    const [row] = await fleet.rows(`
      WITH w AS (INSERT INTO tollgate.workers (id, machine, name, version, lease_until)
        VALUES (gen_random_uuid(), '${name}', '${name}', '0', clock_timestamp() + interval '1 hour') RETURNING id)
      INSERT INTO tollgate.tasks (name, project, pool, priority, tools, queue, state, on_lost, calls_budget, meta, worker, machine, epoch)
        SELECT '${name}', 'bench', 'default', 0, '{gemini}', 'bench', 'running', 'stop', ${most}, '{}', id, '${name}', 1 FROM w
        RETURNING id::text AS id, worker::text AS worker, 1 AS epoch`);
    while (next < most) {
      const call = { id: `${name}-${next++}`, stage: 'do', prompt: name, attempt: next };
      for (let outcome = ''; outcome !== 'reserved'; await pause(1)) {
        const from = performance.now();
        ({ outcome } = await reserveCall(database, row as never, { tool: 'gemini', model: null, call }));
        times.push(performance.now() - from);
      }
      peak = Math.max(peak, ++now);
      await pause(1);
      now -= 1;
      await database.query('SELECT tollgate.settle($1, 1, true, NULL, NULL, 0, 0, 0)', [call.id]);
    }
  };
  await Promise.all(many(count, work));
  await fleet.rows("UPDATE tollgate.limits SET at_once = NULL; UPDATE tollgate.tasks SET state = 'done'");
  await database.close();
  return { peak, median: times.sort((a, b) => a - b)[times.length >> 1]! };
}

/** Each start of the CLI is a line in a file. @param seconds how long a call takes. */
function countCalls({ rig }: FleetRig, seconds: number): () => number {
  const [cli, log] = [path.join(rig.bin, 'gemini'), path.join(rig.root, `calls-${seconds}`)];
  rig.uninstall('gemini');
  const counted = `#!/bin/sh\n[ "$1" = --version ] || { echo call >> ${log}; sleep ${seconds}; }`;
  writeFileSync(cli, readFileSync('test/rig/noop-cli.sh', 'utf8').replace('#!/bin/sh', counted));
  chmodSync(cli, 0o755);
  return () => linesIn(log).length;
}

const signal = (pid: number, name: NodeJS.Signals) => existsSync(`/proc/${pid}`) && process.kill(pid, name);
const children = (pid: number) => execFileSync('sh', ['-c', `pgrep -P ${pid} || :`], { encoding: 'utf8' });

const FAULTS: Record<string, (fleet: FleetRig, pid: number) => unknown> = {
  kill: (_, pid) => signal(pid, 'SIGKILL'),
  guardian: (_, pid) =>
    children(pid)
      .match(/\d+/g)
      ?.map((child) => signal(Number(child), 'SIGKILL')),
  freeze: async (_, pid) => {
    signal(pid, 'SIGSTOP');
    await pause(LEASE_SECONDS * 1500);
    signal(pid, 'SIGCONT');
  },
  crash: ({ postgres }) => postgres.crash().then(postgres.start),
  away: ({ postgres }) =>
    postgres
      .crash()
      .then(() => pause(30_000))
      .then(postgres.start),
};
const kinds = Object.keys(FAULTS);

/** Sends tasks, and starts workers again whenever they end, until no task is open. @returns the seconds. */
async function drive(fleet: FleetRig, sent: string[], count: number, between: (pid: number) => unknown) {
  for (const name of sent) fleet.task(name);
  for (let n = 0; n < sent.length; n += 100) await fleet.submit(...sent.slice(n, n + 100));
  const running = new Map<number, number>();
  let over = false;
  const from = performance.now();
  const kept = many(count, async (n) => {
    while (!over) {
      const { running: worker } = fleet.worker(`w${n}`, '--lease-seconds', String(LEASE_SECONDS));
      running.set(n, worker.pid);
      await worker.result.catch(() => {});
    }
  });
  const OPEN = "SELECT 1 FROM tollgate.tasks WHERE state NOT IN ('done', 'failed')";
  while ((await fleet.rows(OPEN).catch(() => [1])).length > 0) await between(pick(random, [...running.values()]));
  const seconds = (performance.now() - from) / 1000;
  over = true;
  for (const pid of running.values()) signal(pid, 'SIGTERM');
  await Promise.all(kept);
  return seconds;
}

const fleet = await FleetRig.open();
const { median } = await reserveCalls(fleet, 1, 100);
report(median <= 10, `one reservation: median ${median.toFixed(1)} ms, of 100 one after another`);
const { peak } = await reserveCalls(fleet, 6, calls, "UPDATE tollgate.limits SET at_once = 3 WHERE tool = 'gemini'");
report(peak <= 3, `at once 3, 6 workers, ${calls} calls: at most ${peak}`);
for (const [prefix, count, machines, seconds] of [
  ['task', tasks, workers, 0],
  ['fault', rounds, 4, callSeconds],
] as const) {
  const made = countCalls(fleet, seconds);
  const faults: string[] = [];
  const disturb = async (pid: number) => {
    await pause(whole(random, 100, 1500));
    faults.push(kinds[faults.length % kinds.length]!);
    await FAULTS[faults.at(-1)!]!(fleet, pid);
  };
  const sent = many(count, (n) => `${prefix}${n}`);
  const took = await drive(fleet, sent, machines, prefix === 'task' ? () => pause(100) : disturb);
  const OF = `FROM tollgate.tasks WHERE name LIKE '${prefix}%'`;
  const [row] = await fleet.rows(`SELECT count(*) FILTER (WHERE state <> 'abandoned')::int AS booked,
    count(*) FILTER (WHERE state IN ('reserved', 'lost'))::int AS open,
    (SELECT count(*)::int ${OF} AND state = 'done') AS done, (SELECT count(*)::int ${OF} AND state = 'failed') AS failed
    FROM tollgate.reservations WHERE task IN (SELECT id ${OF})`);
  const { booked, open, done, failed } = row as Record<string, number>;
  const isRight = done! + failed! === count && open === 0 && made() <= booked! && (faults.length > 0 || failed === 0);
  const speed = prefix === 'task' ? `${(count / took).toFixed(1)} tasks/s` : `${faults.length} faults (${kinds})`;
  const ended = `${done} of ${count} done, ${failed} failed`;
  report(isRight, `${machines} workers, ${speed}: ${ended}, ${made()} calls made, ${booked} booked, ${open} open`);
}
await fleet.dispose();
