// The end of a run that cannot settle a call which an earlier one left: it runs where it cannot be looked up.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { callElsewhere } from '../../policies/next-actions/passing.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import { interruptedFailure } from '../failure/failure.ts';
import type { OpenTask } from '../task/task.ts';
import type { EndedRun } from './write-report.ts';

export const foreignEnd = (open: OpenTask, why: string, at: Date): EndedRun => ({
  state: 'failed',
  exitCode: TOLLGATE_EXIT.failure,
  stages: [],
  failure: foreignFailure(open, why, at),
  notes: [],
});

function foreignFailure(open: OpenTask, why: string, at: Date): Failure {
  return {
    ...interruptedFailure(open, null, 'a call elsewhere', TOLLGATE_EXIT.failure, at),
    reason: 'call_elsewhere',
    evidence: { source: 'none', text: why, rule: 'call-runs-elsewhere' },
    decision: { action: 'stop', why },
    next_actions: callElsewhere(open.called),
  };
}
