// Reports the real failure first, before the limit that its repeats have used up.

import { forUser, goOnLine, inOrder, type NextAction, toType } from '../../policies/facts/next-action.ts';
import { nextActions } from '../../policies/report/next-actions.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import { gateActions, gateRecordOf } from './gate-actions.ts';
import { failingIn, situationOf } from './situation.ts';
import { stageFacts } from './stage-facts.ts';
import type { StageRun } from './stage-run.ts';

/** Adds the stage's last real failure to the failure of a used up budget. Returns any other failure unchanged. */
export function withFailureBefore(run: StageRun, failure: Failure): Failure {
  if (failure.reason !== 'budget') return failure;
  const found = withRealFailure(run, failure);
  return { ...found, next_actions: [...keptAnswer(run), ...found.next_actions] };
}

/** If no call remains for a repeat, the answer that passed its gate earlier can be kept. */
function keptAnswer({ open, stage }: StageRun): NextAction[] {
  const { calls, passed, redo } = open.journal.read().ledger;
  const isAnswered = [...calls.values()].some(
    ({ reserved: { stage: name, run_id, call_id } }) => name === stage.name && run_id !== null && passed.has(call_id),
  );
  if (!redo.has(stage.name) || !isAnswered) return [];
  return [toType(`keep the earlier answer of ${stage.name}`, goOnLine(open.called, `--keep ${stage.name}`))];
}

function withRealFailure({ open, stage, context: { environment } }: StageRun, failure: Failure): Failure {
  const { ledger } = open.journal.read();
  const before = stageFacts(open.task, ledger, stage.name, stage.tool);
  const { class: errorClass, reason, evidence, retry_at, session_id } = before;
  if (before.state !== 'failed_earlier' || errorClass === null) return failure;
  const what = `${errorClass} (${reason}): ${evidence?.text ?? 'its evidence is gone'}`;
  const limit = failure.evidence?.text ?? 'it is used up';
  const ownFailure: Failure = {
    ...failure,
    evidence: { source: 'none', rule: 'budget', ...failure.evidence, text: `${what}; then the budget: ${limit}` },
  };
  const gate =
    before.gate === 'failed' ? gateRecordOf(open.task, stage.name, ledger.gates.get(stage.name)!.call_id) : null;
  if (gate !== null) {
    const answer = before.exit_code === 0 ? 'paid' : 'none';
    const actions = gateActions(open, { ...stage, tool: before.tool ?? stage.tool }, gate, answer);
    // Its paid commands raise the budget themselves.
    const isRaised = actions.some(({ changes }) => changes === 'budget');
    return { ...ownFailure, next_actions: isRaised ? actions : inOrder([...actions, ...failure.next_actions]) };
  }
  const verdict = { class: errorClass, reason, evidence, retry_at };
  const failing = failingIn(open, { ...stage, tool: before.tool ?? stage.tool }, environment);
  // The line below says once that no call remains.
  const { callsLeft: _, ...situation } = situationOf(failing, { verdict, session_id, ending: null });
  const wayOut = nextActions(situation);
  const raise = failure.next_actions.find(({ changes }) => changes === 'budget');
  return { ...ownFailure, next_actions: raise === undefined ? wayOut : raisedFirst(wayOut, raise, failure) };
}

/** Joins raising the limit and the repeated call in one command: without the first, the second would be refused. */
function raisedFirst(wayOut: readonly NextAction[], raise: NextAction, { next_actions }: Failure): NextAction[] {
  const { command: raising } = raise;
  const asks = wayOut.some(({ pays }) => pays);
  if (raising === undefined || raise.pays || !asks) return inOrder([...wayOut, ...next_actions]);
  return inOrder(
    wayOut.map((action) =>
      action.pays && action.command !== undefined
        ? forUser('budget', {
            ...action,
            text: `raise the limit, and ${action.text.replace(/^or |^then /, '')}`,
            command: `${raising} && ${action.command}`,
          })
        : action,
    ),
  );
}
