// Reports once that the command waits for a session. On a terminal, also shows how long it has waited.

import type { Arguments } from '../command-line.ts';
import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';

export function waitingSay(command: string, { given }: Arguments): { say(what: string): void; stop(): void } {
  let progress: Progress | null = null;
  return {
    say(what) {
      if (given.has('quiet')) return;
      progress = startProgress(printing('stderr'), 'all', () => `${command}: waiting`);
      progress.print(`${command}: ${what}`);
    },
    stop: () => progress?.stop(),
  };
}
