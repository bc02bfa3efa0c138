// Begins a run, or finds the same earlier request; writes its start file in one step before it starts any process.

import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { makeFolder, namesIfAny } from '../../state/disk/folder.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import { type CarriedStart, endOfRun, RUN_ID, startOf } from './carried-run.ts';
import { type CarriedStanding, standingOf } from './carried-standing.ts';

export interface WantedRun extends Pick<CarriedStart, 'what' | 'task' | 'tool' | 'asks' | 'argv'> {
  /** Its id without a number. Requests of which only one may run at a time have the same name. */
  name: string;
  /** Which earlier runs answer this request: only a running one, or also one that has answered. */
  answeredBy: 'running' | 'running_or_answered';
  /** Returns the folder for the files of one call, by the id of the run. */
  filesFor(run: string): string | null;
  /** Writes the input files of the command. */
  prepare(files: string | null): void;
}

type BegunRun =
  | { how: 'made'; run: string; start: CarriedStart }
  /** The same request is running, has answered, or was lost together with what it paid for. */
  | { how: 'met'; run: string; standing: CarriedStanding };

/** Appends the flags for the files of the call to `argv`. */
export async function begin(
  folder: string,
  wanted: WantedRun,
  by: ProcessIdentity,
  clock: () => Date,
): Promise<BegunRun> {
  for (;;) {
    const last = lastOf(folder, wanted.name);
    if (last > 0) {
      const run = `${wanted.name}.${last}`;
      const standing = await standingOf(folder, run, clock());
      if (meets(standing, wanted)) return { how: 'met', run, standing };
    }
    const run = `${wanted.name}.${last + 1}`;
    const start = make(folder, run, wanted, by, clock());
    if (start !== null) return { how: 'made', run, start };
  }
}

function meets(standing: CarriedStanding, { what, answeredBy }: WantedRun): boolean {
  if (standing.how === 'running') return true;
  if (answeredBy === 'running' || what === 'run') return false;
  return standing.how === 'lost' || (standing.how === 'ended' && standing.end.exit_code === 0);
}

function lastOf(folder: string, name: string): number {
  const numbers = namesIfAny(folder)
    .filter((each) => each.startsWith(`${name}.`))
    .map((each) => each.slice(name.length + 1))
    .filter((rest) => /^[1-9]\d{0,8}$/.test(rest));
  return Math.max(0, ...numbers.map(Number));
}

/** Returns null if another process used that id first. */
function make(
  folder: string,
  run: string,
  { what, task, tool, asks, argv, filesFor, prepare }: WantedRun,
  by: ProcessIdentity,
  now: Date,
): CarriedStart | null {
  makeFolder(folder);
  const files = filesFor(run);
  const start: CarriedStart = {
    ...{ schema: 1, run_id: run, what, task, tool, asks },
    argv: [...argv, ...(files === null ? [] : filesFlags(files))],
    ...{ files, at: now.toISOString(), by },
  };
  const made = mkdtempSync(path.join(folder, '.new-'));
  publishText(path.join(made, 'start.json'), `${JSON.stringify(start)}\n`);
  prepare(files);
  try {
    renameSync(made, path.join(folder, run));
    return start;
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** In the form that the wrappers accept. */
const filesFlags = (files: string): string[] => [
  `--prompt-file=${path.join(files, 'prompt.md')}`,
  `--out=${path.join(files, 'answer.md')}`,
  `--err=${path.join(files, 'stderr.log')}`,
  `--result=${path.join(files, 'record.json')}`,
];

/** Lists the starts of a project, latest first. */
export function startsIn(folder: string): CarriedStart[] {
  const starts = namesIfAny(folder).flatMap((run) => (RUN_ID.test(run) ? (startOf(folder, run) ?? []) : []));
  return starts.sort((a, b) => (a.at < b.at ? 1 : -1));
}

const KEPT_MS = 7 * 24 * 60 * 60_000;

/** Deletes runs that ended long ago, with their answers. */
export function removeOld(folder: string, now: Date): void {
  for (const { run_id, at, files } of startsIn(folder)) {
    if (now.getTime() - Date.parse(at) < KEPT_MS || endOfRun(folder, run_id) === null) continue;
    if (files !== null) rmSync(files, { recursive: true, force: true });
    rmSync(path.join(folder, run_id), { recursive: true, force: true });
  }
}
