// A limit that failures have used up is the second thing to say: what failed is the first.

import { nextActions } from '../../policies/next-actions/next-actions.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import { gateActions, gateRecordOf } from '../task/gate-actions.ts';
import { stageFacts } from '../task/stage-facts.ts';
import type { StageRun } from '../task/stage-run.ts';
import { failingIn, situationOf } from './situation.ts';

/** The failure of a used up budget, with the stage's last real failure before it; any other failure as it is. */
export function withFailureBefore({ open, stage, context: { environment } }: StageRun, failure: Failure): Failure {
  if (failure.reason !== 'budget') return failure;
  const { id } = open.task;
  const { ledger } = open.journal.read();
  const before = stageFacts(open.task, ledger, stage.name, stage.tool);
  const { class: errorClass, reason, evidence, retry_at, session_id } = before;
  if (before.state !== 'failed_earlier' || errorClass === null) return failure;
  const what = `${errorClass} (${reason}): ${evidence?.text ?? 'its evidence is gone'}`;
  const limit = failure.evidence?.text ?? 'it is used up';
  const told: Failure = {
    ...failure,
    evidence: { source: 'none', rule: 'budget', ...failure.evidence, text: `${what}; then the budget: ${limit}` },
  };
  const gate =
    before.gate === 'failed' ? gateRecordOf(open.task, stage.name, ledger.gates.get(stage.name)!.call_id) : null;
  if (gate !== null) {
    const actions = gateActions(
      open,
      { ...stage, tool: before.tool ?? stage.tool },
      gate,
      before.exit_code === 0 ? 'paid' : 'none',
    );
    // Its lines that pay raise the paid calls themselves.
    const isRaised = actions.some((line) => line.includes('tollgate budget '));
    return { ...told, next_actions: isRaised ? actions : [...actions, ...failure.next_actions] };
  }
  const verdict = { class: errorClass, reason, evidence, retry_at };
  const failing = failingIn(open, { ...stage, tool: before.tool ?? stage.tool }, environment);
  // That no call remains is said below, once.
  const { callsLeft: _, ...situation } = situationOf(failing, { verdict, session_id, ending: null });
  const rerun = `tollgate run ${id}`;
  const raised = raisedFirst(failure, rerun);
  const actions = nextActions(situation).map((line) => line.replace(rerun, () => raised));
  return {
    ...told,
    next_actions: actions.some((line) => line.includes(raised)) ? actions : [...actions, ...failure.next_actions],
  };
}

/** To raise the limit and ask again is one line: without the first the second would be refused. */
function raisedFirst({ next_actions }: Failure, rerun: string): string {
  const raise = next_actions.map((line) => /tollgate budget .*/.exec(line)?.[0]).find((line) => line !== undefined);
  if (raise !== undefined) return `${raise} && ${rerun}`;
  const [first = rerun] = next_actions;
  // A limit that each run begins anew needs no raising.
  return first.startsWith(rerun) ? rerun : first;
}
