// Runs a task for a program: like `tollgate run`, with options instead of flags.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTask } from '../loops/run/run.ts';
import { pauseFor } from '../loops/stage/pauses.ts';
import { plainOptions, type RunOptions } from '../loops/task/run-options.ts';
import { areTrustedTasks } from '../state/trusted-folders.ts';
import type { RunTaskOptions, TaskEnd } from './surface.ts';

/** Throws only on an internal error. */
export async function runNamed(
  word: string,
  { cwd = process.cwd(), environment = process.env, signal, say = () => {}, ...chosen }: RunTaskOptions,
): Promise<TaskEnd> {
  const { stop, release } = stoppedWith(signal);
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  const options: RunOptions = { ...plainOptions(), ...Object.fromEntries(given) };
  options.trustWorkspace ||=
    chosen.trustWorkspace === undefined && areTrustedTasks([word], path.resolve(cwd), environment);
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
  return runTask({ word, options, context }).finally(release);
}

/** Aborts with the given signal; `release` removes the listener. */
export function stoppedWith(signal: AbortSignal | undefined): { stop: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  return { stop: controller.signal, release: () => signal?.removeEventListener('abort', abort) };
}
