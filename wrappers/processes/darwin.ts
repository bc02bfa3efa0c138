// The process table of macOS, read from ps.

import { capture } from '../shell.ts';
import { MARKERS } from './marker.ts';
import type { ProcessRow } from './table.ts';

export async function list(): Promise<ProcessRow[]> {
  return parseRows(await capture`ps -axo pid=,ppid=,pgid=,sess=,stat=,lstart=`);
}

export async function row(pid: number): Promise<ProcessRow | null> {
  return (await list()).find((found) => found.pid === pid) ?? null;
}

export async function markers(rows: readonly ProcessRow[]): Promise<Map<number, string>> {
  const known = new Set(rows.map((row) => row.pid));
  return parseMarkers(await capture`ps -axEwwo pid=,command=`, known);
}

/** Lines such as `  501   1   501   0 S+   Sat Nov 21 20:01:02 2026`. */
export function parseRows(text: string): ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [pid, ppid, pgid, sid, stat, ...started] = line.trim().split(/\s+/);
    if (stat === undefined) return [];
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgid: Number(pgid),
        sid: Number(sid),
        startTime: started.join(' '),
        zombie: stat.startsWith('Z'),
      },
    ];
  });
}

/** ps -E prints the environment behind the command, each variable after a space. */
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
