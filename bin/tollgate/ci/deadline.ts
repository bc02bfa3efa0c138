// Stops a run after a duration, as TERM does: the run writes what is known, and the next run continues.

import { pauseFor } from '../../../loops/stage/pauses.ts';
import { wholeDuration } from '../../../policies/facts/duration.ts';
import type { FlagRow } from '../../command-line.ts';

export const DEADLINE_FLAG = {
  takes: 'text',
  about: 'stop after so long (50m, 5h), as by TERM, with everything saved: the next run goes on',
} as const satisfies FlagRow;

interface Deadline {
  /** Aborts on a signal, or at the deadline. */
  stop: AbortSignal;
  /** Stops the timer. */
  close(): void;
}

/**
 * @returns the deadline, or a sentence that says what is wrong with it. @param text as it was given; undefined means no deadline.
 */
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
