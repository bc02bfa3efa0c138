// Begins, finds and awaits runs that outlive their requester; their files are where a sandboxed agent cannot write.

import { createHash } from 'node:crypto';
import { linkSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { makeFolder, namesIfAny } from '../../state/disk/folder.ts';
import { readIfFit, readJsonIfFit } from '../../state/disk/regular-file.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import { createFolderWatch } from '../../state/folder-watch.ts';
import { projectState, userState } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';

/** Written before any process is started. */
export interface CarriedStart {
  schema: 1;
  run_id: string;
  what: 'run' | 'ask';
  task: string | null;
  tool: string | null;
  /** Equal for two requests that are the same. */
  asks: string;
  /** The arguments of tollgate for the run. */
  argv: string[];
  /** The folder with the files of one call; null for a run, whose task contains them. */
  files: string | null;
  at: string;
  /** The process that starts it. */
  by: ProcessIdentity;
}

/** Written when the run is over. */
export interface CarriedEnd {
  schema: 1;
  at: string;
  exit_code: number;
  /** What the command printed with --json. For a call, its answer is beside it. */
  object: Record<string, unknown>;
}

export const RUN_ID = /^(?:run|ask)\.[A-Za-z0-9_][A-Za-z0-9._-]{0,180}\.[1-9]\d{0,8}$/;

/** Returns the folder of a project. Throws a sentence for a user without a home. */
export function carriedFolder(cwd: string, environment: NodeJS.ProcessEnv): string {
  const state = userState(environment);
  if (state === null)
    throw new Error('a run is kept in the state of its user: set HOME, or XDG_STATE_HOME, to a folder that is there');
  const project = createHash('sha256')
    .update(path.resolve(projectState(cwd, environment)))
    .digest('hex')
    .slice(0, 16);
  return path.join(state, 'mcp', project);
}

export const startOf = (folder: string, run: string): CarriedStart | null =>
  readJsonIfFit<CarriedStart>(path.join(folder, run, 'start.json'));

export const claimOf = (folder: string, run: string): ProcessIdentity | null =>
  readJsonIfFit<ProcessIdentity>(path.join(folder, run, 'claim.json'));

const endFileOf = (folder: string, run: string): string => path.join(folder, run, 'end.json');

export const endOfRun = (folder: string, run: string): CarriedEnd | null =>
  readJsonIfFit<CarriedEnd>(endFileOf(folder, run));

/** The file with the command's messages on stderr. */
export const sayingsOf = (folder: string, run: string): string => path.join(folder, run, 'say.log');

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
  | { how: 'added'; run: string; start: CarriedStart }
  /** The same request is running, has answered, or was lost together with what it paid for. */
  | { how: 'found'; run: string; standing: CarriedStanding };

/** Finds the same earlier request, or writes a new run's start file in one step. Adds the call's flags to `argv`. */
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
      if (meets(standing, wanted)) return { how: 'found', run, standing };
    }
    const run = `${wanted.name}.${last + 1}`;
    const start = make(folder, run, wanted, by, clock());
    if (start !== null) return { how: 'added', run, start };
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

/** Claims the run for one process only. The owner carries it out, or reports that no process will. */
export function claim(folder: string, run: string, self: ProcessIdentity): boolean {
  const own = path.join(folder, run, `claim-${self.pid}-${self.start_time}.json`);
  publishText(own, JSON.stringify(self));
  try {
    linkSync(own, path.join(folder, run, 'claim.json'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

export const end = (folder: string, run: string, ended: CarriedEnd): void =>
  publishText(endFileOf(folder, run), `${JSON.stringify(ended)}\n`);

/** The end of a run that no process carried out. */
export const notBegun = (now: Date, why: string): CarriedEnd => ({
  ...{ schema: 1, at: now.toISOString(), exit_code: 1 },
  object: {
    state: 'refused',
    message: `it was not begun, and nothing was paid: ${why}`,
    class: 'transient',
    reason: null,
  },
});

export type CarriedStanding =
  | { how: 'unknown' }
  | { how: 'running'; start: CarriedStart; pid: number | null }
  | { how: 'ended'; start: CarriedStart; end: CarriedEnd }
  /** Its process was killed, and its files do not show how it ended. */
  | { how: 'lost'; start: CarriedStart };

/** The time after which no process will take up a run, if the server that began it is gone. */
const TAKEN_UP_MS = 20_000;

/** A lost call counts as ended if a sweep has settled it meanwhile. */
export async function standingOf(folder: string, run: string, now: Date): Promise<CarriedStanding> {
  const start = startOf(folder, run);
  if (start === null) return { how: 'unknown' };
  const ended = endOfRun(folder, run);
  if (ended !== null) return { how: 'ended', start, end: ended };
  const self = (await identify(process.pid))!;
  const carrier = claimOf(folder, run);
  if (carrier === null) {
    const isDue = now.getTime() - Date.parse(start.at) > TAKEN_UP_MS && (await isAlive(start.by, self)) === 'dead';
    if (!isDue || !claim(folder, run, self)) return { how: 'running', start, pid: null };
    end(folder, run, notBegun(now, 'the server that began it has gone'));
    return standingOf(folder, run, now);
  }
  if ((await isAlive(carrier, self)) !== 'dead') return { how: 'running', start, pid: carrier.pid };
  // It may have ended between the two checks.
  const late = endOfRun(folder, run) ?? settledEnd(start);
  return late === null ? { how: 'lost', start } : { how: 'ended', start, end: late };
}

/** Uses the record that a sweep published instead of the wrapper. */
function settledEnd({ what, files, at }: CarriedStart): CarriedEnd | null {
  if (what !== 'ask' || files === null) return null;
  const record = readJsonIfFit<CallRecord>(path.join(files, 'record.json'));
  if (record === null) return null;
  const answer = record.verdict.class === null ? (readIfFit(path.join(files, 'answer.md')) ?? '') : '';
  return { schema: 1, at, exit_code: record.wrapper_exit_code, object: { ...record, answer } };
}

interface Waiting {
  folder: string;
  run: string;
  atMostMs: number;
  /** Aborted when the caller no longer waits. */
  stop: AbortSignal;
  /** Called every few seconds while the run continues. */
  tick(elapsedMs: number): void;
}

/** The interval of checks; the death of a process raises no event. */
const LOOK_MS = 1000;

/** Returns the final state, or 'running' if the time was over first. */
export async function awaitEnd({ folder, run, atMostMs, stop, tick }: Waiting): Promise<CarriedStanding> {
  const began = performance.now();
  const watch = createFolderWatch();
  try {
    watch.keep(new Set([path.join(folder, run)]));
    for (;;) {
      watch.take();
      const standing = await standingOf(folder, run, new Date());
      const elapsedMs = performance.now() - began;
      if (standing.how !== 'running' || stop.aborted || elapsedMs >= atMostMs) return standing;
      tick(elapsedMs);
      await watch.change(Math.min(LOOK_MS, atMostMs - elapsedMs), stop);
    }
  } finally {
    watch.close();
  }
}

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
