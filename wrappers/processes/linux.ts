// The process table of Linux, read from /proc.

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
 * Numbers are given out upwards, so whatever a process started bears a higher one, unless they began anew from the bottom.
 * That they went all the way round is ruled out only for a short while: then a look at the new ones will do.
 */
function oldestPossible({ pid, ageMs }: Since): number {
  if (ageMs > SHORT_MS) return 0;
  return newestNumber() >= pid ? pid : 0;
}

/** Newest first: one that forks and goes, over and over, does not live as long as a list of all takes. */
export async function listFrom(number: number): Promise<ProcessRow[]> {
  const last = newestNumber();
  // They began anew from the bottom, or so many came that a list of all is as fast.
  if (last < number || last - number > MANY) return list();
  const rows: ProcessRow[] = [];
  for (let pid = last + BEYOND; pid > number - BEHIND && pid > 1; pid -= 1) {
    const row = readRow(pid);
    if (row !== null) rows.push(row);
  }
  return rows;
}

/** Numbers that are given out while we read, and those that were a moment before. */
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

/** For these the kernel makes and clears a buffer as large as the one that it is handed: 2 MiB took it 0.6 ms. */
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

/** Fields as in proc(5), from the third on; the name may hold spaces and brackets, so cut at the last one. */
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

/** Environments are at most 128 kB a string and mostly a few kB; what lies behind this much is not looked at. */
const buffer = Buffer.allocUnsafe(2 * 1024 * 1024);

/** Then nothing can be told of a process: least of all that it is gone. */
const isExhausted = (error: unknown) =>
  ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '');

/** null when the process is gone or is not ours to read; it throws where no more files can be opened. The bytes are good until the next call. */
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
    // The kernel hands out at most a page or so at a time.
    for (let read = -1; read !== 0 && length < atMost; length += read)
      read = readSync(fd, buffer, length, atMost - length, null);
    return buffer.subarray(0, length);
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
