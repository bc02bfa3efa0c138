// Makes a call within the limits over all tasks; without a limit and a hold it loads nothing for them.

import type { CallRecord } from '../../policies/report/call-record.ts';
import { limitsFiles, mayBeLimited } from '../../state/limits/limits-folder.ts';
import { nowMs } from '../../wrappers/steady-clock.ts';
import type { CheckedCall } from '../attempt/phases.ts';
import type { Admission } from '../limits/admission.ts';
import { type LimitedCall, projectOf, SHORT_WAIT_MS } from '../limits/limited-call.ts';
import { cancelled, type Refusal, toolingRefusal } from './check.ts';

/** Loaded only if there is a limit or a hold, or the call charges a task by hand. */
const limits = () => import('./limited.ts');

interface Making<Called> {
  make(admitted: CheckedCall): Promise<Called>;
  refuse(call: CheckedCall, refusal: Refusal): Promise<Called>;
}

/** A dispatcher passes the caps of its task itself. @returns the call, capped by what remains of its task, or a refusal. */
export async function withinTask(checked: CheckedCall): Promise<CheckedCall | Refusal> {
  const { callId, charge } = checked.request;
  const { task } = charge ?? {};
  if (callId !== null || task === undefined || task.manifest === null) return checked;
  return (await limits()).withinTask(checked, task, task.manifest);
}

/** The call is charged before it is made. After it, its usage is recorded, and what it learnt of a limit of the service. */
export async function withinLimits<Called extends { record: CallRecord }>(
  checked: CheckedCall,
  stop: AbortSignal,
  { make, refuse }: Making<Called>,
): Promise<Called> {
  const { clock, request } = checked;
  const limitedCall = limitedOf(checked);
  const isLimited = mayBeLimited(limitedCall.environment, projectOf(limitedCall));
  let admitted = checked;
  if (isLimited) {
    const { askLimits, cappedBy } = await limits();
    const say = request.say ?? (() => {});
    const admission = await askLimits({ call: limitedCall, clock, stop, say });
    if (admission.how !== 'admitted') return refuse(checked, refusalOf(admission, stop));
    for (const sentence of admission.near) say(sentence);
    const warnings = [...checked.warnings, ...admission.near];
    // The time of a call begins when it leaves the queue.
    const start = admission.waited ? { startedAt: clock(), begunMs: nowMs() } : {};
    admitted = { ...checked, warnings, ...start };
    const { left } = admission;
    if (left.tokens !== null || left.usd !== null) admitted = await cappedBy(admitted, left);
  }
  const called = await make(admitted);
  if (isLimited || mayHold(called.record, limitedCall.environment)) {
    const { settleLimits } = await limits();
    for (const sentence of await settleLimits(limitedCall, called.record, clock)) request.say?.(sentence);
  }
  return called;
}

function refusalOf(admission: Exclude<Admission, { how: 'admitted' }>, stop: AbortSignal): Refusal {
  if (admission.how === 'stopped') return cancelled(stop);
  const { reason, message, retryAt, limit } = admission;
  if (reason === 'bad_state') return toolingRefusal(reason, message);
  if (reason === 'state_unwritable') return toolingRefusal(reason, message, 'failure');
  const retry = retryAt === null ? {} : { retryAt: retryAt.toISOString() };
  return { class: 'quota', reason, exit: 'failure', message, ...retry, ...(limit === undefined ? {} : { limit }) };
}

const limitedOf = ({ callId, request }: CheckedCall): LimitedCall => ({
  callId,
  tool: request.adapter.tool,
  model: request.call.model,
  task: request.charge?.task ?? null,
  cwd: request.call.cwd,
  environment: request.call.environment,
  holds: request.ignoreHold === true ? 'ignored' : 'obeyed',
  rateWaitMs: SHORT_WAIT_MS,
});

/** Other calls need not pay to learn the same. */
const mayHold = ({ ending, verdict }: CallRecord, environment: NodeJS.ProcessEnv): boolean =>
  ending !== 'not_started' &&
  (verdict.class === 'quota' || verdict.reason === 'rate_limit') &&
  limitsFiles(environment) !== null;
