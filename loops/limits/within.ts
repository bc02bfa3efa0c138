// Makes a call within the limits over all tasks; without a limit and a hold it loads nothing for them.

import type { CallRecord } from '../../policies/record/call-record.ts';
import { limitsFiles, mayBeLimited } from '../../state/limits/limits-folder.ts';
import type { Draft } from '../attempt/draft.ts';
import type { Admission } from './admission.ts';
import { type LimitedCall, projectOf, SHORT_WAIT_MS } from './asking.ts';

/** Why it is not made. */
export type Unadmitted = Exclude<Admission, { how: 'admitted' }>;

interface Making<Called> {
  make(): Promise<Called>;
  left(unadmitted: Unadmitted): Promise<Called>;
  /** Its time begins when it leaves the queue. */
  begins(): void;
}

/** The call is charged before it is made. After it, its usage is recorded, and what it learnt of a limit of the service. */
export async function withinLimits<Called extends { record: CallRecord }>(
  draft: Draft,
  stop: AbortSignal,
  { make, left, begins }: Making<Called>,
): Promise<Called> {
  const call = limitedCall(draft);
  const { clock, request } = draft;
  const isLimited = mayBeLimited(call.environment, projectOf(call));
  if (isLimited) {
    const { askLimits } = await limited();
    const say = request.say ?? (() => {});
    const admission = await askLimits({ call, clock, stop, say });
    if (admission.how !== 'admitted') return left(admission);
    for (const sentence of admission.near) {
      draft.warnings.push(sentence);
      say(sentence);
    }
    if (admission.waited) {
      draft.startedAt = clock();
      begins();
    }
  }
  const called = await make();
  if (isLimited || mayHold(called.record, call.environment)) {
    const { settleLimits } = await limited();
    for (const sentence of await settleLimits(call, called.record, clock)) request.say?.(sentence);
  }
  return called;
}

/** Most calls have no limit, and do not load it. */
const limited = () => import('./limited.ts');

const limitedCall = ({ callId, request }: Draft): LimitedCall => ({
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
