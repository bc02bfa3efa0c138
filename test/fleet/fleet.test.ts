// Tasks go through a fleet: submitted, run by workers, booked once in one ledger, and fetched.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openJournal } from '../../state/journal/journal.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { FleetRig } from '../rig/fleet-rig.ts';
import { answerWith } from '../rig/streams.ts';
import { ANY_ANSWER } from '../rig/task-run.ts';

const test = suite<{ fleet: FleetRig }>('fleet');
test.before(async (context) => {
  context.fleet = await FleetRig.open();
});
test.after(({ fleet }) => fleet.dispose());

const stateOf = (name: string) => `SELECT state FROM tollgate.tasks WHERE name = '${name}'`;
const callsOf = (name: string) =>
  `SELECT r.state, attempt, r.epoch FROM tollgate.reservations r JOIN tollgate.tasks t ON t.id = r.task WHERE t.name = '${name}' ORDER BY reserved_at`;

test('a task is submitted, run, booked once, and fetched', async ({ fleet }) => {
  fleet.task('one');
  await fleet.submit('one');
  const { stdout } = await fleet.worker('a', '--until-empty').succeeds();
  assert.match(stdout, '1 done, 0 failed, 0 interrupted');
  assert.equal(await fleet.rows(callsOf('one')), [{ state: 'settled', attempt: 1, epoch: 1 }]);
  const [task] = await fleet.rows("SELECT state, exit_code, calls_used FROM tollgate.tasks WHERE name = 'one'");
  assert.equal(task, { state: 'done', exit_code: 0, calls_used: 1 });
  await fleet.ends('fleet', 'fetch', 'one');
  const folder = path.join(fleet.rig.project, '.tmp/task/one');
  assert.ok(existsSync(path.join(folder, 'outputs/do.gemini.out')));
  assert.match(readFileSync(path.join(folder, 'state/journal.jsonl'), 'utf8'), '"fact":"verdict"');
});

test('a task that a fleet has does not run here before it was fetched or cancelled', async ({ fleet }) => {
  const mark = (id: string) => path.join(fleet.rig.project, `.tmp/task/${id}/state/submitted.json`);
  fleet.task('away-from-here');
  await fleet.submit('away-from-here');
  for (const argv of [
    ['run', 'away-from-here'],
    ['batch', 'away-from-here'],
    ['run', 'away-from-here', '--dry-run'],
  ]) {
    const { code, stderr } = await fleet.tollgate(...argv).running.result;
    assert.is(code, 2, stderr);
    assert.match(
      stderr,
      /away-from-here was submitted to the fleet at \S+, .*\(tollgate fleet fetch away-from-here\) or /,
    );
  }
  // The copy on a worker has no mark.
  await fleet.worker('a', '--until-empty').succeeds();
  assert.is(fleet.rig.calls.length, 2);
  await fleet.ends('fleet', 'fetch', 'away-from-here');
  assert.not.ok(existsSync(mark('away-from-here')));
  await fleet.ends('run', 'away-from-here');
  assert.is(fleet.rig.calls.length, 2);
  fleet.task('taken-back');
  await fleet.submit('taken-back');
  await fleet.ends('run', 'taken-back', '--force');
  await fleet.ends('run', 'taken-back');
  await fleet.ends('fleet', 'cancel', 'taken-back');
});

test('a task that a run takes while it is submitted is not sent, and an earlier mark remains', async ({ fleet }) => {
  fleet.task('both');
  const mark = path.join(fleet.rig.project, '.tmp/task/both/state/submitted.json');
  const earlier = '{"id": "0", "at": "2026-11-30T12:00:00.000Z"}';
  fleet.rig.write('.tmp/task/both/state/submitted.json', earlier);
  // The submission has packed the task, and waits for this lock.
  const locked = fleet.rows(`DO $$ BEGIN LOCK TABLE tollgate.tasks IN SHARE ROW EXCLUSIVE MODE;
    WHILE NOT EXISTS (SELECT 1 FROM pg_class WHERE relname = 'opened') LOOP PERFORM pg_sleep(0.05); END LOOP; END $$`);
  await fleet.until(
    "SELECT 1 FROM pg_locks WHERE granted AND mode = 'ShareRowExclusiveLock' AND relation = 'tollgate.tasks'::regclass",
    ({ length }) => length > 0,
  );
  const submitting = fleet.tollgate('submit', 'both');
  await fleet.until('SELECT 1 FROM pg_locks WHERE NOT granted', ({ length }) => length > 0);
  const journal = openJournal(path.dirname(path.dirname(mark)), () => new Date());
  journal.append({ fact: 'claimed', run_id: 'local', over: null, owner: (await identify(process.pid))! });
  await fleet.rows('CREATE TABLE opened ()');
  await locked;
  const { code, stderr } = await submitting.running.result;
  assert.is(code, 2, stderr);
  assert.match(stderr, 'both was run on this machine in the same moment; nothing was submitted');
  assert.equal(await fleet.rows("SELECT 1 FROM tollgate.tasks WHERE name = 'both'"), []);
  assert.equal(JSON.parse(readFileSync(mark, 'utf8')), JSON.parse(earlier));
});

test('what a task that is done lacks is shown by its worker, and by the status', async ({ fleet }) => {
  const text = "Error during discovery for MCP server 'tickets': spawn /no/such/program ENOENT\n";
  fleet.rig.answer(() => [{ do: 'write', to: 'stderr', text }, ...answerWith('gemini', 'done')]);
  fleet.task('lacking');
  await fleet.submit('lacking');
  const { stderr } = await fleet.worker('lacking', '--until-empty').succeeds();
  assert.match(stderr, /: done: warning: do: MCP server "tickets" failed.*; the agent worked without it$/m);
  const { stdout } = await fleet.ends('fleet', 'status', 'lacking');
  assert.match(stdout, /done .*warning: do: MCP server "tickets" failed/);
});

test('a result is fetched from the project that is meant', async ({ fleet }) => {
  await fleet.rows(
    `INSERT INTO tollgate.tasks (name, project, pool, priority, tools, queue, state, on_lost, calls_budget, meta)
     SELECT name, 'elsewhere', pool, priority, tools, queue, 'stopped', on_lost, calls_budget, meta FROM tollgate.tasks WHERE name = 'one'`,
  );
  const { code, stderr } = await fleet.tollgate('fleet', 'fetch', 'one').running.result;
  assert.is(code, 2);
  assert.match(stderr, /2 projects have a task "one"; name one by its number: \d+ \(elsewhere\), \d+ \(/);
  await fleet.ends('fleet', 'cancel', 'one');
});

test('a worker that was killed continues its task, and its call is booked once', async ({ fleet }) => {
  fleet.task('killed');
  await fleet.submit('killed');
  const { worker, call } = await fleet.workerInCall('b', 600);
  worker.running.signal('SIGKILL');
  await worker.running.result;
  const next = fleet.worker('b', '--until-empty');
  await next.running.says(/continues, which was interrupted/);
  await call.tell(...answerWith('gemini', 'done'));
  await next.succeeds();
  assert.equal(await fleet.rows(callsOf('killed')), [{ state: 'late', attempt: 1, epoch: 1 }]);
  assert.equal(await fleet.rows(stateOf('killed')), [{ state: 'done' }]);
});

test('a task whose worker is lost stops, and only the user runs it again', async ({ fleet }) => {
  fleet.task('lost');
  await fleet.submit('lost');
  const { worker, call } = await fleet.workerInCall('c');
  worker.running.signal('SIGKILL');
  // Its guardian ends the call before the lease is over.
  await call.gone;
  assert.equal(await fleet.rows(stateOf('lost')), [{ state: 'running' }]);
  const other = fleet.worker('d', '--lease-seconds', '24');
  await fleet.until(stateOf('lost'), ([row]) => row!.state === 'lost');
  assert.equal(await fleet.rows(callsOf('lost')), [{ state: 'lost', attempt: 1, epoch: 1 }]);
  const status = JSON.parse((await fleet.ends('fleet', 'status', 'lost', '--json')).stdout);
  assert.equal([status.tasks[0].state, status.tasks[0].lost_calls], ['lost', 1]);
  const { stdout } = await fleet.ends('fleet', 'status', 'lost');
  assert.match(stdout, /1 lost call may be paid/);
  assert.match(stdout, /\nA lost task continues .*\nA lost call counts as paid\. /);
  const { code, stderr } = await fleet.tollgate('submit', 'lost').running.result;
  assert.is(code, 2);
  assert.match(stderr, /lost is lost \(\d+\), and a call of it may have been paid/);
  await fleet.submit('lost', '--again');
  await fleet.until(stateOf('lost'), (rows) => rows.some(({ state }) => state === 'done'));
  await fleet.ends('fleet', 'drain');
  await other.succeeds();
  // The lost machine returns: it books its answer, and does not continue the task.
  await fleet.worker('c', '--until-empty').succeeds();
  assert.equal(await fleet.rows(callsOf('lost')), [
    { state: 'late', attempt: 1, epoch: 1 },
    { state: 'settled', attempt: 1, epoch: 1 },
  ]);
  assert.equal((await fleet.rows(stateOf('lost'))).map(({ state }) => state).sort(), ['cancelled', 'done']);
});

test('with --on-lost retry another worker runs the task, and the late answer is booked once', async ({ fleet }) => {
  fleet.task('again');
  await fleet.submit('again', '--on-lost', 'retry');
  const { worker, call } = await fleet.workerInCall('e');
  worker.running.signal('SIGKILL');
  await call.gone;
  const other = fleet.worker('f', '--lease-seconds', '24');
  await fleet.until(stateOf('again'), ([row]) => row!.state === 'done');
  await fleet.ends('fleet', 'drain');
  await other.succeeds();
  assert.equal(await fleet.rows(callsOf('again')), [
    { state: 'lost', attempt: 1, epoch: 1 },
    { state: 'settled', attempt: 2, epoch: 3 },
  ]);
});

test('a running task is cancelled, and a queued one is not begun', async ({ fleet }) => {
  fleet.task('running');
  await fleet.submit('running');
  const { worker, call } = await fleet.workerInCall('g', 24);
  fleet.task('queued');
  await fleet.submit('queued');
  for (const name of ['queued', 'running']) await fleet.ends('fleet', 'cancel', name);
  const isMarked = (id: string) => existsSync(path.join(fleet.rig.project, `.tmp/task/${id}/state/submitted.json`));
  assert.equal([isMarked('queued'), isMarked('running')], [false, true]);
  await call.gone;
  await fleet.until(stateOf('running'), ([row]) => row!.state === 'cancelled');
  assert.equal(await fleet.rows(stateOf('queued')), [{ state: 'cancelled' }]);
  worker.running.signal('SIGTERM');
  assert.is((await worker.running.result).code, 143);
  assert.equal(
    (await fleet.rows(callsOf('running'))).map(({ state }) => state),
    ['settled'],
  );
  // What it has cost is in its record.
  const { stdout } = await fleet.ends('fleet', 'fetch', 'running');
  assert.not.match(stdout, 'in the ledger of the fleet');
  assert.not.ok(isMarked('running'));
  const journal = readFileSync(path.join(fleet.rig.project, '.tmp/task/running/state/journal.jsonl'), 'utf8');
  assert.match(journal, '"fact":"verdict"');
  const { code, stderr } = await fleet.tollgate('fleet', 'fetch', 'queued').running.result;
  assert.is(code, 2);
  assert.match(stderr, 'queued is cancelled and has no result');
});

test('a budget that is used up, and a long hold, are told as that, with the command that changes it', async ({
  fleet,
}) => {
  const failureOf = async (name: string) => {
    await fleet.worker('limits', '--until-empty').succeeds();
    await fleet.ends('fleet', 'fetch', name);
    const file = path.join(fleet.rig.project, `.tmp/task/${name}/state/last_failure.json`);
    const { class: errorClass, reason, next_actions } = JSON.parse(readFileSync(file, 'utf8'));
    const commands = next_actions.flatMap(({ command }: { command?: string }) => command ?? []);
    return { reason: `${errorClass} (${reason})`, commands };
  };
  const stages = ['one', 'two', 'three'].map((id) => ({ tool: 'gemini', role: 'runbook', id, ...ANY_ANSWER }));
  fleet.task('spent', { stages, budgets: { paid_call_budget: 1 } });
  await fleet.submit('spent');
  const spent = await failureOf('spent');
  assert.is(spent.reason, 'quota (budget)');
  assert.match(spent.commands[0], /^tollgate budget \S+ --set 6$/);
  // What remains by its journal is what the next submission may use.
  await fleet.ends('budget', 'spent', '--set', '6');
  await fleet.submit('spent');
  await fleet.worker('limits', '--until-empty').succeeds();
  const rows = await fleet.rows(
    "SELECT state, calls_budget, calls_used FROM tollgate.tasks WHERE name = 'spent' ORDER BY id",
  );
  assert.equal(rows, [
    { state: 'failed', calls_budget: 1, calls_used: 1 },
    { state: 'done', calls_budget: 5, calls_used: 2 },
  ]);
  const [day] = await fleet.rows("SELECT used FROM tollgate.budgets WHERE scope = 'day'");
  const [now, more] = [Number(day!.used), Number(day!.used) + 5];
  await fleet.ends('fleet', 'limits', '--day', '1');
  fleet.task('late');
  await fleet.submit('late');
  assert.equal(await failureOf('late'), {
    reason: 'quota (own_limit)',
    commands: ['tollgate submit late', `tollgate fleet limits --day ${more}`],
  });
  await fleet.ends('fleet', 'limits', '--day', '0');
  await fleet.rows("INSERT INTO tollgate.budgets (scope, calls, used) VALUES ('pool:nights', 3, 3)");
  fleet.task('pooled');
  await fleet.submit('pooled', '--pool', 'nights');
  assert.equal(await failureOf('pooled'), {
    reason: 'quota (own_limit)',
    commands: ['tollgate fleet limits --pool-calls nights=8', 'tollgate submit pooled'],
  });
  await fleet.rows(
    "UPDATE tollgate.limits SET hold_until = now() + interval '1 day', hold_reason = 'plan' WHERE tool = 'gemini'",
  );
  fleet.task('held');
  await fleet.submit('held');
  assert.equal(await failureOf('held'), {
    reason: 'quota (held)',
    commands: ['tollgate submit held', 'tollgate fleet limits', 'tollgate fleet limits --lift-hold gemini'],
  });
  await fleet.ends('fleet', 'limits', '--lift-hold', 'gemini');
  assert.is((await fleet.rows("SELECT used FROM tollgate.budgets WHERE scope = 'day'"))[0]!.used, now);
});

test('a hold of the fleet is lifted by its user, and only one that is there', async ({ fleet }) => {
  await fleet.rows(
    "INSERT INTO tollgate.limits (tool, account, hold_until, hold_reason) VALUES ('codex', 'work', now() + interval '1 day', 'usage_limit')",
  );
  const lift = (...argv: string[]) => fleet.tollgate('fleet', 'limits', '--lift-hold', ...argv);
  for (const [word, refusal] of [
    ['codex', 'codex is not held; see tollgate fleet limits'],
    ['No CLI', '--lift-hold: "No CLI" is none of'],
  ] as const) {
    const { code, stderr } = await lift(word).running.result;
    assert.is(code, 2);
    assert.match(stderr, refusal);
  }
  const { stdout } = await lift('codex@work', '--at-once', 'codex@work=2').succeeds();
  assert.match(stdout, /^codex@work: 0 running, at most 2 at once$/m);
  assert.equal(await fleet.rows("SELECT hold_until, hold_reason FROM tollgate.limits WHERE account = 'work'"), [
    { hold_until: null, hold_reason: null },
  ]);
});

test('while the database is away a running call continues, and no new one begins', async ({ fleet }) => {
  const stages = ['one', 'two'].map((id) => ({ tool: 'gemini', role: 'runbook', id, requires: [], min_lines: 0 }));
  fleet.task('away', { stages });
  await fleet.submit('away');
  const { worker, call } = await fleet.workerInCall('h', 600);
  await fleet.postgres.crash();
  await call.tell(...answerWith('gemini', 'done'));
  await worker.running.says(/waiting: the database .* cannot be reached.*; no new call begins/);
  await fleet.postgres.start();
  await fleet.until(stateOf('away'), ([row]) => row!.state === 'done');
  assert.equal(
    (await fleet.rows(callsOf('away'))).map(({ state }) => state),
    ['settled', 'settled'],
  );
  worker.running.signal('SIGTERM');
  await worker.running.result;
});

test.run();
