// Creates or updates the tables of a fleet, forward only, under one lock.

import { checkDatabase, type Database } from './database.ts';
import { openQueue } from './queue.ts';
import { FleetRefusal } from './refusal.ts';
import { MIGRATIONS, ROLES, SCHEMA_VERSION } from './schema.ts';

/** Any number that no other program uses. */
const LOCK = 4_205_311;

/** @returns the version before; 0 for a new database. */
export async function setUp(database: Database): Promise<number> {
  await checkDatabase(database, 'set up');
  // The lock is held by one connection until the tables of the queue, which others make, are there too.
  return database.transaction(async (lock) => {
    await lock('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const before = await database.transaction(migrate);
    const queue = await openQueue(database, 'set_up');
    await queue.stop();
    await database.transaction((query) => query(ROLES));
    return before;
  });
}

async function migrate(query: Database['query']): Promise<number> {
  await query('CREATE SCHEMA IF NOT EXISTS tollgate');
  await query('CREATE TABLE IF NOT EXISTS tollgate.version (version int NOT NULL)');
  const [row] = await query<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM tollgate.version');
  const { version } = row!;
  if (version > SCHEMA_VERSION)
    throw new FleetRefusal(
      `the tables have version ${version}; this Tollgate knows ${SCHEMA_VERSION}: install the newer one`,
    );
  for (const step of MIGRATIONS.slice(version)) await query(step);
  if (version < SCHEMA_VERSION) await query('INSERT INTO tollgate.version VALUES ($1)', [SCHEMA_VERSION]);
  return version;
}

/** What `tollgate fleet setup` runs in our own schema, for an owner who runs it by hand. */
export const setupText = (): string => `${MIGRATIONS.join('\n')}\n${ROLES}`;
