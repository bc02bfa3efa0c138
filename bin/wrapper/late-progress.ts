// A line of progress for a command whose every millisecond counts: nothing of it is loaded before two seconds have passed.

import type { Progress } from '../progress-line.ts';

/** @param say what is being waited for; shown on a terminal only. */
export function lateProgress(say: string): { stop(): void } {
  const began = process.uptime();
  let progress: Progress | null = null;
  let over = false;
  const timer = setTimeout(async () => {
    const [{ startProgress }, { printing }] = await Promise.all([
      import('../progress-line.ts'),
      import('../printing.ts'),
    ]);
    if (!over)
      progress = startProgress(
        printing('stderr'),
        'all',
        () => say,
        performance.now() - (process.uptime() - began) * 1000,
      );
  }, AFTER_MS).unref();
  return {
    stop() {
      over = true;
      clearTimeout(timer);
      progress?.stop();
    },
  };
}

const AFTER_MS = 2000;
