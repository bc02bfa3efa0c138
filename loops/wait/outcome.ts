// How the wait for one task ended.

/** A marker, or the end of a run, that was there before the wait began: whose it is, and since when. */
interface Earlier {
  /** The call or the run; null where the marker does not tell. */
  callId: string | null;
  /** ISO time. */
  at: string;
}

export type WaitOutcome =
  | { how: 'done'; earlier?: Earlier }
  /** Its process is gone, and no marker was named that could tell more. */
  | { how: 'gone'; pid: number }
  | { how: 'failed'; exitCode: number; class: string | null; reason: string | null; earlier?: Earlier }
  | { how: 'died'; pid: number; without: string }
  | { how: 'too_short'; out: string; lines: number; wanted: number }
  | { how: 'garbled'; message: string }
  | { how: 'timed_out'; afterMs: number; without: string }
  /** Another task failed, and nobody waited on. */
  | { how: 'left' };

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
  left: 'left',
} as const satisfies Record<WaitOutcome['how'], WaitStatus>;

/** What a person reads behind the task's name. */
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
    case 'left':
      return 'left waiting';
  }
}

/** That it is this caller's call, and not one before it, is more than files can tell. */
function earlierWords(earlier: Earlier | undefined): string {
  if (earlier === undefined) return '';
  return ` (since ${earlier.at}, before this wait began${earlier.callId === null ? '' : `: ${earlier.callId}`})`;
}
