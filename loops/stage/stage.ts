// One stage: what the tree is before it, its attempts, and the gate that its answer must pass.

import { standInWords } from '../../policies/retry/stand-ins.ts';
import { standInsOf } from '../../state/journal/stand-ins.ts';
import { unpreparedFailure } from '../failure/failure.ts';
import { withFailureBefore } from '../failure/failure-before.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StageEnd, StageRun } from '../task/stage-run.ts';
import { markDone } from '../task/stage-status.ts';
import { attempts } from './attempts.ts';
import { closeBaseline, openBaseline } from './baseline.ts';
import { paidAnswer } from './dispatch-call.ts';
import { gateAnswer } from './stage-gate.ts';

/**
 * Whether calls were made for the stage that never passed its gate. One that may only read is asked for less: without a scope it had
 * no baseline then.
 */
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
 * Runs a stage whose prompt is written and whose tree is locked. A success is in the journal, and has its marker, before it returns.
 * Throws what the operating system throws where the state cannot be written.
 */
export async function runStage(run: StageRun, first: Prompt): Promise<StageEnd> {
  const paid = paidAnswer(run, first);
  // What it changed was looked at when its answer passed the first time.
  const isLookedAt = paid !== null && run.open.journal.read().ledger.passed.has(paid.call_id);
  const baseline = isLookedAt ? null : await openBaseline(run, earlierWork(run));
  if (baseline !== null && 'how' in baseline) {
    const failure = unpreparedFailure(run, baseline.message);
    return { how: 'failed', failure, record: null, gate: null, calls: 0, warnings: [] };
  }
  const answering = paid === null ? null : { ...run, stage: { ...run.stage, tool: paid.tool } };
  const end =
    paid === null
      ? await attempts(run, first, baseline)
      : await gateAnswer(answering!, paid, first, baseline, 0, run.tampered.get(paid.call_id) ?? null);
  // Who was asked in its place was said by the run that paid for it, had it lived.
  if (paid !== null) {
    const { ledger } = run.open.journal.read();
    end.warnings.unshift(...standInsOf(ledger, ledger.calls.get(paid.call_id)!).map(standInWords));
  }
  if (end.how === 'done') await markDone(run.open.task, run.open.journal, run.stage.name, end.record.call_id, first);
  await closeBaseline(run, baseline, end.how === 'done' ? 'done' : 'open');
  return end.how === 'failed' ? { ...end, failure: withFailureBefore(run, end.failure) } : end;
}
