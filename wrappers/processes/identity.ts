// Identifies a process so that no other process can be mistaken for it.

import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import { tried } from '../../policies/text/tried.ts';
import { StrangeStateError } from '../../state/disk/strange-state-error.ts';
import type { ProcessRow } from './rows.ts';
import { processTable } from './table.ts';

/** The identity of a running process of this machine, or null when it is gone. */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  if (pid === process.pid) return identifySelf();
  const row = await processTable.row(pid);
  return row === null || row.zombie ? null : nameOf(row);
}

/** The facts of this process that never change are read once. Its host may be renamed. */
let own: ProcessIdentity | null = null;

/** Throws if the system does not show this process, because then no process that a call starts could be found again. */
async function identifySelf(): Promise<ProcessIdentity> {
  own ??= await nameOf((await ownRow()) ?? noProcessTable());
  return { ...own, host: hostname() };
}

/** Also null if the mounted /proc belongs to another PID namespace. */
export async function ownRow(): Promise<ProcessRow | null> {
  return process.platform !== 'linux' || procNumber() === process.pid ? processTable.row(process.pid) : null;
}

/** Our pid in the mounted /proc; it differs if that /proc belongs to another PID namespace. */
const procNumber = (): number | null => tried(() => Number(readlinkSync('/proc/self')));

function noProcessTable(): never {
  const way = process.platform === 'linux' ? '/proc' : '`ps`';
  const fix = process.platform === 'linux' ? ' Mount it (mount -t proc proc /proc), and run it again' : '';
  throw new StrangeStateError(
    `${way} does not show the processes of this machine, so Tollgate cannot watch or end what a call starts; nothing was started.${fix}`,
  );
}

/**
 * The identity of our own child, which may have ended already, or null if it was reaped too. On Linux the lookup happens before
 * the first wait. So a child that is looked up right after the spawn is always found, however fast it was.
 */
export async function identifyChild(pid: number): Promise<ProcessIdentity | null> {
  const row = await processTable.row(pid);
  return row && nameOf(row);
}

/** Is the same process still running? 'unknown' if it lives where its pid cannot be looked up. */
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
