// One of our commands in a round: started from dist, struck while it runs, and judged by how it ends.

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT_BY_SIGNAL, OWN_EXIT, TOLLGATE_EXIT, WRAPPER_EXIT } from '../../policies/facts/exit-codes.ts';
import { COMMANDS } from '../../policies/facts/tools.ts';
import type { ProcessRow } from '../../wrappers/processes/rows.ts';
import { processTable } from '../../wrappers/processes/table.ts';
import type { Target } from './plan.ts';
import { textOr } from './rig.ts';

export interface Ended {
  command: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** It was killed, since it did not end in time. */
  hung: boolean;
}

export type Started = ReturnType<typeof start>;

const DIST = path.resolve(import.meta.dirname, '../../dist');
const WRAPPERS = new RegExp(`(?:${Object.values(COMMANDS).join('|')})\\.cjs|tollgate\\.cjs\\0call\\0`);

/** @param limitMs when it is killed, whatever its agents do. */
export function start(
  [command, ...argv]: readonly string[],
  { project, env }: { project: string; env: Record<string, string> },
  limitMs = 90_000,
) {
  const file = path.join(DIST, `${command}.cjs`);
  const child = spawn(process.execPath, [file, ...argv], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let over = false;
  const ended = endOf(child, [command, ...argv].join(' '), limitMs).finally(() => {
    over = true;
  });
  // `find`: the processes of a kind that live now.
  return { ended, over: () => over, find: (target: Target) => find(child.pid!, target) };
}

function endOf(child: ChildProcess, command: string, limitMs: number): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  for (const from of ['stdout', 'stderr'] as const) child[from]!.on('data', (chunk) => (said[from] += chunk));
  return new Promise((resolve) => {
    let hung = false;
    const limit = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      // Its last words are in the pipes; a process that outlived it may hold them open.
      setTimeout(() => resolve({ command, code, signal, hung, ...said }), 5);
    });
  });
}

async function find(pid: number, target: Target): Promise<number[]> {
  const rows = await processTable.list();
  const below = (parents: readonly number[]) => rows.filter((row) => parents.includes(row.ppid)).map((row) => row.pid);
  const isWrapper = (one: number) => WRAPPERS.test(textOr(`/proc/${one}/cmdline`));
  const guardians = isWrapper(pid) ? [pid] : below([pid]).filter(isWrapper);
  switch (target) {
    case 'dispatcher':
      return [pid];
    case 'guardian':
      return guardians;
    case 'agent':
      return below(guardians);
    case 'both':
      return [pid, ...guardians];
    case 'everything':
      return [pid, ...descendants(pid, rows)];
  }
}

function descendants(pid: number, rows: readonly ProcessRow[]): number[] {
  const children = rows.filter((row) => row.ppid === pid).map((row) => row.pid);
  return [...children, ...children.flatMap((child) => descendants(child, rows))];
}

/** Resolves when it is due, or when the command has ended. */
export async function dueIn(isDue: () => boolean, running: Started): Promise<void> {
  while (!running.over() && !isDue()) await pause(4);
}

/**
 * @param againMs how long it waits where no such process is there, before it looks again; without it it looks once.
 * @returns how many processes got the signal; 0 when the command was over before.
 */
export async function strike(
  running: Started,
  { at, signal = 'SIGKILL', afterMs }: { at: Target; signal?: NodeJS.Signals; afterMs: number },
  againMs?: number,
): Promise<number> {
  await Promise.race([pause(afterMs), running.ended]);
  while (!running.over()) {
    const hits = (await running.find(at)).filter((pid) => kill(pid, signal)).length;
    if (hits > 0 || againMs === undefined) return hits;
    await pause(againMs);
  }
  return 0;
}

/** @returns false where it had ended before. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

const PUBLISHED = new Set<number | null>(
  [TOLLGATE_EXIT, EXIT_BY_SIGNAL, OWN_EXIT, ...Object.values(WRAPPER_EXIT)].flatMap((codes) =>
    Object.values<number | null>(codes).filter((code) => code !== null),
  ),
);

/** A command that was not killed ends with a published code, and without a stack. */
export const isWell = ({ code, stderr }: Ended): boolean => PUBLISHED.has(code) && !hasBug(stderr);

export const hasBug = (stderr: string): boolean => stderr.includes('bug of tollgate');

/** How it ended, in words. */
export const endShown = ({ command, code, signal, stderr, hung }: Ended): string =>
  `${command} ${hung ? 'did not end' : `ended with ${signal ?? code}: ${stderr.slice(-900)}`}`;
