// status, report, watch and the tools of mcp show the tasks of a fleet to a user who may only read its database.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../fleet/database.ts';
import { fleetStatus } from '../../fleet/status.ts';
import { FleetRig } from '../rig/fleet-rig.ts';
import { openMcp } from '../rig/mcp-client.ts';

const test = suite<{ fleet: FleetRig; reader: string }>('views of a fleet');
test.before(async (context) => {
  const fleet = await FleetRig.open();
  Object.assign(context, { fleet, reader: fleet.postgres.url('fleet', 'viewer') });
  await fleet.rows('CREATE ROLE viewer LOGIN');
  await fleet.rows('GRANT tollgate_reader TO viewer');
  fleet.task('fine');
  fleet.task('bad', { stages: [{ tool: 'gemini', role: 'runbook', id: 'do', requires: ['## Risks'], min_lines: 0 }] });
  await fleet.submit('fine', 'bad');
  await fleet.worker('a', '--until-empty').succeeds();
  fleet.task('waits');
  await fleet.submit('waits');
});
test.after(({ fleet }) => fleet.dispose());

/** A command of the project that has no database in its environment. */
const show = async (fleet: FleetRig, argv: string[], env: Record<string, string> = {}) => {
  const { code, stdout, stderr } = await fleet.rig.start('tollgate', argv, { env }).result;
  return { code, stdout, stderr };
};

test('status shows tasks, failures first, with their calls and tokens', async ({ fleet, reader }) => {
  const { code, stdout, stderr } = await show(fleet, ['status', '--database', reader, '--json']);
  assert.is(code, 0, stderr);
  const status = JSON.parse(stdout);
  assert.equal(status.totals, { tasks: 3, done: 1, failed: 1, queued: 1 });
  const [bad, waits, fine] = status.tasks;
  assert.equal(
    status.tasks.map(({ task_id }: { task_id: string }) => task_id),
    ['bad', 'waits', 'fine'],
  );
  assert.equal([bad.stage, bad.class, bad.reason], ['do', 'contract_violation', 'missing_sections']);
  assert.ok(bad.sentence && bad.evidence && bad.calls.used >= 1, JSON.stringify(bad));
  assert.equal([waits.state, waits.tokens, waits.calls.used], ['queued', null, 0]);
  assert.equal([fine.state, fine.calls.used, fine.tokens > 0, fine.class], ['done', 1, true, null]);
  const { stdout: page } = await show(fleet, ['status', 'fine', '--database', '-'], { TOLLGATE_DATABASE: reader });
  assert.match(page, /^Tasks: 1 done, 1 failed, 1 queued of 3; 1 of them are shown\.$/m);
  assert.match(page, /^\d+ +fine +done +do +/m);
});

test('report shows the failures in groups, and what differs between a fetched journal and the ledger', async ({
  fleet,
  reader,
}) => {
  await fleet.ends('fleet', 'fetch', 'fine');
  const argv = ['report', '--database', reader];
  const { stdout, stderr } = await show(fleet, argv);
  assert.match(stdout, /^ {2}1 × .+ contract_violation \(missing_sections\): bad/m, stderr);
  assert.match(stdout, /^The journals that were fetched here and the ledger of the fleet agree\.$/m);
  const change = (from: string, to: string) =>
    fleet.rows(
      `UPDATE tollgate.reservations r SET state = '${to}' FROM tollgate.tasks t WHERE t.id = r.task AND t.name = 'fine' AND r.state = '${from}'`,
    );
  await change('settled', 'abandoned');
  const report = JSON.parse((await show(fleet, [...argv, '--json'])).stdout);
  assert.is(report.differences.length, 1);
  assert.match(report.differences[0], /^fine \(\d+\): the call .+ is paid in the journal, and not in the ledger/);
  assert.equal([report.groups.length, report.groups[0].task_ids], [1, ['bad']]);
  await change('abandoned', 'settled');
  const failed = JSON.parse((await show(fleet, [...argv, '--failed', '--json'])).stdout);
  assert.equal(
    failed.tasks.map(({ task_id }: { task_id: string }) => task_id),
    ['bad'],
  );
});

test('a command for a project opens no database because a variable is set', async ({ fleet }) => {
  const env = { TOLLGATE_DATABASE: 'postgres://127.0.0.1:1/none' };
  for (const argv of [['status'], ['report'], ['watch', '--until-end']])
    assert.is((await show(fleet, argv, env)).code, 0, argv[0]!);
});

test('what cannot be read is refused with a sentence', async ({ fleet, reader }) => {
  const empty = await fleet.postgres.create('nothing');
  for (const [argv, code, sentence] of [
    [['status', '--database', '-'], 2, 'tollgate status: give the database: --database postgres://'],
    [['status', '--database', 'http://x/y'], 2, 'begins with http://; write postgres://'],
    [
      ['watch', '--database', 'postgres://127.0.0.1:1/none'],
      1,
      'tollgate watch: the database 127.0.0.1:1/none cannot be',
    ],
    [['report', '--database', empty], 2, 'the database has no tables of Tollgate'],
    [['report', '--database', reader, '--health'], 2, '--database takes only'],
    [['report', '--database', reader, '--format', 'html'], 2, 'leave --format html out'],
    [['report', '--database', reader, '--since', 'soon'], 2, '--since takes a duration'],
    [['status', 'none', '--database', reader], 2, 'the fleet has no task "none"'],
  ] as const) {
    const ran = await show(fleet, [...argv]);
    assert.is(ran.code, code, `${argv}: ${ran.stdout}${ran.stderr}`);
    assert.match(ran.stderr, sentence);
  }
});

test('a client of mcp sees the fleet of its server, and names no database itself', async ({ fleet, reader }) => {
  const { ask, close } = await openMcp(fleet.rig, ['--database', reader]);
  const { object: status, isError } = await ask('status', { fleet: true });
  assert.equal([isError, status.totals.failed, status.tasks[0].task_id, status.workers], [false, 1, 'bad', []]);
  assert.is((await ask('status', { fleet: true, task: 'fine' })).object.tasks.length, 1);
  const { object: failures } = await ask('list_failures', { fleet: true });
  assert.equal([failures.groups.length, failures.groups[0].task_ids], [1, ['bad']]);
  await close();
  const other = await openMcp(fleet.rig, [], { TOLLGATE_DATABASE: reader });
  const refused = await other.ask('status', { fleet: true });
  assert.is(refused.isError, true);
  assert.match(refused.text, 'this server knows no fleet');
  await other.close();
});

test('a run that mcp begins beside a fleet has no address and no password of its database', async ({
  fleet,
  reader,
}) => {
  const secrets = { TOLLGATE_DATABASE: reader, PGPASSWORD: 'word', PGPASSFILE: '/nowhere' };
  const { ask, close } = await openMcp(fleet.rig, ['--database', '-', '--trust-workspace'], secrets);
  fleet.task('here');
  const { object, text } = await ask('run_task', { task: 'here', wait_ms: 45_000 });
  assert.is(object.state, 'done', text);
  const { env } = fleet.rig.calls.at(-1)!.report;
  assert.equal(
    Object.keys(secrets).filter((name) => name in env),
    [],
  );
  await close();
});

test('watch asks one query for each look, and ends when no task runs', async ({ fleet, reader }) => {
  const database = openDatabase(reader);
  let queries = 0;
  const counted: typeof database = {
    ...database,
    query: (text, values) => {
      queries += 1;
      return database.query(text, values);
    },
  };
  await fleetStatus(counted, { names: [] });
  assert.is(queries, 1);
  await database.close();
  const watching = fleet.rig.start('tollgate', ['watch', '--database', reader, '--until-end']);
  await watching.says(/^[\d:]+ waits \(\d+\) is queued, 0\/\d+ calls$/m, 'stdout');
  await fleet.worker('a', '--until-empty').succeeds();
  const { code, stdout } = await watching.result;
  assert.is(code, 0);
  assert.match(stdout, /^[\d:]+ waits \(\d+\) is done, 1\/\d+ calls$/m);
  assert.match(stdout, /^[\d:]+ none is at work: 2 done, 1 failed of 3\n$/m);
});

test.run();
