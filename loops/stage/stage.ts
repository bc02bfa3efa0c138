// Runs one stage: records the tree before it, makes its attempts, and applies the gate to its answer.

import { standInWords } from '../../policies/verdict/stand-ins.ts';
import { standInsOf } from '../../state/journal/ledger.ts';
import { unpreparedFailure } from '../task/failure.ts';
import { withFailureBefore } from '../task/failure-before.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StageEnd, StageRun } from '../task/stage-run.ts';
import { markDone } from '../task/stage-status.ts';
import { attempts } from './attempts.ts';
import { closeBaseline, openBaseline } from './baseline.ts';
import { paidAnswer } from './dispatch-call.ts';
import { keepTreeBefore } from './kept-trees.ts';
import { gateAnswer } from './stage-gate.ts';

/** Whether the stage had calls but never passed its gate. Read-only without a scope, it had no baseline then. */
function earlierWork({ open, stage, access }: StageRun): 'none' | 'unfinished' {
  const { calls, gates, gated } = open.journal.read().ledger;
  const gate = gates.get(stage.name);
  const last = [...calls.values()].findLast(
    ({ granted, started, reserved }) =>
      granted && started !== null && reserved.run_id !== null && reserved.stage === stage.name,
  );
  if (last === undefined) return 'none';
  const { call_id } = last.reserved;
  if (gate?.call_id === call_id && gate.passed) return 'none';
  const isAnswered = last.verdict?.class === null && !gated.has(call_id);
  return access !== 'read' || isAnswered || gate?.class === 'scope_violation' ? 'unfinished' : 'none';
}

/**
 * Runs a stage whose prompt is written and whose tree is locked. A success is in the journal, and has its marker, before this
 * returns. Throws the errors of the operating system if the state cannot be written.
 */
export async function runStage(run: StageRun, first: Prompt): Promise<StageEnd> {
  const paid = paidAnswer(run, first);
  // The changes were checked when the answer passed the first time.
  const isLookedAt = paid !== null && run.open.journal.read().ledger.passed.has(paid.call_id);
  const earlier = earlierWork(run);
  const baseline = isLookedAt ? null : await openBaseline(run, earlier);
  if (baseline !== null && 'how' in baseline) {
    const failure = unpreparedFailure(run, baseline.message);
    return { how: 'failed', failure, record: null, gate: null, calls: 0, warnings: [] };
  }
  await keepTreeBefore(run, baseline, earlier);
  const answering = paid === null ? null : { ...run, stage: { ...run.stage, tool: paid.tool } };
  const end =
    paid === null
      ? await attempts(run, first, baseline)
      : await gateAnswer(answering!, paid, first, baseline, 0, run.tampered.get(paid.call_id) ?? null);
  // The run that paid for the answer would have reported its fallbacks and warnings if it had survived.
  if (paid !== null) {
    const { ledger } = run.open.journal.read();
    const standIns = standInsOf(ledger, ledger.calls.get(paid.call_id)!);
    end.warnings.unshift(...standIns.map(standInWords), ...paid.warnings);
  }
  if (end.how === 'done') await markDone(run.open.task, run.open.journal, run.stage.name, end.record.call_id, first);
  await closeBaseline(run, baseline, end.how === 'done' ? 'done' : 'open');
  return end.how === 'failed' ? { ...end, failure: withFailureBefore(run, end.failure) } : end;
}
