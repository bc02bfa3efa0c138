// What strikes a run from within, or its files between two runs: a system call that fails, a clock that is wrong, harm.

import { appendFileSync, existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isTemporary } from '../../loops/run/temporaries.ts';
import { COMMANDS, isBuiltIn, TOOLS } from '../../policies/facts/tools.ts';
import { faultEnv } from '../../test/rig/fault-shim.ts';
import type { Harm, Plan, Strike } from './plan.ts';
import { linesIn, readdirOr } from './rig.ts';

/** What happens to a task's state between two runs. @param tmp the project's `.tmp`. */
export const HARMS: Record<Harm, (task: string, tmp: string) => void> = {
  half_line: (task) => append(journalIn(task), '{"v":1,"at":"2026-01-01T00:00:00.000Z","fact":"rese'),
  zero_bytes: (task) => append(journalIn(task), '\0'.repeat(512)),
  no_stats: (task) => rmSync(statsIn(task), { force: true }),
  empty_stats: (task) => existsSync(statsIn(task)) && writeFileSync(statsIn(task), ''),
  no_summary: (task) => rmSync(path.join(task, 'outputs/_summary.md'), { force: true }),
  no_queue: (_, tmp) => rmSync(path.join(tmp, 'state/trees'), { recursive: true, force: true }),
};

const journalIn = (task: string) => path.join(task, 'state/journal.jsonl');
const statsIn = (task: string) => path.join(task, 'state/stats.json');

function append(file: string, text: string): void {
  if (existsSync(file)) appendFileSync(file, text);
}

/** As if two hours had passed: a temporary file of a killed writer then has no owner. */
export function ageTemporaries(folder: string, which: (name: string) => boolean = isTemporary): void {
  const old = new Date(Date.now() - 7_200_000);
  for (const name of readdirOr(folder, 'recursive').filter((name) => which(path.basename(name))))
    try {
      utimesSync(path.join(folder, name), old, old);
    } catch (error) {
      // A writer that still lives may rename it just now.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
}

/**
 * What the strike needs in the environment; empty for a signal, and where the library cannot be built.
 * @param under the folder of the files.
 * @param log a new file outside of it, for the counted calls.
 * @returns `landed`: whether it has happened.
 */
export function injected(strike: Strike, { kind, stages }: Plan, under: string, log: string) {
  if (strike.how === 'signal') return { env: {}, landed: () => true };
  const { tool = TOOLS[0] } = stages[0] ?? {};
  // tollgate itself calls a described one, as its dispatcher: the name is among the words.
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
const countIn = (log: string): number => Math.max(0, ...linesIn(log).map((line) => Number.parseInt(line, 10) || 0));
