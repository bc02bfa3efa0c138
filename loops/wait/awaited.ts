// One thing that is waited for: the files that may settle it, and a look at them.

import type { IsAbsent } from './absence.ts';
import type { WaitOutcome } from './outcome.ts';

export interface Awaited {
  label: string;
  /** A file that comes or changes here is worth a look; it need not exist, nor its folder. */
  files: readonly string[];
  /** Cheap, and never throws for what it may meet. The last look takes what is there. @param isAbsent of a round of looks at many. */
  look(when?: 'now' | 'at_last', isAbsent?: IsAbsent): AwaitedLook;
  /** What has not come, for whoever waited in vain. */
  lacking: string;
}

export type AwaitedLook =
  | { how: 'settled'; outcome: WaitOutcome }
  /** Worth another look on a change alone, or after `POLL_MS` too: a process was asked, or a writer is at it. */
  | { how: 'pending'; next: 'on_change' | 'by_the_clock' };

export const settled = (outcome: WaitOutcome): AwaitedLook => ({ how: 'settled', outcome });
export const pending = (next: 'on_change' | 'by_the_clock'): AwaitedLook => ({ how: 'pending', next });
