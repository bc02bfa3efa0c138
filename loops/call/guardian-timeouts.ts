// Defines how long to wait for a guardian that may be suspended or stuck.

export interface GuardianTimeouts {
  /** How long after its deadline a call may lack a verdict. In this time its processes are ended and its result is published. */
  lateMs: number;
  /** How long a guardian that was resumed has to do the same. */
  wokenMs: number;
  /** How long a guardian may live after the verdict on its call, to clean up. */
  leavingMs: number;
}

/** The values outside of tests. */
export const GUARDIAN_TIMEOUTS: GuardianTimeouts = { lateMs: 60_000, wokenMs: 30_000, leavingMs: 5000 };
