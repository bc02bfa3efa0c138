// Reads the process table of Linux from /proc.

import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { MARKERS } from './marker.ts';
import type { ProcessRow, Since } from './rows.ts';
import { SHORT_MS } from './tree-types.ts';

export async function list(since: Since | null = null, skipped?: ReadonlySet<number>): Promise<ProcessRow[]> {
  const from = since === null ? 0 : oldestPossible(since);
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid >= from) || skipped?.has(pid)) continue;
    const row = readRow(pid);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/**
 * Pids are assigned upwards. So what a process started has a higher pid, unless the numbers restarted from the bottom. A full
 * round is impossible only within a short time: within it, a look at the new ones is enough.
 */
function oldestPossible({ pid, ageMs }: Since): number {
  if (ageMs > SHORT_MS) return 0;
  return newestNumber() >= pid ? pid : 0;
}

/** Reads the newest first: a process that keeps forking and exiting does not live as long as a full list takes. */
export async function listFrom(number: number): Promise<ProcessRow[]> {
  const last = newestNumber();
  // The numbers restarted from the bottom, or so many are new that a full list is as fast.
  if (last < number || last - number > MANY) return list();
  const rows: ProcessRow[] = [];
  for (let pid = last + BEYOND; pid > number - BEHIND && pid > 1; pid -= 1) {
    const row = readRow(pid);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/** Pids assigned while we read, and those assigned a moment before. */
const BEYOND = 3;
const BEHIND = 3;
const MANY = 300;

export const newestNumber = (): number =>
  Number(readProc('/proc/loadavg', ONE_LINE)?.toString('latin1').trim().split(' ')[4]);

export const row = async (pid: number): Promise<ProcessRow | null> => readRow(pid);

export async function markers(rows: readonly ProcessRow[]): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const row of rows) {
    const marker = readMarker(row.pid);
    if (marker !== null) found.set(row.pid, marker);
  }
  return found;
}

/** For these files the kernel allocates and clears a buffer as large as the one that it gets: 2 MiB took 0.6 ms. */
const ONE_LINE = 128;

export const bootId = async (): Promise<string> =>
  readProc('/proc/sys/kernel/random/boot_id', ONE_LINE)?.toString('latin1').trim() ?? 'unknown';

/** One process, or null when it is gone. */
export function readRow(pid: number): ProcessRow | null {
  const fields = readStat(pid);
  if (fields === null) return null;
  return {
    pid,
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    sid: Number(fields[3]),
    startTime: fields[19] ?? '',
    zombie: fields[0] === 'Z' || fields[0] === 'X',
  };
}

export const hasTerminal = (pid: number): boolean => Number(readStat(pid)?.[4] ?? 0) !== 0;

/** Fields as in proc(5), from the third on. The name may contain spaces and brackets, so the text is cut at the last one. */
function readStat(pid: number): string[] | null {
  const bytes = readProc(`/proc/${pid}/stat`);
  if (bytes === null) return null;
  const stat = bytes.toString('latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
}

function readMarker(pid: number): string | null {
  const bytes = readProc(`/proc/${pid}/environ`);
  if (bytes === null) return null;
  for (const name of MARKERS) {
    const at = bytes.indexOf(`${name}=`);
    if (at === -1 || (at > 0 && bytes[at - 1] !== 0)) continue;
    const from = at + name.length + 1;
    const end = bytes.indexOf(0, from);
    return bytes.toString('latin1', from, end === -1 ? bytes.length : end);
  }
  return null;
}

/** Environments have at most 128 kB per string and mostly a few kB. Bytes beyond this size are not read. */
const buffer = Buffer.allocUnsafe(2 * 1024 * 1024);

/** After such an error nothing is known of a process, in particular not that it is gone. */
const isExhausted = (error: unknown) =>
  ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Throws if no more files can be opened. @returns null if gone or not ours; bytes that the next call overwrites. */
export function readProc(file: string, atMost = buffer.length): Buffer | null {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if (isExhausted(error)) throw error;
    return null;
  }
  try {
    let length = 0;
    // The kernel returns at most about a page at a time.
    for (let read = -1; read !== 0 && length < atMost; length += read)
      read = readSync(fd, buffer, length, atMost - length, null);
    return buffer.subarray(0, length);
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
