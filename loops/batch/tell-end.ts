// Sends one notification about the end of a batch, after its report is on disk.

import type { NotifyEvent } from '../../policies/manifest/notifier.ts';
import type { RunContext } from '../task/run-context.ts';
import { nearLimitsFor } from '../upkeep/near-limits-for.ts';
import { notify } from '../upkeep/notify.ts';
import type { Hearers } from './look.ts';
import { addNotifiedBatch, type WrittenBatch } from './write-report.ts';

/** @param nearBudget tasks that used at least four fifths of their paid calls in this batch. */
export async function tellBatchEnd(
  context: RunContext,
  hearers: Hearers | null,
  written: WrittenBatch,
  nearBudget: readonly string[],
): Promise<WrittenBatch> {
  const { report } = written;
  if (hearers === null || report.state === 'interrupted' || context.stop.aborted) return written;
  const [worst] = report.by_failure;
  const { tasks, done, failed, broken, refused, interrupted, not_started, calls } = report.totals;
  try {
    const nearLimits = await nearLimitsFor(context, hearers.notifiers, hearers.root);
    const nears = nearBudget.length + nearLimits.length > 0;
    const events: NotifyEvent[] = [report.state, ...(nears ? (['budget'] as const) : [])];
    const notified = await notify(context, {
      ...hearers,
      events,
      content: {
        task_id: null,
        batch_id: report.batch_id,
        goal: null,
        exit_code: report.exit_code,
        stage: null,
        class: worst?.class ?? null,
        reason: worst?.reason ?? null,
        signature: worst?.signature ?? null,
        retry_at: worst?.retry_at ?? null,
        question: null,
        budget: null,
        tasks: { tasks, done, failed, broken, refused, interrupted, not_started, calls },
        near_budget: nearBudget.slice(0, MOST_NAMED),
        near_limits: nearLimits,
        next_actions: report.next_actions,
        summary: report.files.summary,
      },
      beside: null,
    });
    return notified.length === 0 ? written : await addNotifiedBatch(written, notified);
  } catch (error) {
    context.say(`the notifications of the end could not be sent: ${(error as Error).message}`);
    return written;
  }
}

const MOST_NAMED = 20;
