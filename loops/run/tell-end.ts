// Sends notifications about the end of a run after its report is on disk, as `notify` of tollgate.yaml says.

import { eventsOf } from '../../policies/manifest/notification.ts';
import type { RunContext } from '../task/run-context.ts';
import type { OpenTask } from '../task/task.ts';
import { nearLimitsFor } from '../upkeep/near-limits-for.ts';
import { notify } from '../upkeep/notify.ts';
import { addNotified, type WrittenReport } from './write-report.ts';

/**
 * A failed notification does not change the run's result. Nothing is loaded if there are no recipients.
 * @param usedBefore paid calls of the task when the run began.
 */
export async function tellEnd(
  context: RunContext,
  open: OpenTask,
  written: WrittenReport,
  usedBefore: number,
): Promise<WrittenReport> {
  const { notifiers, manifest, root, task, journal } = open;
  if (notifiers.length === 0 || context.tells === 'of_all' || context.stop.aborted) return written;
  const { report } = written;
  const { failure, supervision, budget, state } = report;
  const calls = Math.max(0, budget.used - usedBefore);
  const callId = [...journal.read().ledger.calls.keys()].at(-1);
  try {
    const nearLimits = state === 'interrupted' ? [] : await nearLimitsFor(context, notifiers, root);
    const notified = await notify(context, {
      notifiers,
      events: eventsOf({ state, budget, calls, nearLimits }),
      content: {
        task_id: report.task_id,
        batch_id: null,
        goal: report.goal,
        exit_code: report.exit_code,
        stage: failure?.stage ?? null,
        class: failure?.class ?? null,
        reason: failure?.reason ?? null,
        signature: failure?.signature ?? null,
        retry_at: failure?.retry_at ?? null,
        question: state === 'parked' ? (supervision?.question ?? null) : null,
        budget: { used: budget.used, total: budget.total },
        tasks: null,
        near_budget: [],
        near_limits: nearLimits,
        next_actions: report.next_actions,
        summary: report.files.summary,
      },
      root,
      patterns: manifest.security.redaction_patterns,
      envAllow: manifest.security.env_allow,
      beside: callId === undefined ? null : { task, callId },
    });
    return await addNotified(written, notified);
  } catch (error) {
    context.say(`the notifications of the end could not be sent: ${(error as Error).message}`);
    return written;
  }
}
