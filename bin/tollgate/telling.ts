// How a run tells on stderr what it does.

import { lastEvent, type Underway } from '../../loops/task/last-event.ts';
import type { RunContext } from '../../loops/task/run-context.ts';
import type { Arguments } from '../command-line.ts';
import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';

export interface RunTelling {
  progress: Progress;
  told: Pick<RunContext, 'say' | 'watch'>;
  /** What was said last, and what the CLI did last. */
  present(): string;
}

/** Lines that stay, and on a terminal one that moves: the last of them, and what the CLI did last. */
export function startTelling({ given }: Arguments): RunTelling {
  const detail = given.has('quiet') ? 'problems' : 'all';
  let last = '';
  let underway: Underway | null = null;
  const present = () => [last, underway === null ? null : lastEvent(underway)].filter(Boolean).join('; ');
  const progress = startProgress(printing('stderr'), detail, () => `tollgate: ${present()}`);
  const say = (sentence: string) => {
    last = sentence;
    if (detail === 'all') progress.print(`tollgate: ${sentence}`);
  };
  const watch = (now: Underway | null) => {
    underway = now;
  };
  return { progress, told: { say, watch }, present };
}
