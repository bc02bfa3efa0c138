// Calls one part of an iteration like any stage: with its prompt, its turn on the tree, its attempts and its gate.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { stageRunOf } from '../run/stage-run-of.ts';
import { reportOf } from '../run/stages.ts';
import { withTreeLock } from '../run/with-tree-lock.ts';
import { attempts } from '../stage/attempts.ts';
import { type Baseline, closeBaseline, openBaseline } from '../stage/baseline.ts';
import { paidAnswer } from '../stage/dispatch-call.ts';
import { gateAnswer } from '../stage/stage-gate.ts';
import { tooLargeFailure, unpreparedFailure } from '../task/failure.ts';
import { composePrompt, type Prompt, writePrompt } from '../task/prompt.ts';
import type { StageEnd, StageRun, TaskRun } from '../task/stage-run.ts';
import { interruptedBy, leftWith, type PartRequest, type StepEnd, type SuperviseCourse } from './course.ts';

export async function askPart(course: SuperviseCourse, task: TaskRun, request: PartRequest): Promise<StepEnd> {
  const { part, iteration, supervision, text } = request;
  const turn = { text, identity: `supervise ${supervision} ${iteration} ${part}` };
  const run: StageRun = { ...stageRunOf(task, course.plans[part], course.endsAtMs), turn };
  const composed = await composePrompt(run, run, run.open.manifest.context.digest_policy);
  if (run.context.stop.aborted) return interruptedBy('stopped before its call');
  if (composed.how === 'invalid')
    return leftWith({ ...unpreparedFailure(run, composed.message), exit_code: TOLLGATE_EXIT.failure });
  const { prompt } = composed;
  if (prompt.tooLarge !== null) return leftWith(tooLargeFailure(run, prompt));
  const before = request.before?.(run, prompt) ?? null;
  if (before !== null) return before;
  await writePrompt(composed);
  const worked = await withTreeLock(run, () => inItsTurn(course, run, prompt, request));
  return worked.how === 'stopped' ? interruptedBy('stopped while it waited for its turn') : worked.result;
}

async function inItsTurn(
  course: SuperviseCourse,
  run: StageRun,
  prompt: Prompt,
  { part, after }: PartRequest,
): Promise<StepEnd> {
  const baseline = await openBaseline(run, 'none');
  if (baseline !== null && 'how' in baseline) return leftWith(unpreparedFailure(run, baseline.message));
  let noted = false;
  try {
    const end = await answered(run, prompt, baseline);
    course.reports[part] = reportOf(run.open, course.plans[part], end);
    const outcome = await after({ run, prompt, end });
    noted = outcome.noted;
    return outcome.step;
  } finally {
    await closeBaseline(run, baseline, noted ? 'done' : 'open');
  }
}

/** Checks an answer that was paid for already, instead of calling the part again. */
function answered(run: StageRun, prompt: Prompt, baseline: Baseline | null): Promise<StageEnd> {
  const paid = paidAnswer(run, prompt);
  if (paid === null) return attempts(run, prompt, baseline);
  const answering = { ...run, stage: { ...run.stage, tool: paid.tool } };
  return gateAnswer(answering, paid, prompt, baseline, 0, run.tampered.get(paid.call_id) ?? null);
}
