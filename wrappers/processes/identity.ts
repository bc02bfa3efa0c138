// Names a process so that nobody else can be taken for it.

import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
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

async function identifySelf(): Promise<ProcessIdentity | null> {
  const row = own === null ? await processTable.row(process.pid) : null;
  if (row !== null) own = await nameOf(row);
  return own && { ...own, host: hostname() };
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
