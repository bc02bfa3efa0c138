// Opens the database of a fleet: checks address, rights, version and kind of the server before anything is paid.

import pg from 'pg';
import { DatabaseAway, FleetRefusal } from './refusal.ts';
import { SCHEMA_VERSION } from './schema.ts';

export interface Database {
  /** Host, port and name, for messages. */
  place: string;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs the work in one transaction. It is repeated by no one: an error rolls it back. */
  transaction<Result>(work: (db: Database['query']) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** pg-boss 12 needs it. */
const OLDEST_SERVER = 130_000;
const CONNECT_MS = 5000;
const QUERY_MS = 20_000;

/** @param url the user's; its password is never shown. Throws a {@link FleetRefusal}. */
export function openDatabase(url: string | undefined, connections = 4): Database {
  if (url === undefined || url === '')
    throw new FleetRefusal('give the database: --database postgres://USER@HOST/NAME, or TOLLGATE_DATABASE');
  const place = placeOf(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: 'tollgate',
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the next query.
  pool.on('error', () => {});
  // One that breaks within a transaction: its query fails.
  pool.on('connect', (client) => client.on('error', () => {}));
  const asking = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw explained(error as Error & { code?: string }, place);
    }
  };
  return {
    place,
    query: (text, values = []) => asking(async () => (await pool.query(text, [...values])).rows),
    transaction: (work) =>
      asking(async () => {
        const client = await pool.connect();
        let broken: Error | undefined;
        try {
          await client.query('BEGIN');
          const result = await work(async (text, values = []) => (await client.query(text, [...values])).rows);
          await client.query('COMMIT');
          return result;
        } catch (error) {
          // A connection whose query was not answered would not answer this either.
          broken = NO_ANSWER.test((error as Error).message)
            ? (error as Error)
            : await client.query('ROLLBACK').then(
                () => undefined,
                (failure: Error) => failure,
              );
          throw error;
        } finally {
          client.release(broken);
        }
      }),
    close: () => pool.end(),
  };
}

/** Checks what can be wrong with a database before any task is taken or sent. Throws a {@link FleetRefusal}. */
export async function checkDatabase(database: Database, role: 'submit' | 'work' | 'read' | 'set up'): Promise<void> {
  const [server] = await database.query<{ version: number; text: string; replica: boolean; readonly: string }>(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS text, pg_is_in_recovery() AS replica, current_setting('transaction_read_only') AS readonly",
  );
  if (server!.version < OLDEST_SERVER)
    throw new FleetRefusal(`the server is PostgreSQL ${server!.text}; a fleet needs 13 or later`);
  if (role !== 'read' && (server!.replica || server!.readonly === 'on'))
    throw new FleetRefusal('the server is a read-only replica or is set to read-only; give the address of the primary');
  await checkPooler(database);
  if (role === 'set up') return;
  const [found] = await database.query<{ there: string | null; usable: boolean | null }>(
    "SELECT to_regnamespace('tollgate')::text AS there, has_schema_privilege(to_regnamespace('tollgate'), 'USAGE') AS usable",
  );
  if (found!.there === null && found!.usable !== false)
    throw new FleetRefusal(
      'the database has no tables of Tollgate; its owner creates them: tollgate fleet setup --database URL',
    );
  const may = async (right: string): Promise<boolean> =>
    (await database.query<{ may: boolean }>(`SELECT ${right} AS may`))[0]!.may;
  const isAllowed =
    found!.usable === true &&
    (await may("has_table_privilege('tollgate.version', 'SELECT')")) &&
    (role === 'read' || (await may("has_table_privilege('tollgate_queue.job', 'INSERT')"))) &&
    (role !== 'work' || (await may("has_table_privilege('tollgate.reservations', 'INSERT')")));
  if (!isAllowed) throw new FleetRefusal(`this user of the database may not ${role} here; ${RIGHTS[role]}`);
  const [{ version }] = (await database.query<{ version: number }>(
    'SELECT max(version) AS version FROM tollgate.version',
  )) as [{ version: number }];
  if (version > SCHEMA_VERSION)
    throw new FleetRefusal(
      `the tables have version ${version}, and this Tollgate knows version ${SCHEMA_VERSION}; install the newer Tollgate here`,
    );
  if (version < SCHEMA_VERSION)
    throw new FleetRefusal(
      `the tables have version ${version}, and this Tollgate needs ${SCHEMA_VERSION}; their owner updates them: tollgate fleet setup --database URL`,
    );
}

const RIGHTS = {
  submit: 'grant it the role tollgate_submitter',
  work: 'grant it the role tollgate_worker',
  read: 'grant it the role tollgate_reader',
};

/** A pooler in transaction mode gives each statement another server process, and breaks timeouts and locks. */
async function checkPooler(database: Database): Promise<void> {
  const pid = async (query: Database['query']) =>
    (await query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid;
  await database.transaction(async (query) => {
    await query('COMMIT');
    const first = await pid(query);
    // Another transaction takes the process that a pooler has just got back.
    const second = await database
      .transaction(async (other) => {
        await pid(other);
        return pid(query);
      })
      .catch(async (error: unknown) => {
        if (!(error instanceof DatabaseAway)) throw error;
        // The first one still gets answers.
        await pid(query);
        throw new FleetRefusal(
          'a second connection to the database gets no answer, although the first one works; let its pool give this user at least 4 connections, or connect directly',
        );
      });
    await query('BEGIN');
    if (first !== second) throw pooled('transaction');
  });
}

const pooled = (mode: string) =>
  new FleetRefusal(
    `a pooler in ${mode} mode is in front of the database; connect directly, or use a pool in session mode`,
  );

/** For messages: host, port and name. */
function placeOf(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new FleetRefusal('the address of the database is no URL; write postgres://USER@HOST:PORT/NAME');
  }
  if (!/^postgres(?:ql)?:$/.test(parsed.protocol))
    throw new FleetRefusal(
      `the address of the database begins with ${parsed.protocol}//; write postgres://USER@HOST/NAME`,
    );
  const host = parsed.searchParams.get('host') ?? parsed.hostname;
  return `${host || 'localhost'}${parsed.port === '' ? '' : `:${parsed.port}`}${parsed.pathname}`;
}

/** The connection ended, or the server is starting or stopping. */
const AWAY = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUN|ENETUN|ENOTFOUND|EAI_AGAIN|ENOENT|57P0[123]|08|53300)/;
const NO_ANSWER = /Query read timeout/;
const AWAY_TEXT = /Connection terminated|timeout expired|Query read timeout|timeout exceeded|Client has encountered/;

function explained(error: Error & { code?: string }, place: string): Error {
  if (error instanceof FleetRefusal) return error;
  const { code = '', message } = error;
  if (code === '28P01' || code === '28000' || /password must be a string|no password supplied/.test(message))
    return new FleetRefusal(
      `the database ${place} refuses the sign-in: ${message}; check user, password and pg_hba.conf`,
    );
  if (code === '3D000') return new FleetRefusal(`${message} at ${place}; create it, or correct the address`);
  if (/does not support SSL/.test(message))
    return new FleetRefusal(
      `the database ${place} offers no TLS; remove sslmode from the address, or enable TLS there`,
    );
  if (/certificate|self.signed|ERR_TLS|ALTNAME/i.test(`${code} ${message}`))
    return new FleetRefusal(
      `the TLS certificate of ${place} is not trusted (${message}); add sslrootcert=FILE to the address`,
    );
  if (code === '42501')
    return new FleetRefusal(`this user of the database lacks a right (${message}); see tollgate fleet setup --print`);
  if (/statement pooling mode/.test(message)) return pooled('statement');
  if (AWAY.test(code) || AWAY_TEXT.test(message))
    return new DatabaseAway(
      `the database ${place} cannot be reached (${message || code}); check the address, and whether it runs`,
    );
  return error;
}
