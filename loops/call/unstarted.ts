// What is said of a call that was over before anything was started: nothing was asked, and nothing is paid.

import type { StopSignal } from '../../policies/facts/stop.ts';
import type { Refusal } from './check.ts';

export const LATE: Refusal = {
  class: 'transient',
  reason: 'timeout',
  exit: 'failure',
  message:
    'the time for the call was over long before anything was started (was its wrapper stopped?); nothing was asked',
};

export const cancelled = (by: StopSignal): Refusal => ({
  class: 'transient',
  reason: 'cancelled',
  exit: by,
  message: `stopped by ${by} before anything was started`,
});
