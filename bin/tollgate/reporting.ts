// Reports on stderr what a run does.

import { lastEvent, type Underway } from '../../loops/task/last-event.ts';
import type { RunContext } from '../../loops/task/run-context.ts';
import type { Arguments } from '../command-line.ts';
import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';

export interface RunReporting {
  progress: Progress;
  reporter: Pick<RunContext, 'say' | 'watch'>;
  /** The last message, and the last event of the CLI. */
  present(): string;
}

/** Prints lines that remain. On a terminal, one more line moves: the last message, and the last event of the CLI. */
export function startReporting({ given }: Arguments): RunReporting {
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
  return { progress, reporter: { say, watch }, present };
}
