// Runs a task for a program, with options instead of flags, and reads the state of a task.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusalInCall } from '../loops/report/calling-call.ts';
import { readFailure, readRow } from '../loops/report/task-row.ts';
import { runTask } from '../loops/run/run.ts';
import { pauseFor } from '../loops/stage/pauses.ts';
import type { RunRequest } from '../loops/task/run-context.ts';
import { plainOptions, type RunOptions } from '../loops/task/run-options.ts';
import { readRegularOrNull } from '../state/disk/regular-file.ts';
import { openJournal } from '../state/journal/journal.ts';
import { missingTask } from '../state/missing-task.ts';
import { locateTask } from '../state/task-folder.ts';
import { areTrustedTasks } from '../state/trusted-folders.ts';
import { identify } from '../wrappers/processes/identity.ts';
import type { AnyRunOptions, RunTaskOptions, TaskEnd, TaskStanding, Whereabouts } from './surface.ts';

/** Throws only on an internal error. */
export const runNamed = (word: string, options: RunTaskOptions): Promise<TaskEnd> => inRun(word, options, runTask);

/** @param run what the command does with the options that its flags would set. */
export async function inRun<End>(
  word: string,
  { cwd = process.cwd(), environment = process.env, signal, say = () => {}, ...chosen }: AnyRunOptions,
  run: (request: RunRequest) => Promise<End>,
): Promise<End | { how: 'invalid'; message: string }> {
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  const options: RunOptions = { ...plainOptions(), ...Object.fromEntries(given) };
  options.trustWorkspace ||=
    chosen.trustWorkspace === undefined && areTrustedTasks([word], path.resolve(cwd), environment);
  const within = options.otherChanges === 'accepted' ? await refusalInCall('accept what was changed', LOOSENS) : null;
  if (within !== null) return { how: 'invalid', message: within };
  const { stop, release } = stoppedWith(signal);
  const context = {
    cwd: path.resolve(cwd),
    environment,
    // The wrappers are in the folder of this bundle.
    commandFolder: path.dirname(fileURLToPath(import.meta.url)),
    stop,
    clock: () => new Date(),
    random: Math.random,
    pause: pauseFor,
    say,
    watch: () => {},
  };
  return run({ word, options, context }).finally(release);
}

export const LOOSENS = async (): Promise<boolean> => true;

/** Aborts with the given signal; `release` removes the listener. */
export function stoppedWith(signal: AbortSignal | undefined): { stop: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  return { stop: controller.signal, release: () => signal?.removeEventListener('abort', abort) };
}

/** Reads only; reports state that cannot be read. */
export async function standingOf(
  word: string,
  { cwd = process.cwd(), environment = process.env }: Whereabouts,
): Promise<TaskStanding> {
  const located = locateTask(word, path.resolve(cwd), environment);
  if (located.how === 'invalid') return located;
  const { folder } = located;
  if (folder.manifest === null) return { how: 'invalid', message: missingTask(folder.root) };
  const shown = { isShown: () => true, stages: 'left_out' } as const;
  const journal = openJournal(folder.root, () => new Date()).read;
  const read = await readRow(folder, journal, (await identify(process.pid))!, environment, shown);
  if (read.how === 'unreadable') return { how: 'invalid', message: read.message };
  if (read.problem !== null) return { how: 'invalid', message: read.problem };
  const { task_id, state, at, calls, next_action } = read.row!;
  const summary = readRegularOrNull(path.join(folder.outputs, '_summary.md'));
  return {
    ...{ how: 'read', task_id, folder: folder.root, state, at, calls, next_action, summary },
    failure: readFailure(folder),
  };
}
