// One thing that is waited for: the files that may settle it, and a look at them.

import type { WaitOutcome } from './outcome.ts';

export interface Awaited {
  label: string;
  /** A file that comes or changes here is worth a look; it need not exist, nor its folder. */
  files: readonly string[];
  /** Cheap, and never throws for what it may meet. The last look takes what is there. */
  look(when?: 'now' | 'at_last'): AwaitedLook;
  /** What has not come, for whoever waited in vain. */
  lacking: string;
}

export type AwaitedLook =
  | { how: 'settled'; outcome: WaitOutcome }
  /** Worth another look on a change alone, or after `POLL_MS` too: a process was asked, or a writer is at it. */
  | { how: 'pending'; next: 'on_change' | 'by_the_clock' };

export const settled = (outcome: WaitOutcome): AwaitedLook => ({ how: 'settled', outcome });
export const pending = (next: 'on_change' | 'by_the_clock'): AwaitedLook => ({ how: 'pending', next });
