// The failure of a run in which every stage is done, and whose caller does not take a verdict of FAIL for a success.

import { gateSignature } from '../../policies/gate/verdict.ts';
import { VERDICT_FAIL } from '../../policies/gate/verdict-said.ts';
import type { Failure } from '../../policies/task-failure.ts';
import { EMPTY_FAILURE } from './failure.ts';
import type { StageReport } from './report.ts';
import type { OpenTask } from './task.ts';

/** null where no verdict is FAIL. */
export function verdictFailure({ task }: OpenTask, stages: readonly StageReport[], at: Date): Failure | null {
  const bad = stages.filter(({ verdict }) => verdict === 'FAIL');
  const [first] = bad;
  if (first === undefined) return null;
  const names = bad.map(({ stage }) => stage).join(', ');
  const text = `the verdict of ${names} is FAIL`;
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    stage: first.stage,
    tool: first.tool,
    at: at.toISOString(),
    class: 'contract_violation',
    reason: 'verdict_fail',
    signature: first.tool === null ? null : gateSignature(first.tool, [VERDICT_FAIL]),
    evidence: { source: 'gate', text, rule: 'gate-verdict' },
    decision: {
      action: 'stop',
      why: 'every stage is done, and --fail-on-verdict takes a verdict of FAIL for a failure',
    },
    next_actions: [
      ...bad.map(
        ({ stage, answer }) =>
          `read the findings of ${stage}${answer === null ? '' : ` in ${answer}`}, and mend what they name`,
      ),
      `then have it judged again: tollgate run ${task.id} ${bad.map(({ stage }) => `--redo ${stage}`).join(' ')} (${bad.length === 1 ? 'one paid call' : `${bad.length} paid calls`})`,
    ],
    files: first.answer === null ? {} : { out: first.answer },
  };
}
