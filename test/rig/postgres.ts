// Starts a PostgreSQL server of its own for a test: own folder, own port, as an ordinary user.

import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';

export interface Postgres {
  port: number;
  /** For a new database with this name. */
  create(name: string): Promise<string>;
  url(name: string, user?: string): string;
  query(name: string, text: string): Promise<Record<string, unknown>[]>;
  /** Ends it as a power loss does, and starts it again. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Debian's folders, the newest version first. */
function binFolder(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => path.join(root, version, 'bin'))
    .find((bin) => existsSync(path.join(bin, 'initdb')));
  if (found === undefined) throw new Error('PostgreSQL is missing: apt-get install postgresql');
  return found;
}

/** The server refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const bin = binFolder();
  const folder = mkdtempSync(path.join(tmpdir(), 'pg-'));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const data = path.join(folder, 'data');
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', HOME: folder };
  execFileSync(path.join(bin, 'initdb'), ['-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-sync', '-N'], {
    ...asUser,
    env,
    cwd: folder,
    stdio: 'pipe',
  });
  const port = await freePort();
  const argv = ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off'];
  const more = settings.flatMap((each) => ['-c', each]);
  let server: ReturnType<typeof spawn> | null = null;
  const url = (name: string, user = 'owner') => `postgres://${user}@127.0.0.1:${port}/${name}`;
  const start = async () => {
    const child = spawn(path.join(bin, 'postgres'), [...argv, ...more], {
      ...asUser,
      env,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = child;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.stderr!.on('data', (bytes) => {
        said += bytes;
        if (said.includes('database system is ready to accept')) resolve();
      });
      child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
    });
  };
  const ended = async (signal: NodeJS.Signals) => {
    const child = server;
    if (child === null || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.removeAllListeners('exit');
    child.once('exit', () => {});
    const over = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await Promise.race([gone, over]);
    server = null;
  };
  const query = async (name: string, text: string) => {
    const client = new pg.Client({ connectionString: url(name) });
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  await start();
  return {
    port,
    url,
    query,
    start,
    create: async (name) => {
      await query('postgres', `CREATE DATABASE ${name}`);
      return url(name);
    },
    // An immediate shutdown: no checkpoint, and recovery at the next start.
    crash: () => ended('SIGQUIT'),
    stop: async () => {
      await ended('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
