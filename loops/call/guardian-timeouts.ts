// How long a guardian is waited for that may have been stopped, or be stuck.

export interface GuardianTimeouts {
  /** How long after its deadline a call may still be without a verdict: its tree is ended and its result published by then. */
  lateMs: number;
  /** How long a guardian that was woken has for the same. */
  wokenMs: number;
  /** How long one may live on after the verdict on its call: it clears up then. */
  leavingMs: number;
}

/** What holds outside of tests. */
export const GUARDIAN_TIMEOUTS: GuardianTimeouts = { lateMs: 60_000, wokenMs: 30_000, leavingMs: 5000 };
