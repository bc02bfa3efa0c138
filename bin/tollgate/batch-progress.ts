// Shows the progress of a batch: one moving line on a terminal, elsewhere a plain line for each ended task.

import type { BatchProgress } from '../../loops/batch/request.ts';
import type { BatchRow } from '../../loops/batch/row.ts';
import { printing } from '../printing.ts';
import { startProgress } from '../progress-line.ts';

interface BatchReporting {
  tell(progress: BatchProgress): void;
  /** A message about the whole batch, such as a failed notification of its end. */
  say(sentence: string): void;
  stop(): void;
}

export function startBatchProgress(detail: 'all' | 'problems'): BatchReporting {
  const stream = printing('stderr');
  let last: BatchProgress | null = null;
  const line = startProgress(stream, detail, () => (last === null ? 'looking at the tasks' : movingLine(last)));
  return {
    tell(progress) {
      last = progress;
      const { row } = progress;
      // On a terminal, only problems get a line that remains.
      if (row !== null && detail === 'all' && (stream.isTTY !== true || row.state !== 'done'))
        line.print(`tollgate: ${endedLine(row, progress)}`);
    },
    say(sentence) {
      if (detail === 'all') line.print(`tollgate: ${sentence}`);
    },
    stop: () => line.stop(),
  };
}

function movingLine({ done, failed, active, total, calls, running }: BatchProgress): string {
  const tools = Object.entries(running).flatMap(([tool, count]) => (count ? [`${tool} ${count}`] : []));
  const now = tools.length === 0 ? '' : ` (${tools.join(', ')})`;
  return `tollgate: ${done} done, ${failed} failed, ${active} at work${now} of ${total}; ${calls} paid calls`;
}

function endedLine(row: BatchRow, { done, failed, total }: BatchProgress): string {
  const why =
    row.class === null
      ? (row.message?.split('\n')[0] ?? null)
      : `${row.failed_stage ?? 'the start'}, ${row.class} (${row.reason})`;
  return `${row.task_id}: ${row.state}${why === null ? '' : `: ${why}`} [${done + failed} of ${total}]`;
}
