// Shows a line of progress for a call that takes longer than two seconds.

import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';

/** @param say what the command waits for; shown on a terminal only. */
export function lateProgress(say: string): { stop(): void } {
  const began = process.uptime();
  let progress: Progress | null = null;
  const timer = setTimeout(() => {
    const beganMs = performance.now() - (process.uptime() - began) * 1000;
    progress = startProgress(printing('stderr'), 'all', () => say, beganMs);
  }, AFTER_MS).unref();
  return {
    stop() {
      clearTimeout(timer);
      progress?.stop();
    },
  };
}

const AFTER_MS = 2000;
