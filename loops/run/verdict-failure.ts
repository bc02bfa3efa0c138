// Builds the failure of a run whose stages are all done, if its caller accepts only a verdict of PASS as a success.

import { goOnLine, toDo, toType } from '../../policies/facts/next-action.ts';
import { owesVerdict, VERDICT_FAIL, verdictMissing, verdictPlace } from '../../policies/gate/answer-verdict.ts';
import { gateSignature } from '../../policies/gate/gate-verdict.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { EMPTY_FAILURE } from '../task/failure.ts';
import type { OpenTask } from '../task/task.ts';
import type { StageReport } from './report.ts';

/** @returns null if no verdict is FAIL, and no required verdict is missing. */
export async function verdictFailure(
  { task, called, plans }: OpenTask,
  stages: readonly StageReport[],
  at: Date,
): Promise<Failure | null> {
  const owing = new Set(plans.filter(owesVerdict).map(({ stage }) => stage.name));
  const placeIn = ({ stage }: StageReport) =>
    verdictPlace(plans.find((plan) => plan.stage.name === stage)?.stage ?? {});
  const failed = stages.filter(({ verdict }) => verdict === 'FAIL');
  const silent = stages.filter(({ stage, verdict }) => verdict === null && owing.has(stage));
  const bad = [...failed, ...silent];
  const [first] = bad;
  if (first === undefined) return null;
  const finding = failed.length > 0 ? VERDICT_FAIL : verdictMissing();
  const text = [
    ...(failed.length === 0 ? [] : [`the verdict of ${namesOf(failed)} is FAIL`]),
    ...(silent.length === 0 ? [] : [`no verdict of ${namesOf(silent)} is recorded, neither PASS nor FAIL`]),
  ].join('; ');
  return {
    ...EMPTY_FAILURE,
    task_id: task.id,
    stage: first.stage,
    tool: first.tool,
    at: at.toISOString(),
    class: finding.class,
    reason: finding.reason,
    signature: first.tool === null ? null : gateSignature(first.tool, [finding]),
    evidence: { source: 'gate', text, rule: 'gate-verdict' },
    decision: {
      action: 'stop',
      why: `every stage is done, and --fail-on-verdict takes ${failed.length > 0 ? 'a verdict of FAIL' : 'a verdict that is missing'} for a failure`,
    },
    next_actions: [
      ...failed.map((one) => toDo(`read the findings of ${one.stage}${inFile(one)}, and fix what they name`)),
      ...silent.map((one) =>
        toDo(`read the answer of ${one.stage}${inFile(one)}: it must say PASS or FAIL ${placeIn(one)}`),
      ),
      toType(
        `then have it judged again, for ${bad.length === 1 ? 'one paid call' : `${bad.length} paid calls`}`,
        goOnLine(called, ...bad.map(({ stage }) => `--redo ${stage}`)),
        'pays',
      ),
    ],
    files: first.answer === null ? {} : { out: first.answer },
  };
}

const namesOf = (stages: readonly StageReport[]): string => stages.map(({ stage }) => stage).join(', ');

const inFile = ({ answer }: StageReport): string => (answer === null ? '' : ` in ${answer}`);
