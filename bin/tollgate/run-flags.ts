// Converts the flags of a run, alone or in a batch, into options, and stops a run at its deadline.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pauseFor } from '../../loops/stage/pauses.ts';
import type { RunContext } from '../../loops/task/run-context.ts';
import { RUN_FLAGS, type RunOptions } from '../../loops/task/run-options.ts';
import { wholeDuration } from '../../policies/facts/duration.ts';
import { areTrustedTasks } from '../../state/trusted-folders.ts';
import type { Arguments, FlagRow } from '../command-line.ts';

/** @returns the options, or what is wrong with them. @param tasks ids or paths, maybe of another project. */
export function optionsOf({ text, texts, given, words }: Arguments, tasks = words): RunOptions | string {
  if (given.has('redo-all') && given.has('keep-all'))
    return '--redo-all and --keep-all contradict each other; say one of them, and --keep STAGE or --redo STAGE for the others';
  const pays =
    given.has('recheck') && (['redo', 'keep', 'redo-all', 'keep-all'] as const).find((flag) => given.has(flag));
  if (pays)
    return `--recheck and --${pays} contradict each other: --recheck pays for nothing, and keeps each answer; say one of them`;
  const options: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(RUN_FLAGS)) {
    const { option } = row;
    if ('without' in row) options[option] = given.has(name) ? row.given : (options[option] ?? row.without);
    else if ('reads' in row) {
      const forMs = text[name] === undefined ? 0 : wholeDuration(text[name]);
      if (forMs === null) return `--${name} takes a duration such as 30m, 5h or 2d, not "${text[name]}"`;
      options[option] = forMs;
    } else options[option] = row.takes === 'texts' ? (texts[name] ?? []) : text[name];
  }
  options.trustWorkspace ||= areTrustedTasks(tasks, process.cwd(), process.env);
  return options as RunOptions;
}

/** Returns the context of a run that a user starts. @param reporter how the user is notified. */
export const contextOf = (stop: AbortSignal, reporter: Pick<RunContext, 'say' | 'watch'> = SILENT): RunContext => ({
  cwd: process.cwd(),
  environment: process.env,
  // In the folder of this file, however the command was found: npm puts a link to it elsewhere.
  commandFolder: path.dirname(fileURLToPath(import.meta.url)),
  stop,
  clock: () => new Date(),
  random: Math.random,
  pause: pauseFor,
  ...reporter,
});

const SILENT = { say: () => {}, watch: () => {} };

export function flagsOf({ text, texts, given }: Arguments): string[] {
  return Object.keys(RUN_FLAGS).flatMap((name) => {
    if (!given.has(name)) return [];
    const values = texts[name] ?? (text[name] === undefined ? [] : [text[name]]);
    return values.length === 0 ? [`--${name}`] : values.map((value) => `--${name}=${value}`);
  });
}

export const DEADLINE_FLAG = {
  takes: 'text',
  about: 'stop after this time (50m, 5h), as TERM would; the next run continues',
} as const satisfies FlagRow;

interface Deadline {
  /** Aborts on a signal, or at the deadline. */
  stop: AbortSignal;
  /** Stops the timer. */
  close(): void;
}

/** @returns the deadline, or what is wrong with it. @param text as it was given; undefined means no deadline. */
export function deadlineOf(text: string | undefined, signals: AbortSignal): Deadline | string {
  if (text === undefined) return { stop: signals, close: () => {} };
  const ms = wholeDuration(text);
  if (ms === null || ms <= 0) return `--deadline takes a duration such as 50m or 5h, not "${text}"`;
  const late = new AbortController();
  const over = new AbortController();
  void pauseFor(ms, AbortSignal.any([signals, over.signal])).then(() => {
    if (!signals.aborted && !over.signal.aborted) late.abort(`its deadline (--deadline ${text})`);
  });
  return { stop: AbortSignal.any([signals, late.signal]), close: () => over.abort() };
}
