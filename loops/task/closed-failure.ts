// Makes the failure of a stage whose task was changed by another task's agent before the call.

import { goOnLine, toDo, toType } from '../../policies/facts/next-action.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { unpreparedFailure } from './failure.ts';
import type { StageRun } from './stage-run.ts';

/** @param why what changed, and in which call. */
export function changedByOthersFailure(run: StageRun, why: string): Failure {
  const { task, called } = run.open;
  return {
    ...unpreparedFailure(run, why),
    class: 'scope_violation',
    reason: 'judge_changed',
    evidence: { source: 'none', text: why, rule: 'changed-by-another-task' },
    decision: { action: 'stop', why: 'its files were changed while the agent of another task ran' },
    next_actions: [
      toDo(`look at what was changed in ${task.root}`),
      toType('then go on with the files as they are', goOnLine(called, '--accept-changes'), 'pays'),
    ],
  };
}
