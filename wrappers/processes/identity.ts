// Names a process so that nobody else can be taken for it.

import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import type { ProcessRow } from './rows.ts';
import { processTable } from './table.ts';

/** The identity of a process of this machine that runs, or null when it is gone. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  if (pid === process.pid) return identifySelf();
  const row = await processTable.row(pid);
  return row === null || row.zombie ? null : nameOf(row);
}

/** What never changes of this process is asked once; its host may be renamed. */
let own: ProcessIdentity | null = null;

/** Throws where the system does not show this process: then no process that a call starts could be found again. */
async function identifySelf(): Promise<ProcessIdentity> {
  own ??= await nameOf((await ownRow()) ?? noProcessTable());
  return { ...own, host: hostname() };
}

/** Null too where the /proc that is mounted belongs to another PID namespace. */
export async function ownRow(): Promise<ProcessRow | null> {
  return process.platform !== 'linux' || procNumber() === process.pid ? processTable.row(process.pid) : null;
}

/** Our number in the /proc that is mounted; it is another one where that belongs to another PID namespace. */
function procNumber(): number | null {
  try {
    return Number(readlinkSync('/proc/self'));
  } catch {
    return null;
  }
}

function noProcessTable(): never {
  const way = process.platform === 'linux' ? '/proc' : '`ps`';
  const mend = process.platform === 'linux' ? ' Mount it (mount -t proc proc /proc), and run it again' : '';
  throw new StrangeStateError(
    `${way} does not show the processes of this machine, so Tollgate cannot watch or end what a call starts; nothing was started.${mend}`,
  );
}

/**
 * The identity of a child of ours that may have ended already, or null when it was reaped too. On Linux it is looked up
 * before this first waits: asked right after the spawn, a child is always found, however fast it was.
 */
export async function identifyChild(pid: number): Promise<ProcessIdentity | null> {
  const row = await processTable.row(pid);
  return row && nameOf(row);
}

/** Is that very process still running? 'unknown' for one that lives where its number cannot be looked up. */
export async function isAlive(process_: ProcessIdentity, self: ProcessIdentity): Promise<'alive' | 'dead' | 'unknown'> {
  const place = placeOf(process_, self);
  if (place === 'elsewhere') return 'unknown';
  if (place === 'earlier_boot') return 'dead';
  const found = await identify(process_.pid);
  return found?.start_time === process_.start_time ? 'alive' : 'dead';
}

const nameOf = async (row: ProcessRow): Promise<ProcessIdentity> => ({
  pid: row.pid,
  start_time: row.startTime,
  host: hostname(),
  boot_id: await processTable.bootId(),
  pid_ns: pidNamespace(),
});

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'none';
  }
}
