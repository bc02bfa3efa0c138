// Shows one live line on a terminal while a call runs: the CLI, what it does, its tokens, its cost, and the time.

import { wordsFor } from '../../loops/task/last-event.ts';
import type { EngineEvent } from '../../policies/facts/engine-event.ts';
import type { Capture } from '../../wrappers/capture.ts';
import { printing } from '../printing.ts';
import { type Progress, startProgress } from '../progress-line.ts';

interface LiveLine {
  watch(event: EngineEvent, capture: () => Capture): void;
  stop(): void;
}

/** The line appears two seconds after the start, so a short call shows none. null: stderr is no terminal. */
export function startLiveLine(name: string, tool: string): LiveLine | null {
  const stream = printing('stderr');
  if (stream.isTTY !== true) return null;
  let action = 'works';
  let used = () => '';
  const progress: Progress = startProgress(stream, 'all', () => `${name}: ${tool} ${action}${used()}`);
  return {
    watch(event, capture) {
      action = wordsFor(event) ?? action;
      used = () => usedWords(capture());
    },
    stop: progress.stop,
  };
}

/** Says nothing about a figure that the CLI has not reported yet. */
function usedWords({ usage: { total_tokens: tokens, usd } }: Capture): string {
  const counted = tokens === null ? '' : `, ${tokens.toLocaleString('en')} tokens`;
  return `${counted}${usd === null ? '' : `, $${usd.toFixed(2)}`}`;
}
