// Reads the process table of macOS from ps.

import { capture } from '../shell.ts';
import { MARKERS } from './marker.ts';
import type { ProcessOwner, ProcessRow, Signalled } from './rows.ts';

/** Start times use one time zone and language, so that every caller gets the same time for the same process. */
export async function list(): Promise<ProcessRow[]> {
  return parseRows(await capture`TZ=UTC LC_ALL=C ps -axo pid=,ppid=,pgid=,stat=,lstart=`);
}

export async function row(pid: number): Promise<ProcessRow | null> {
  return parseRows(await capture`TZ=UTC LC_ALL=C ps -p ${pid} -o pid=,ppid=,pgid=,stat=,lstart=`)[0] ?? null;
}

export const newestNumber = (): null => null;

export const listFrom = async (): Promise<ProcessRow[]> => list();

export async function living(rows: readonly ProcessRow[]): Promise<ProcessRow[]> {
  if (rows.length === 0) return [];
  const pids = rows.map(({ pid }) => pid).join(',');
  const now = parseRows(await capture`TZ=UTC LC_ALL=C ps -p ${pids} -o pid=,ppid=,pgid=,stat=,lstart=`);
  return rows.filter(({ pid, startTime }) =>
    now.some((found) => found.pid === pid && found.startTime === startTime && !found.zombie),
  );
}

/** ps does not report open files, and lsof takes seconds. So on macOS only the marker and the descent count. */
export const holders = async (): Promise<Set<number>> => new Set();

/** In the C locale, ps would print non-ASCII letters differently. */
export const words = async ({ pid }: ProcessRow): Promise<string> =>
  capture`TZ=UTC LC_ALL=en_US.UTF-8 ps -ww -p ${pid} -o command=`;

/** macOS has no PID namespaces. */
export async function owners(rows: readonly ProcessRow[]): Promise<Map<number, ProcessOwner>> {
  if (rows.length === 0) return new Map();
  return parseOwners(await capture`LC_ALL=C ps -p ${rows.map(({ pid }) => pid).join(',')} -o pid=,ruid=`);
}

export async function signal(rows: readonly ProcessRow[], signal: NodeJS.Signals): Promise<Signalled> {
  const signalled: Signalled = { hit: [], refused: [] };
  for (const row of await living(rows)) {
    try {
      process.kill(row.pid, signal);
      signalled.hit.push(row);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPERM') signalled.refused.push(row);
    }
  }
  return signalled;
}

export async function markers(rows: readonly ProcessRow[]): Promise<Map<number, string>> {
  const known = new Set(rows.map((found) => found.pid));
  return parseMarkers(await capture`TZ=UTC LC_ALL=C ps -axEwwo pid=,command=`, known);
}

let boot: Promise<string> | null = null;

/** One id for each boot. Unlike the boot time, it does not change when the clock is set. */
export function bootId(): Promise<string> {
  boot ??= readBootId();
  return boot;
}

async function readBootId(): Promise<string> {
  // cron's PATH has no sbin. An id that is only sometimes there would make living processes look dead. So there is no fallback.
  const id = (await capture`PATH="$PATH:/usr/sbin" sysctl -n kern.bootsessionuuid`).trim();
  if (id === '')
    throw new Error('sysctl tells no kern.bootsessionuuid, by which a process of an earlier boot is known');
  return id;
}

/** Parses lines such as `  501   1   501 S+   Sat Nov 21 20:01:02 2026`. The session that ps prints on macOS is not a pid. */
export function parseRows(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, stat, ...started] = line.trim().split(/\s+/);
    if (stat === undefined) return [];
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgid: Number(pgid),
        sid: null,
        startTime: started.join(' '),
        zombie: stat.startsWith('Z'),
      },
    ];
  });
}

/** Parses lines such as `  501   501`: a process and its real user. */
export function parseOwners(text: string): Map<number, ProcessOwner> {
  const found = new Map<number, ProcessOwner>();
  for (const [, pid, uid] of text.matchAll(/^\s*(\d+)\s+(-?\d+)\s*$/gm))
    found.set(Number(pid), { uid: Number(uid), place: 'here' });
  return found;
}

/** ps -E prints the environment after the command, each variable after a space. */
export function parseMarkers(text: string, known: ReadonlySet<number>): Map<number, string> {
  const found = new Map<number, string>();
  for (const line of text.split('\n')) {
    const pid = Number.parseInt(line, 10);
    if (!known.has(pid)) continue;
    for (const name of MARKERS) {
      const at = line.indexOf(` ${name}=`);
      if (at === -1) continue;
      found.set(pid, line.slice(at + name.length + 2).split(' ')[0] ?? '');
      break;
    }
  }
  return found;
}
