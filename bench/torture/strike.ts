// Carries out what strikes a run: a signal at its moment, a call of the system that fails, a clock that is wrong, harm to its files.

import { appendFileSync, existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isTemporary } from '../../loops/run/temporaries.ts';
import type { Started } from './command.ts';
import type { Harm, Moment, Strike } from './plan.ts';
import type { World } from './world.ts';

/** @returns how many processes were signalled; 0 when all was over before its moment. */
export async function signalAt(
  { signal, at, when }: Extract<Strike, { how: 'signal' }>,
  running: Started,
  world: World,
): Promise<number> {
  await moment(when, running, world);
  if (running.over()) return 0;
  const pids = await running.find(at);
  let struck = 0;
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
      struck += 1;
    } catch {
      // It ended by itself meanwhile.
    }
  }
  return struck;
}

async function moment({ after, ms }: Moment, running: Started, world: World): Promise<void> {
  if (after !== 'start') {
    const count = () => world.seen().filter(({ what }) => what === after).length;
    const before = count();
    while (!running.over() && count() === before) await pause(4);
  }
  await Promise.race([pause(ms), running.ended]);
}

/** What becomes of a task's state between two runs. */
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

/** As if two hours had passed: what a killed writer left is then nobody's. */
export function ageTemporaries(folder: string, which: (name: string) => boolean = isTemporary): void {
  if (!existsSync(folder)) return;
  const old = new Date(Date.now() - 7_200_000);
  for (const name of readdirSync(folder, { recursive: true }) as string[])
    if (which(path.basename(name))) age(path.join(folder, name), old);
}

/** A writer that still lives may put it in its place just now. */
function age(file: string, to: Date): void {
  try {
    utimesSync(file, to, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
