// What a wait looks at, and how the wait for one task ended.

/** One call or task that is waited for. */
export interface Awaited {
  label: string;
  /** A change of one of these files is worth a look. Neither the file nor its folder need exist. */
  files: readonly string[];
  /** Cheap. It never throws because of what it finds. The last look accepts what is there. */
  look(when?: 'now' | 'at_last'): AwaitedLook;
  /** What is missing, for the message of a wait that timed out. */
  lacking: string;
}

export type AwaitedLook =
  | { how: 'settled'; outcome: WaitOutcome }
  /** Look again on a change only, or also by the clock: a process has to end, or a writer to finish. */
  | { how: 'pending'; next: 'on_change' | 'by_the_clock' };

export const settled = (outcome: WaitOutcome): AwaitedLook => ({ how: 'settled', outcome });
export const pending = (next: 'on_change' | 'by_the_clock'): AwaitedLook => ({ how: 'pending', next });

/** A marker, or the end of a run, that was there before the wait began. */
interface Earlier {
  /** The call or the run; null where the marker does not name it. */
  callId: string | null;
  /** ISO time. */
  at: string;
}

export type WaitOutcome =
  | { how: 'done'; earlier?: Earlier }
  /** Its process has ended, and no done marker was named. */
  | { how: 'gone'; pid: number }
  | { how: 'failed'; exitCode: number; class: string | null; reason: string | null; earlier?: Earlier }
  | { how: 'died'; pid: number; without: string }
  | { how: 'too_short'; out: string; lines: number; wanted: number }
  | { how: 'garbled'; message: string }
  | { how: 'timed_out'; afterMs: number; without: string }
  /** The wait ended before this task did. */
  | { how: 'unsettled' };

export type WaitStatus = 'done' | 'failed' | 'timed_out' | 'left';

/** What the report calls each outcome. */
export const STATUS = {
  done: 'done',
  gone: 'done',
  failed: 'failed',
  died: 'failed',
  too_short: 'failed',
  garbled: 'failed',
  timed_out: 'timed_out',
  unsettled: 'left',
} as const satisfies Record<WaitOutcome['how'], WaitStatus>;

/** The text after the task's name. */
export function describe(outcome: WaitOutcome): string {
  switch (outcome.how) {
    case 'done':
      return `done${earlierWords(outcome.earlier)}`;
    case 'gone':
      return `done: process ${outcome.pid} has ended (no done marker was named, so its success is not known)`;
    case 'failed': {
      const why = [outcome.class, outcome.reason].filter((word) => word !== null).join(', ');
      return `failed with exit code ${outcome.exitCode}${why === '' ? '' : `: ${why}`}${earlierWords(outcome.earlier)}`;
    }
    case 'died':
      return `failed: process ${outcome.pid} is gone, and there is no ${outcome.without}`;
    case 'too_short':
      return `failed: ${outcome.out} has ${outcome.lines} of the ${outcome.wanted} lines wanted`;
    case 'garbled':
      return `failed: ${outcome.message}`;
    case 'timed_out':
      return `timed out after ${outcome.afterMs} ms: there is no ${outcome.without}`;
    case 'unsettled':
      return 'still waiting';
  }
}

/** Files cannot show whether a marker is of this caller's call or of an earlier one, so the text says how old it is. */
function earlierWords(earlier: Earlier | undefined): string {
  if (earlier === undefined) return '';
  return ` (since ${earlier.at}, before this wait began${earlier.callId === null ? '' : `: ${earlier.callId}`})`;
}
