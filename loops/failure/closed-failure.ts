// The failure of a stage whose task was changed by the agent of another one before it was asked.

import type { Failure } from '../../policies/record/task-failure.ts';
import type { StageRun } from '../task/stage-run.ts';
import { unpreparedFailure } from './failure.ts';

/** @param why what changed, and in whose call. */
export function changedByOthersFailure(run: StageRun, why: string): Failure {
  const { task } = run.open;
  return {
    ...unpreparedFailure(run, why),
    class: 'scope_violation',
    reason: 'judge_changed',
    evidence: { source: 'none', text: why, rule: 'changed-by-another-task' },
    decision: { action: 'stop', why: 'its files were changed while the agent of another task ran' },
    next_actions: [`look at ${task.root}`, `tollgate run ${task.id} --accept-changes`],
  };
}
