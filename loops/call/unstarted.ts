// What is said of a call that was over before anything was started: nothing was asked, and nothing is paid.

import type { EXIT_BY_SIGNAL } from '../../policies/facts/exit-codes.ts';
import type { Refusal } from './check.ts';

export const LATE: Refusal = {
  class: 'transient',
  reason: 'timeout',
  exit: 'failure',
  message:
    'the time for the call was over long before anything was started (was its wrapper stopped?); nothing was asked',
};

export const cancelled = (by: keyof typeof EXIT_BY_SIGNAL): Refusal => ({
  class: 'transient',
  reason: 'cancelled',
  exit: by,
  message: `stopped by ${by} before anything was started`,
});
