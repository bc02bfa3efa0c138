// Queues a stage's call for the limits over all tasks before its guardian is started, because its time begins then.

import type { CallRecord } from '../../policies/report/call-record.ts';
import { mayBeLimited } from '../../state/limits/limits-folder.ts';
import { askLimits } from '../limits/admission.ts';
import { type LimitedCall, projectOf } from '../limits/limited-call.ts';
import { settleLimits } from '../limits/settle-limits.ts';
import type { StageRun } from '../task/stage-run.ts';

interface LimitedPlace {
  /** A call that was not made, as its record says, is not charged. */
  leave(record: CallRecord | null): Promise<void>;
}

const FREE: LimitedPlace = { leave: async () => {} };

/** The longest wait for a rate limit, as a run waits after its own. A service that requires more reports a quota. */
const RATE_WAIT_MS = 3_600_000;

/**
 * The place is charged to this process until the guardian takes it over. If it is refused, the guardian requests and reports it.
 */
export async function takeLimitedPlace(run: StageRun, callId: string): Promise<LimitedPlace | 'stopped'> {
  const { stage, open, context, options } = run;
  const { environment, clock, stop, say } = context;
  const call: LimitedCall = {
    callId,
    tool: stage.tool,
    model: stage.model ?? null,
    task: open.task,
    cwd: open.cwd,
    environment,
    holds: options.ignoreHold ? 'ignored' : 'obeyed',
    rateWaitMs: RATE_WAIT_MS,
  };
  if (!mayBeLimited(environment, projectOf(call))) return FREE;
  const admission = await askLimits({
    call,
    clock,
    stop: endsWith(stop, run.wallLeftMs()),
    say: (sentence) => say(`stage ${stage.name}: ${sentence}`),
  });
  if (admission.how === 'refused') return FREE;
  // If the stage's own time is up, the stage reports this.
  if (admission.how === 'stopped') return stop.aborted ? 'stopped' : FREE;
  for (const sentence of admission.near) say(`stage ${stage.name}: ${sentence}`);
  return {
    leave: async (record) => {
      if (record !== null && record.ending !== 'not_started') return;
      await settleLimits(call, null, clock);
    },
  };
}

const endsWith = (stop: AbortSignal, wallLeftMs: number | null): AbortSignal =>
  wallLeftMs === null ? stop : AbortSignal.any([stop, AbortSignal.timeout(Math.max(1, Math.ceil(wallLeftMs)))]);
