// An answer that is paid for and cannot be written: it is held in memory and tried again, for somebody may free some space.

import { isSystemError } from '../../../state/system-error.ts';
import type { DistillRun } from '../run/distill-run.ts';

const TRIES = 6;
const WAIT_MS = 5000;

/** Throws what the operating system throws in the end. */
export async function keepAtLast(write: () => void, { context, control }: DistillRun): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      write();
      return;
    } catch (error) {
      if (!isSystemError(error) || tries === TRIES || control.asking.aborted) throw error;
      context.tell({
        event: 'noted',
        text: `an answer that is paid for cannot be written (${error.message}); free some space: it is tried again`,
      });
      await context.pause(WAIT_MS, control.asking);
    }
  }
}
