// Checks an accepted answer of a stage again on the current tree: nothing is paid.

import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { goOnLine } from '../../policies/facts/next-action.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { findRecord } from '../../state/usage.ts';
import { closedBy } from '../guard/enter-task.ts';
import { gateAnswer } from '../stage/stage-gate.ts';
import { changedByOthersFailure, unpreparedFailure } from '../task/failure.ts';
import { acceptanceOf } from '../task/prompt.ts';
import type { RunOptions } from '../task/run-options.ts';
import type { StagePlan } from '../task/stage-plan.ts';
import { NOT_BEGUN, type StageEnd, type StageRun } from '../task/stage-run.ts';
import { markDone, passedCall, reopen, repairMarker } from '../task/stage-status.ts';
import type { OpenTask } from '../task/task.ts';
import { withTreeLock } from './with-tree-lock.ts';

type Rechecked =
  | { how: 'rechecked'; end: StageEnd }
  | { how: 'refused'; failure: Failure; exitCode: number }
  | { how: 'done_earlier'; kept: boolean };

/** Returns why a task cannot be checked again. The result of its last run stays recorded. */
export function recheckMistake({ plans, journal, called }: OpenTask, { finished }: RunOptions): string | null {
  if (finished !== 'rechecked') return null;
  const { ledger } = journal.read();
  const open = plans.map(({ stage }) => stage.name).find((name) => passedCall(ledger, name) === null);
  if (open === undefined) return null;
  const keep = ledger.redo.has(open) ? `, or to keep its earlier answer: ${goOnLine(called, `--keep ${open}`)}` : '';
  return `stage ${open} is not finished, and --recheck pays for nothing; to continue the task: ${goOnLine(called)}${keep}`;
}

/** A stage that fails its gate this time is open: the next run checks its answer once more before it requests another. */
export async function recheckStage(run: StageRun, plan: StagePlan): Promise<Rechecked> {
  const { open, stage, register } = run;
  const { task, journal } = open;
  const closed = closedBy({ task, stateFolder: open.stateFolder, register });
  if (closed !== null) return refused(changedByOthersFailure(run, closed));
  const call = passedCall(journal.read().ledger, stage.name);
  const record = call === null ? null : findRecord(task, call);
  if (call === null || record === null || record.verdict.class !== null) {
    // If a run only checks a stage beside its other work, the stage is as done as before.
    if (run.options.finished === 'trusted') return { how: 'done_earlier', kept: false };
    const why = `the record of the call of stage ${stage.name} is gone; --redo ${stage.name} asks again, for a paid call`;
    return refused(unpreparedFailure(run, why));
  }
  const acceptance = acceptanceOf(run, plan);
  if (typeof acceptance === 'string') return refused(unpreparedFailure(run, acceptance));
  const answering = { ...run, stage: { ...stage, tool: record.tool ?? stage.tool } };
  const commands = isTheirOnlyCheck(run, plan) ? open.manifest.acceptance.commands : acceptance.commands;
  const prompt = { acceptanceCommands: commands, warnings: [] };
  const turn = await withTreeLock(run, () => gateAnswer(answering, record, prompt, null, 0));
  const end = turn.how === 'done' ? turn.result : NOT_BEGUN;
  const isDone = journal.read().ledger.done.has(stage.name);
  if (end.how === 'done' && !isDone)
    await markDone(task, journal, stage.name, record.call_id, { sha256: call.reserved.for_prompt! });
  if (end.how === 'failed') {
    reopen(journal, stage.name);
    await repairMarker(task, journal, stage.name);
  }
  return { how: 'rechecked', end };
}

/** If no stage runs the acceptance commands, the last one does: else a check of the tree finds nothing more. */
const isTheirOnlyCheck = ({ open, options }: StageRun, plan: StagePlan): boolean =>
  options.finished === 'rechecked' && plan === open.plans.at(-1) && !open.plans.some(({ role }) => role.runsAcceptance);

const refused = (failure: Failure): Rechecked => ({ how: 'refused', failure, exitCode: TOLLGATE_EXIT.badInput });
