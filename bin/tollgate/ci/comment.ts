// Renders a run as a comment of a pull or merge request: for a step's output, and for the file of --comment.

import path from 'node:path';
import type { RanTask } from '../../../loops/run/owned-run.ts';
import type { RunReport } from '../../../loops/run/report.ts';
import type { WrittenReport } from '../../../loops/run/write-report.ts';
import { mapAction } from '../../../policies/facts/next-action.ts';
import { commentText } from '../../../policies/report/inert-text.ts';
import { readIfFit } from '../../../state/disk/regular-file.ts';
import { replaceText } from '../../../state/disk/replace-file.ts';
import type { Ran } from '../../ran.ts';

/**
 * A service shows the comment to others, so it contains no secret and no path of this machine. The answer itself is not changed.
 */
export function commentOf({ report, post }: Pick<WrittenReport, 'report' | 'post'>): string {
  const { task_id, state, failure, next_actions } = report;
  const last = answeredLast(report);
  const answer = (last && readIfFit(last.answer!)) ?? '';
  return commentText({
    task_id,
    state,
    failure,
    next_actions: next_actions.map((action) => mapAction(action, post)),
    answer: post(answer),
    checked_earlier: last?.checked_by === 'earlier_run' ? last.checked_at : null,
  });
}

/** A reasoner's last message says that the task is done, so the answer is the worker's. */
export function answeredLast({ stages, supervision }: RunReport): RunReport['stages'][number] | null {
  const candidates = supervision === undefined ? stages : stages.filter(({ stage }) => stage === 'worker');
  return candidates.findLast(({ answer }) => answer !== null) ?? null;
}

/** A refused run writes no comment. An error here does not change how the run ended. */
export function withComment(file: string | undefined, ran: RanTask, answer: Ran): Ran {
  if (file === undefined || !('report' in ran)) return answer;
  try {
    replaceText(path.resolve(file), `${commentOf(ran)}\n`);
    return answer;
  } catch (error) {
    return { ...answer, err: `${answer.err ?? ''}tollgate run: --comment: ${(error as Error).message}\n` };
  }
}
