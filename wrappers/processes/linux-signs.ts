// Reads what Linux shows of a process beside its row (its user and open files), and signals it.

import { readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { tried } from '../../policies/text/tried.ts';
import { hasTerminal, readProc, readRow } from './linux.ts';
import type { ProcessOwner, ProcessRow, Signalled } from './rows.ts';

export async function owners(rows: readonly ProcessRow[]): Promise<Map<number, ProcessOwner>> {
  const found = new Map<number, ProcessOwner>();
  for (const { pid } of rows) {
    const owner = parseOwner(readProc(`/proc/${pid}/status`)?.toString('latin1') ?? '');
    if (owner !== null) found.set(pid, owner);
  }
  return found;
}

export const words = async ({ pid }: ProcessRow): Promise<string> =>
  (readProc(`/proc/${pid}/cmdline`)?.toString('utf8') ?? '').replaceAll('\0', ' ');

/** NSpid has one pid for each PID namespace of the process, ours first. */
export function parseOwner(status: string): ProcessOwner | null {
  const uid = /^Uid:\t(\d+)/m.exec(status)?.[1];
  const numbers = /^NSpid:\t(.*)$/m.exec(status)?.[1];
  if (uid === undefined) return null;
  return { uid: Number(uid), place: numbers?.includes('\t') ? 'below' : 'here' };
}

/** Skips processes at a terminal, where a user looks around. What an agent starts there still has its marker. */
export async function holders(rows: readonly ProcessRow[], folders: readonly string[]): Promise<Set<number>> {
  const roots = rows.length === 0 ? [] : folders.flatMap(realFolder);
  const within = (file: string | null) =>
    file !== null && roots.some((root) => file === root || file.startsWith(`${root}/`));
  const holds = (pid: number) =>
    within(link(`/proc/${pid}/cwd`)) ||
    openIn(pid).some((fd) => within(link(`/proc/${pid}/fd/${fd}`)) && isForWriting(pid, fd));
  return new Set(
    roots.length === 0 ? [] : rows.filter(({ pid }) => holds(pid) && !hasTerminal(pid)).map(({ pid }) => pid),
  );
}

const realFolder = (folder: string): string[] => tried(() => [realpathSync(folder)]) ?? [];

const openIn = (pid: number): string[] => tried(() => readdirSync(`/proc/${pid}/fd`)) ?? [];

const link = (file: string): string | null => tried(() => readlinkSync(file));

/** A process that only reads may be a user that follows the call, or another run that waits for it. */
function isForWriting(pid: number, fd: string): boolean {
  const flags = /^flags:\t(\d+)/m.exec(readProc(`/proc/${pid}/fdinfo/${fd}`)?.toString('latin1') ?? '')?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0;
}

export const openForWriting = (pid: number): Stats[] =>
  openIn(pid).flatMap((fd) => {
    const file = look(`/proc/${pid}/fd/${fd}`);
    return file?.isFile() && isForWriting(pid, fd) ? [file] : [];
  });

/** Whether the process has the file open for writing, or its files cannot be seen. */
export function mayWrite(pid: number, { dev, ino }: Stats): boolean {
  if (tried(() => readdirSync(`/proc/${pid}/fd`)) === null) return true;
  return openForWriting(pid).some((open) => open.dev === dev && open.ino === ino);
}

/** @returns null for a file that was closed meanwhile. */
const look = (file: string): Stats | null => tried(() => statSync(file));

export const living = async (rows: readonly ProcessRow[]): Promise<ProcessRow[]> => rows.filter(stillLives);

/** Node cannot hold a process by a pidfd, so some microseconds pass between this check and the signal. */
export async function signal(rows: readonly ProcessRow[], signal: NodeJS.Signals): Promise<Signalled> {
  const signalled: Signalled = { hit: [], refused: [] };
  for (const row of rows) {
    if (!stillLives(row)) continue;
    try {
      process.kill(row.pid, signal);
      signalled.hit.push(row);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPERM') signalled.refused.push(row);
    }
  }
  return signalled;
}

function stillLives({ pid, startTime }: ProcessRow): boolean {
  const now = readRow(pid);
  return now !== null && !now.zombie && now.startTime === startTime;
}
