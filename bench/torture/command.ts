// Starts a command from dist in a round, and knows all processes that it started while it lives.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { COMMANDS } from '../../policies/facts/tools.ts';
import type { ProcessRow } from '../../wrappers/processes/rows.ts';
import { processTable } from '../../wrappers/processes/table.ts';
import type { Target } from './plan.ts';

export interface Ended {
  command: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  ended: Promise<Ended>;
  over(): boolean;
  /** Returns the target processes that live now. */
  find(target: Target): Promise<number[]>;
}

const DIST = path.resolve(import.meta.dirname, '../../dist');
/** A command that takes longer hangs, whatever its agents do. */
const LIMIT_MS = 90_000;
const WRAPPERS = new RegExp(`(?:${Object.values(COMMANDS).join('|')})\\.cjs|tollgate\\.cjs\\0call\\0`);

/** @param limitMs the time after which it is killed, since it hangs. */
export function start(
  command: string,
  argv: readonly string[],
  cwd: string,
  env: Record<string, string>,
  limitMs = LIMIT_MS,
): Started {
  const child = spawn(process.execPath, [path.join(DIST, `${command}.cjs`), ...argv], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let over = false;
  const ended = endOf(child, `${command} ${argv.join(' ')}`, limitMs).finally(() => {
    over = true;
  });
  return { ended, over: () => over, find: (target) => find(child.pid!, target) };
}

function endOf(child: ChildProcess, command: string, limitMs: number): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  for (const from of ['stdout', 'stderr'] as const) child[from]!.on('data', (chunk) => (said[from] += chunk));
  return new Promise((resolve) => {
    const limit = setTimeout(() => {
      said.stderr += `\nTORTURE: still ran after ${limitMs} ms`;
      child.kill('SIGKILL');
    }, limitMs);
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      // The rest of its output is in the pipes, which surviving processes may hold open.
      setTimeout(() => resolve({ command, code, signal, ...said }), 5);
    });
  });
}

async function find(pid: number, target: Target): Promise<number[]> {
  const rows = await processTable.list();
  const below = (parents: readonly number[]) => rows.filter((row) => parents.includes(row.ppid)).map((row) => row.pid);
  const isWrapper = WRAPPERS.test(commandOf(pid));
  const guardians = isWrapper ? [pid] : below([pid]).filter((child) => WRAPPERS.test(commandOf(child)));
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

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
