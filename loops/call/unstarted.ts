// Makes the refusals of calls that ended before anything was started: no request was made, and nothing is paid.

import { type StopSignal, stoppedBy } from '../../policies/facts/exit-codes.ts';
import { lacking } from '../../wrappers/feature.ts';
import type { CheckedCall } from '../attempt/phases.ts';
import type { Refusal } from './check.ts';
import type { Unadmitted } from './within.ts';

export const LATE: Refusal = {
  class: 'transient',
  reason: 'timeout',
  exit: 'failure',
  message:
    'the time for the call was over long before anything was started (was its wrapper stopped?); no request was sent',
};

export const cancelled = (by: StopSignal): Refusal => ({
  class: 'transient',
  reason: 'cancelled',
  exit: by,
  message: `stopped by ${by} before anything was started`,
});

/** An older CLI would process the prompt differently. @returns null if it would not, or if the CLI is not older. */
export function tooOld({ request, prompt, cliVersion }: CheckedCall): Refusal | null {
  const { adapter, call } = request;
  for (const { since, keepsFrom } of lacking(adapter.features, cliVersion)) {
    const made = keepsFrom?.(prompt.toString(), call.cwd) ?? null;
    if (made === null) continue;
    const message = `${adapter.tool} ${cliVersion} would ${made}: install ${adapter.packageName}@${since} or later, or take the @ out of the prompt`;
    return { class: 'tooling', reason: 'not_prepared', exit: 'badInput', message };
  }
  return null;
}

/** For a call that the limits over all tasks did not admit. */
export function unadmitted(admission: Unadmitted, stop: AbortSignal): Refusal {
  if (admission.how === 'stopped') return cancelled(stoppedBy(stop) ?? 'SIGTERM');
  const { reason, message, retryAt } = admission;
  if (reason === 'bad_state') return { class: 'tooling', reason, exit: 'badInput', message };
  if (reason === 'state_unwritable') return { class: 'tooling', reason, exit: 'failure', message };
  const retry = retryAt === null ? {} : { retryAt: retryAt.toISOString() };
  return { class: 'quota', reason, exit: 'failure', message, ...retry };
}
