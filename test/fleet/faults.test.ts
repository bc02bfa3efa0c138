// Faults of a fleet: a frozen machine, a network that is cut, a guardian that is killed, and how often an idle worker asks.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { worktreeOf } from '../../fleet/travel/unpack.ts';
import { faultEnv, faultShim } from '../rig/fault-shim.ts';
import { FleetRig } from '../rig/fleet-rig.ts';
import { answerWith } from '../rig/streams.ts';
import { mount, mountRefusal } from '../rig/temporary-folder.ts';
import { waitWhile } from '../rig/wait-while.ts';

const test = suite<{ fleet: FleetRig }>('faults of a fleet');
test.before(async (context) => {
  context.fleet = await FleetRig.open();
});
const workers: ReturnType<FleetRig['worker']>[] = [];
const begun = <Worker extends (typeof workers)[number]>(worker: Worker): Worker => {
  workers.push(worker);
  return worker;
};
test.after.each(async () => {
  for (const { running } of workers) running.signal('SIGTERM');
  await Promise.all(workers.splice(0).map(({ running }) => running.result));
});
test.after(({ fleet }) => fleet.dispose());

const stateOf = (name: string) => `SELECT state FROM tollgate.tasks WHERE name = '${name}'`;
const callsOf = (name: string) =>
  `SELECT r.state, attempt FROM tollgate.reservations r JOIN tollgate.tasks t ON t.id = r.task WHERE t.name = '${name}' ORDER BY reserved_at, attempt`;
/** The folder of a task at the worker of the same name. */
async function folderOf(fleet: FleetRig, name: string): Promise<string> {
  const [row] = await fleet.rows(`SELECT meta FROM tollgate.tasks WHERE name = '${name}'`);
  const { packed } = row!.meta as { packed: Parameters<typeof worktreeOf>[0] };
  return path.join(worktreeOf(packed, path.join(fleet.rig.root, 'workers', name), null), packed.folder);
}
const parentOf = (pid: number) => Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

/** The network between a worker and the database. */
async function openNetwork({ postgres }: FleetRig) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const sent: string[] = [];
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(postgres.port, '127.0.0.1');
    const read = reader((text) => sent.push(text));
    near.on('data', read);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.unref();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `postgres://owner@127.0.0.1:${(server.address() as { port: number }).port}/fleet`,
    /** The texts of the queries. */
    sent,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => {
      isCut = false;
    },
  };
}

/** Finds the queries in what a client sends: Q has a text, and P a name before it. The first message has no type. */
function reader(found: (text: string) => void): (bytes: Buffer) => void {
  let [rest, isFirst] = [Buffer.alloc(0), true];
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const at = isFirst ? 0 : 1;
      if (rest.length < at + 4 || rest.length < at + rest.readInt32BE(at)) return;
      const end = at + rest.readInt32BE(at);
      const [type, text] = [isFirst ? '' : String.fromCharCode(rest[0]!), rest.toString('utf8', at + 4, end)];
      if (type === 'Q' || type === 'P') found(text.split('\0')[type === 'Q' ? 0 : 1]!);
      [rest, isFirst] = [rest.subarray(end), false];
    }
  };
}

test('an idle worker sends at most one query in a second', async ({ fleet }) => {
  const network = await openNetwork(fleet);
  begun(fleet.worker('idle', '--database', network.url));
  const renewals = () => network.sent.filter((text) => text.includes('tollgate.renew')).length;
  const renewed = async (count: number) => {
    await waitWhile(() => renewals() < count);
    return { queries: network.sent.length, ms: performance.now() };
  };
  const [from, to] = [await renewed(1), await renewed(3)];
  const [queries, seconds] = [to.queries - from.queries, (to.ms - from.ms) / 1000];
  assert.ok(queries <= seconds + 1, `${queries} queries in ${seconds} s: ${network.sent.slice(from.queries)}`);
});

test('a guardian that is killed before it pays leaves nothing open, and the task is done', async ({ fleet }) => {
  const { rig } = fleet;
  rig.uninstall('gemini');
  // Its guardian looks up the version before it reserves the call in the journal.
  const kill = `#!/bin/sh\n[ "$1" = --version ] && mkdir ${path.join(rig.root, 'killed')} && kill -9 $PPID && exit`;
  const cli = readFileSync('test/rig/noop-cli.sh', 'utf8').replace('#!/bin/sh', kill);
  writeFileSync(path.join(rig.bin, 'gemini'), cli, { mode: 0o755 });
  fleet.task('before');
  await fleet.submit('before');
  await begun(fleet.worker('guardian', '--until-empty')).succeeds();
  assert.equal(await fleet.rows(stateOf('before')), [{ state: 'done' }]);
  assert.equal(await fleet.rows(callsOf('before')), [
    { state: 'abandoned', attempt: 1 },
    { state: 'settled', attempt: 1 },
  ]);
  const [task] = await fleet.rows("SELECT calls_used FROM tollgate.tasks WHERE name = 'before'");
  assert.equal(task, { calls_used: 1 });
  rig.uninstall('gemini');
  rig.install('gemini');
});

test('a worker whose disk is full ends, and the next one takes the paid answer that lies there', async ({ fleet }) => {
  if (faultShim() === null) return console.log('SKIPPED: the library of faults needs Linux and a C compiler (cc)');
  fleet.task('full');
  await fleet.submit('full');
  const folder = path.join(fleet.rig.root, 'workers', 'full');
  const under = path.join(await folderOf(fleet, 'full'), 'done');
  const paid = fleet.rig.calls.length;
  const { code, stderr } = await fleet.rig.run('tollgate', ['worker', '--folder', folder, '--until-empty'], {
    env: { TOLLGATE_DATABASE: fleet.url, ...faultEnv({ in: 'tollgate.cjs', under, at: 1, does: 'ENOSPC', times: 0 }) },
  });
  assert.is(code, 1, stderr);
  assert.match(stderr, /task \d+: stopped: the run stopped because its state could not be written \(ENOSPC/);
  assert.equal(await fleet.rows(stateOf('full')), [{ state: 'stopped' }]);
  await begun(fleet.worker('full', '--until-empty')).succeeds();
  assert.equal(await fleet.rows(stateOf('full')), [{ state: 'done' }]);
  assert.is(fleet.rig.calls.length, paid + 1);
});

test('a call that its stopped worker could not book uses up no limit for the others', async ({ fleet }) => {
  fleet.task('unbooked');
  await fleet.submit('unbooked');
  const { worker } = await fleet.workerInCall('unbooked');
  // The disk kept the folder of this attempt, and nothing that tells how it went.
  mkdirSync(path.join(await folderOf(fleet, 'unbooked'), 'state/attempts/unbooked'));
  const columns = 'task, epoch, worker, machine, stage, prompt, tool, account, state, day, reserved_at';
  await fleet.rows(`INSERT INTO tollgate.reservations (call_id, attempt, ${columns}) SELECT 'unbooked', 2, ${columns}
    FROM tollgate.reservations WHERE task = (SELECT id FROM tollgate.tasks WHERE name = 'unbooked')`);
  begun(worker).running.signal('SIGTERM');
  await worker.running.result;
  assert.equal(await fleet.rows(stateOf('unbooked')), [{ state: 'stopped' }]);
  assert.equal(await fleet.rows(callsOf('unbooked')), [
    { state: 'settled', attempt: 1 },
    { state: 'lost', attempt: 2 },
  ]);
});

test('while the network is cut a running call continues, and it is booked when the network is back', async ({
  fleet,
}) => {
  const network = await openNetwork(fleet);
  fleet.task('cut');
  await fleet.submit('cut');
  const { worker, call } = await fleet.workerInCall('cut', 600, '--database', network.url);
  begun(worker);
  network.cut();
  await call.tell(...answerWith('gemini', 'done'));
  await worker.running.says(/the database .* cannot be reached.*; no new call begins/);
  assert.equal(await fleet.rows(callsOf('cut')), [{ state: 'reserved', attempt: 1 }]);
  network.mend();
  await fleet.until(stateOf('cut'), ([row]) => row!.state === 'done');
  assert.equal(await fleet.rows(callsOf('cut')), [{ state: 'settled', attempt: 1 }]);
});

test('a machine that is frozen past its lease costs one more call with --on-lost retry, and both are booked once', async ({
  fleet,
}) => {
  fleet.task('frozen');
  await fleet.submit('frozen', '--on-lost', 'retry');
  const { worker, call } = await fleet.workerInCall('frozen');
  begun(worker);
  const guardian = parentOf(call.report.pid);
  for (const pid of [worker.running.pid, guardian]) process.kill(pid, 'SIGSTOP');
  begun(fleet.worker('warm', '--lease-seconds', '24'));
  await fleet.until(stateOf('frozen'), ([row]) => row!.state === 'done');
  // The answer of the frozen machine comes after all.
  await call.tell(...answerWith('gemini', 'late'));
  for (const pid of [guardian, worker.running.pid]) process.kill(pid, 'SIGCONT');
  await fleet.until(callsOf('frozen'), ([row]) => row!.state !== 'lost');
  assert.equal(await fleet.rows(callsOf('frozen')), [
    { state: 'late', attempt: 1 },
    { state: 'settled', attempt: 2 },
  ]);
  assert.equal(await fleet.rows(stateOf('frozen')), [{ state: 'done' }]);
});

test('a worker whose disk is full before the checkout ends takes no other task, and the next one continues', async ({
  fleet,
}) => {
  const refusal = mountRefusal();
  if (refusal !== null) return console.log(`SKIPPED: no small disk can be mounted here (${refusal})`);
  const { rig } = fleet;
  const git = (...argv: string[]) => execFileSync('git', argv, { cwd: rig.project, env: rig.env });
  // Room for its objects, and not for its file.
  rig.write('large', randomBytes(13_000_000));
  git('add', 'large');
  git('commit', '-q', '-m', 'large');
  git('push', '-q');
  fleet.task('large');
  fleet.task('waiting');
  await fleet.submit('large', 'waiting');
  const folder = path.join(rig.root, 'workers', 'small');
  mkdirSync(folder, { recursive: true });
  mount(folder, '-t', 'tmpfs', '-o', 'size=20m');
  try {
    const paid = rig.calls.length;
    const { code, stderr } = await begun(fleet.worker('small', '--until-empty')).running.result;
    assert.is(code, 1, stderr);
    assert.match(stderr, /task \d+: stopped: commit \w+ cannot be checked out: fatal: .*disk/);
    assert.equal(await fleet.rows(stateOf('large')), [{ state: 'stopped' }]);
    assert.equal(await fleet.rows(stateOf('waiting')), [{ state: 'queued' }]);
    assert.is(rig.calls.length, paid);
    mount(folder, '-o', 'remount,size=100m');
    await begun(fleet.worker('small', '--until-empty')).succeeds();
    assert.equal(await fleet.rows(stateOf('large')), [{ state: 'done' }]);
  } finally {
    execFileSync('umount', [folder]);
  }
});

test.run();
