// Gets the verdict and the exit code of a call.

import type { Verdict } from '../../policies/facts/evidence.ts';
import { stoppedBy } from '../../policies/facts/stop.ts';
import { isSuccess, SUCCESS, visibleChars } from '../../policies/verdict/success.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { exitCodesOf } from '../../wrappers/own/exit-codes.ts';
import type { Outcome } from '../../wrappers/run.ts';
import type { Draft } from '../attempt/draft.ts';
import { localClock } from '../local-clock.ts';
import { type EndedCall, wrapperExit } from './exit.ts';
import type { Judgement } from './judge.ts';

/** A success needs no rules. The rules for every other outcome are loaded only when needed. */
export async function judged(draft: Draft, outcome: Outcome): Promise<Judgement> {
  const { completed, answer } = outcome.capture;
  if (isSuccess({ completed, answerChars: visibleChars(answer) })) return { verdict: SUCCESS, signature: null };
  const { judge } = await whatFailed();
  return judge(outcome, contextOf(draft));
}

export const whatFailed = () => import('./failed.ts');

/** Returns the parts of a draft that affect the verdict, besides the outcome. */
export function contextOf({ request, prompt, clock }: Draft) {
  return {
    tool: request.adapter.tool,
    taskId: request.charge?.task.id ?? null,
    prompt: prompt?.toString('utf8') ?? null,
    ownRows: request.ownRows,
    clock: localClock(clock()),
  };
}

export function exitOf(draft: Draft, outcome: Outcome, { verdict }: Judgement, stop: AbortSignal): number {
  const { adapter } = draft.request;
  return wrapperExit({ ...endedOf(adapter, outcome, verdict), stoppedBy: stoppedBy(stop) });
}

/** Returns what the exit code depends on. */
export function endedOf(adapter: Adapter, outcome: Outcome, verdict: Verdict): Omit<EndedCall, 'stoppedBy'> {
  const { ending, exitCode, capture } = outcome;
  const requests = capture.usage.api_requests;
  const refusedInput = adapter.refusedInput({ exitCode, class: verdict.class, requests });
  return { codes: exitCodesOf(adapter), ending, verdict, refusedInput };
}
