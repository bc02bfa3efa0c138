// What a fleet refuses, each with a sentence and before anything is paid: addresses, sign-ins, rights, servers, versions, tasks.

import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkDatabase, type Database, openDatabase } from '../../fleet/database.ts';
import { DatabaseAway, FleetRefusal } from '../../fleet/refusal.ts';
import { FleetRig } from '../rig/fleet-rig.ts';
import { CERTIFICATE } from '../rig/loopback-certificate.ts';

const [BAD_INPUT, FAILURE] = [2, 1];
const NOBODY = 65534;
const settings = mkdtempSync(path.join(tmpdir(), 'pg-settings-'));

const test = suite<{ fleet: FleetRig }>('what a fleet refuses');
test.before(async (context) => {
  // One user needs a password; the server has a certificate that no one trusts.
  const hba = path.join(settings, 'hba');
  writeFileSync(hba, 'host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n');
  const [key, certificate] = [path.join(settings, 'key'), path.join(settings, 'certificate')];
  writeFileSync(key, CERTIFICATE.key, { mode: 0o600 });
  writeFileSync(certificate, CERTIFICATE.cert);
  if (process.getuid?.() === 0) for (const file of [settings, hba, key, certificate]) chownSync(file, NOBODY, NOBODY);
  const tls = ['ssl=on', `ssl_key_file=${key}`, `ssl_cert_file=${certificate}`];
  context.fleet = await FleetRig.open([`hba_file=${hba}`, ...tls]);
  const users = ['locked', 'stranger', 'reader', 'submitter'].map(
    (name) => `CREATE ROLE ${name} LOGIN PASSWORD 'right';`,
  );
  const grants = 'GRANT tollgate_reader TO reader; GRANT tollgate_submitter TO submitter;';
  await context.fleet.rows(`${users.join('')} ${grants}`);
});
test.after(async ({ fleet }) => {
  await fleet.dispose();
  rmSync(settings, { recursive: true });
});

/** Whatever is refused, no call is made and no row is written. */
async function refused({ rig }: FleetRig, argv: string[], code: number, message: RegExp, url?: string): Promise<void> {
  const env = url === undefined ? {} : { TOLLGATE_DATABASE: url };
  const ran = await rig.run('tollgate', argv, { env });
  assert.match(ran.stderr, message, ran.stdout + ran.stderr);
  assert.equal([ran.code, ran.stdout, rig.calls.length], [code, '', 0], ran.stderr);
  assert.not.match(ran.stderr, 'hunter2');
}

test('an address that is missing, or is none of a database', async ({ fleet }) => {
  await refused(fleet, ['fleet', 'status'], BAD_INPUT, /give the database: --database postgres:.*TOLLGATE_DATABASE/);
  await refused(fleet, ['fleet', 'status'], BAD_INPUT, /begins with mysql:/, 'mysql://jo:hunter2@127.0.0.1/fleet');
  await refused(fleet, ['fleet', 'status'], BAD_INPUT, /is no URL/, 'jo hunter2');
  const elsewhere = fleet.postgres.url('elsewhere');
  await refused(
    fleet,
    ['fleet', 'status'],
    BAD_INPUT,
    /database "elsewhere" does not exist .*create it, or correct/,
    elsewhere,
  );
});

test('a server that is not there: the command fails, and can be repeated', async ({ fleet }) => {
  const closed = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
  const url = `postgres://jo:hunter2@127.0.0.1:${closed}/fleet`;
  for (const argv of [
    ['fleet', 'status'],
    ['submit', 'one'],
  ])
    await refused(fleet, argv, FAILURE, /the database 127\.0\.0\.1:\d+\/fleet cannot be reached \(.*ECONNREFUSED/, url);
});

test('a wrong password, and none', async ({ fleet }) => {
  const { port } = fleet.postgres;
  for (const word of ['hunter2', '']) {
    const url = `postgres://locked${word === '' ? '' : `:${word}`}@127.0.0.1:${port}/fleet`;
    await refused(
      fleet,
      ['fleet', 'status'],
      BAD_INPUT,
      /refuses the sign-in: .*check user, password and pg_hba\.conf/,
      url,
    );
  }
});

test('TLS with a certificate that is not trusted, and a server without TLS', async ({ fleet }) => {
  const url = fleet.postgres.url('fleet');
  await refused(
    fleet,
    ['fleet', 'status'],
    BAD_INPUT,
    /certificate of .* is not trusted .*sslrootcert=FILE/,
    `${url}?sslmode=verify-full`,
  );
  // The answer of a server without TLS to the request for it.
  const plain = createServer((socket) => socket.once('data', () => socket.write('N')));
  await new Promise<void>((resolve) => void plain.listen(0, '127.0.0.1', resolve));
  const { port } = plain.address() as AddressInfo;
  await refused(
    fleet,
    ['fleet', 'status'],
    BAD_INPUT,
    /offers no TLS/,
    `postgres://jo@127.0.0.1:${port}/fleet?sslmode=require`,
  );
  plain.close();
});

/** What a check of the database answers where the real server can only be what it is. */
const answering = (server: object): Database => ({
  place: 'none',
  query: async <Row extends object>() => [server as Row],
  transaction: () => Promise.reject(new Error('no transaction was expected')),
  close: async () => {},
});

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it was not refused',
    (error: unknown) => {
      if (error instanceof FleetRefusal) return error.message;
      throw error;
    },
  );

test('an old server, a replica, a server that only reads, and a pooler in transaction mode', async ({ fleet }) => {
  const good = { version: 150_004, text: '15.4', replica: false, readonly: 'off' };
  const check = (server: object) => refusalOf(checkDatabase(answering({ ...good, ...server }), 'submit'));
  assert.match(await check({ version: 120_017, text: '12.17' }), /is PostgreSQL 12\.17; a fleet needs 13 or later/);
  assert.match(await check({ replica: true }), /read-only replica.*the primary/);
  const url = `${fleet.postgres.url('fleet')}?options=-c%20default_transaction_read_only%3Don`;
  await refused(fleet, ['submit', 'one'], BAD_INPUT, /is set to read-only; give the address of the primary/, url);
  const real = openDatabase(fleet.url);
  // After COMMIT, such a pooler gives each statement any process of the server.
  const pooled: Database = {
    ...real,
    transaction: (work) =>
      real.transaction(async (query) => {
        let ended = false;
        return work(async (text, values) => {
          ended ||= text === 'COMMIT';
          if (text === 'COMMIT' || text === 'BEGIN') return [];
          return ended ? real.query(text, values) : query(text, values);
        });
      }),
  };
  try {
    assert.match(
      await refusalOf(checkDatabase(pooled, 'submit')),
      /a pooler in transaction mode is in front of the database/,
    );
    assert.match(
      await refusalOf(checkDatabase(pooled, 'set up')),
      /a pooler in transaction mode is in front of the database/,
    );
    await checkDatabase(real, 'submit');
    // A pool of one connection answers on the first only.
    let open = 0;
    const single: Database = {
      ...real,
      transaction: (work) => {
        open += 1;
        return open > 1 ? Promise.reject(new DatabaseAway('Query read timeout')) : real.transaction(work);
      },
    };
    assert.match(
      await refusalOf(checkDatabase(single, 'set up')),
      /a second connection to the database gets no answer, .*at least 4 connections/,
    );
  } finally {
    await real.close();
  }
});

/** A server that greets, and answers the first query as pgbouncer does. @param answer its fields, by their letters. */
async function answeringServer(answer: Record<string, string>): Promise<{ url: string; close(): void }> {
  const message = (type: string, body: Buffer) =>
    Buffer.concat([Buffer.from(type), Buffer.from(Uint32Array.of(body.length + 4).buffer).swap32(), body]);
  const fields = Object.entries(answer).map(([letter, text]) => `${letter}${text}\0`);
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]));
      socket.once('data', () => socket.end(message('E', Buffer.from(`${fields.join('')}\0`))));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `postgres://jo@127.0.0.1:${port}/fleet`, close: () => server.close() };
}

test('a pooler in statement mode', async ({ fleet }) => {
  const text = 'transaction blocks not allowed in statement pooling mode';
  const server = await answeringServer({ S: 'FATAL', C: '08P01', M: text });
  const refusal = /a pooler in statement mode is in front of the database; connect directly/;
  for (const argv of [['fleet', 'setup'], ['worker']]) await refused(fleet, argv, BAD_INPUT, refusal, server.url);
  server.close();
});

test('a database without tables, and a user without rights', async ({ fleet }) => {
  const { postgres } = fleet;
  fleet.task('rights');
  await refused(
    fleet,
    ['submit', 'rights'],
    BAD_INPUT,
    /has no tables of Tollgate.*fleet setup/,
    await postgres.create('empty'),
  );
  const as = (user: string) => postgres.url('fleet', user);
  await refused(
    fleet,
    ['fleet', 'status'],
    BAD_INPUT,
    /may not read here; grant it the role tollgate_reader/,
    as('stranger'),
  );
  await refused(
    fleet,
    ['submit', 'rights'],
    BAD_INPUT,
    /may not submit here; grant it the role tollgate_submitter/,
    as('reader'),
  );
  await refused(
    fleet,
    ['worker', '--until-empty'],
    BAD_INPUT,
    /may not work here; grant it the role tollgate_worker/,
    as('submitter'),
  );
  const read = await fleet.rig.run('tollgate', ['fleet', 'status', '--json'], {
    env: { TOLLGATE_DATABASE: as('reader') },
  });
  assert.is(read.code, 0, read.stderr);
  const sent = await fleet.rig.run('tollgate', ['submit', 'rights'], { env: { TOLLGATE_DATABASE: as('submitter') } });
  assert.is(sent.code, 0, sent.stderr);
  await fleet.ends('fleet', 'cancel', 'rights');
});

test('tables of another version: an older worker, and a newer one', async ({ fleet }) => {
  const [{ version }] = (await fleet.rows('SELECT max(version) AS version FROM tollgate.version')) as [
    { version: number },
  ];
  await fleet.rows(`UPDATE tollgate.version SET version = ${version + 1}`);
  const newer = /the tables have version \d+, and this Tollgate knows version \d+; install the newer Tollgate here/;
  await refused(fleet, ['worker', '--until-empty'], BAD_INPUT, newer, fleet.url);
  await refused(fleet, ['fleet', 'setup'], BAD_INPUT, /install the newer one/, fleet.url);
  await fleet.rows(`UPDATE tollgate.version SET version = ${version - 1}`);
  const older = /this Tollgate needs \d+; their owner updates them: tollgate fleet setup/;
  await refused(fleet, ['submit', 'one'], BAD_INPUT, older, fleet.url);
  await fleet.rows(`UPDATE tollgate.version SET version = ${version}`);
});

test('a task that is submitted twice, and one that cannot travel: none of the command is sent', async ({ fleet }) => {
  fleet.task('twice');
  fleet.task('other');
  fleet.task('outside', { cwd: '..', security: { trust_workspace: true } });
  await fleet.submit('twice');
  await refused(
    fleet,
    ['submit', 'other', 'twice'],
    BAD_INPUT,
    /twice was submitted before and is queued \(\d+\)/,
    fleet.url,
  );
  await refused(fleet, ['submit', 'other', 'outside'], BAD_INPUT, /cwd: "\.\." is outside of the project/, fleet.url);
  assert.equal(await fleet.rows("SELECT name FROM tollgate.tasks WHERE state = 'queued'"), [{ name: 'twice' }]);
  await fleet.ends('fleet', 'cancel', 'twice');
});

test('a commit that a worker cannot fetch ends the task without a call', async ({ fleet }) => {
  fleet.task('lost');
  await fleet.submit('lost');
  await fleet.rows(
    `UPDATE tollgate.tasks SET meta = jsonb_set(meta, '{packed,commit}', '"${'1'.repeat(40)}"') WHERE name = 'lost'`,
  );
  await fleet.worker('a', '--until-empty').succeeds();
  const [{ state, message }] = (await fleet.rows("SELECT state, message FROM tollgate.tasks WHERE name = 'lost'")) as [
    { state: string; message: string },
  ];
  assert.is(state, 'failed');
  assert.match(message, /commit 111111111111 cannot be fetched from .*remote\.git .*push it/);
  assert.equal([fleet.rig.calls.length, await fleet.rows('SELECT * FROM tollgate.reservations')], [0, []]);
});

test('a worker whose clock is a day ahead: the clock of the database decides', async ({ fleet }) => {
  const shift = fleet.rig.write('../shift.cjs', 'const { now } = Date;\nDate.now = () => now() + 86_400_000;\n');
  fleet.task('ahead');
  await fleet.submit('ahead');
  const argv = ['worker', '--until-empty', '--folder', path.join(fleet.rig.root, 'workers/ahead')];
  const env = { TOLLGATE_DATABASE: fleet.url, NODE_OPTIONS: `--require=${shift}` };
  const { code, stderr } = await fleet.rig.start('tollgate', argv, { env }).result;
  assert.is(code, 0, stderr);
  const [row] = await fleet.rows(
    "SELECT t.state, w.lease_until < clock_timestamp() + interval '31 seconds' AS is_now FROM tollgate.tasks t JOIN tollgate.workers w ON w.id = t.worker WHERE t.name = 'ahead'",
  );
  assert.equal(row, { state: 'done', is_now: true });
});

test.run();
