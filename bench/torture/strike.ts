// Carries out the strikes on a run: a signal at its moment, a failing system call, a wrong clock, harm to its files.

import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isTemporary } from '../../loops/run/temporaries.ts';
import { COMMANDS, isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { faultEnv } from '../../test/rig/fault-shim.ts';
import type { Started } from './command.ts';
import type { Harm, Moment, Plan, Strike } from './plan.ts';
import { kill } from './rig.ts';
import type { World } from './world.ts';

/** @returns the number of signalled processes; 0 if all had ended before the moment. */
export async function signalAt(
  { signal, at, when }: Extract<Strike, { how: 'signal' }>,
  running: Started,
  world: World,
): Promise<number> {
  await moment(when, running, world);
  if (running.over()) return 0;
  return (await running.find(at)).filter((pid) => kill(pid, signal)).length;
}

async function moment({ after, ms }: Moment, running: Started, world: World): Promise<void> {
  if (after !== 'start') {
    const count = () => world.seen().filter(({ what }) => what === after).length;
    const before = count();
    while (!running.over() && count() === before) await pause(4);
  }
  await Promise.race([pause(ms), running.ended]);
}

/** Harms a task's state between two runs. */
export function harm(what: Harm, task: string, stateFolder: string): void {
  const [journal, stats] = [path.join(task, 'state/journal.jsonl'), path.join(task, 'state/stats.json')];
  const harms: Record<Harm, () => void> = {
    half_line: () => append(journal, '{"v":1,"at":"2026-01-01T00:00:00.000Z","fact":"rese'),
    zero_bytes: () => append(journal, '\0'.repeat(512)),
    no_stats: () => rmSync(stats, { force: true }),
    empty_stats: () => {
      if (existsSync(stats)) writeFileSync(stats, '');
    },
    no_summary: () => rmSync(path.join(task, 'outputs/_summary.md'), { force: true }),
    no_queue: () => rmSync(path.join(stateFolder, 'state/trees'), { recursive: true, force: true }),
  };
  harms[what]();
}

function append(file: string, text: string): void {
  if (existsSync(file)) appendFileSync(file, text);
}

/** Sets the times back by two hours, so that the files of a killed writer count as abandoned. */
export function ageTemporaries(folder: string, which: (name: string) => boolean = isTemporary): void {
  if (!existsSync(folder)) return;
  const old = new Date(Date.now() - 7_200_000);
  for (const name of readdirSync(folder, { recursive: true }) as string[])
    if (which(path.basename(name))) age(path.join(folder, name), old);
}

/** A writer that still lives may move the file into place at this moment. */
function age(file: string, to: Date): void {
  try {
    utimesSync(file, to, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

export interface Injection {
  env: Record<string, string>;
  /** Whether the strike has happened by now. */
  landed(): boolean;
}

/**
 * Returns the environment that the strike needs; empty for a strike from outside, and if the library cannot be built.
 * @param under the folder whose files are meant.
 * @param log a file outside the folder, which does not exist yet, for the counted calls.
 */
export function injected(strike: Strike, { kind, stages }: Plan, under: string, log: string): Injection {
  if (strike.how === 'signal') return { env: {}, landed: () => true };
  const { tool = TOOLS[0] } = stages[0] ?? {};
  // tollgate itself calls a described agent, as it is the dispatcher too: the name of the agent is among its words.
  const wrapper = isBuiltIn(tool) ? `${COMMANDS[tool]}.cjs` : tool;
  const isWrapper = strike.at === 'guardian' || kind === 'wrapper' || kind === 'alone';
  const common = { in: isWrapper ? wrapper : 'tollgate.cjs', under, log };
  const nth = strike.how === 'clock' ? 1 : strike.nth;
  const env =
    strike.how === 'clock'
      ? faultEnv({ ...common, clockSeconds: strike.seconds })
      : faultEnv({ ...common, at: nth, does: strike.does });
  return { env, landed: () => countIn(log) >= nth };
}

/** The highest number of a call that any process made. */
function countIn(log: string): number {
  if (!existsSync(log)) return 0;
  const numbers = readFileSync(log, 'utf8')
    .split('\n')
    .map((line) => Number.parseInt(line, 10) || 0);
  return Math.max(...numbers);
}
