// Finds the processes that still have a marker in their environment: what a call has not ended.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Survivor {
  pid: number;
  command: string;
}

/** Processes whose environment contains `marker` (as NAME=value), without zombies and without this process. */
export function findSurvivors(marker: string): Survivor[] {
  return process.platform === 'linux' ? findInProc(marker) : findWithPs(marker);
}

/** Kills the processes with the marker, until there are none. */
export async function endSurvivors(marker: string): Promise<void> {
  for (let round = 0; round < 100 && killSurvivors(marker) > 0; round++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Kills the current processes with the marker.
 * @returns their number.
 */
export function killSurvivors(marker: string): number {
  const left = findSurvivors(marker);
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended by itself meanwhile
    }
  }
  return left.length;
}

/** Whether a process runs: it exists, and is not a zombie that waits for its parent. */
export function isAlive(pid: number): boolean {
  const state =
    process.platform === 'linux'
      ? /\) (\w)/.exec(read(String(pid), 'stat'))?.[1]
      : spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Whether a process with this pid has the marker in its environment. */
export function isMarked(pid: number, marker: string): boolean {
  return process.platform === 'linux'
    ? read(String(pid), 'environ').split('\0').includes(marker)
    : findWithPs(marker).some((survivor) => survivor.pid === pid);
}

function findInProc(marker: string): Survivor[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => isMarked(Number(pid), marker))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

function findWithPs(marker: string): Survivor[] {
  const { stdout } = spawnSync('ps', ['axEww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command = ''] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return `${command} `.includes(` ${marker} `) && Number(pid) !== process.pid ? [{ pid: Number(pid), command }] : [];
  });
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it ended meanwhile, or belongs to another user
  }
}
