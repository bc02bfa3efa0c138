// What the two clocks of a machine tell together: for how long it slept between two looks at them.

export interface MachineClocks {
  /** Milliseconds that the machine was awake, since some moment after its start; it neither jumps nor counts sleep. */
  steadyMs: number;
  /** Milliseconds since its start, asleep too. Where a system does not tell them, the same as `steadyMs`. */
  bootMs: number;
}

/** What two clocks may drift apart by that are read one after the other, while nobody sleeps. */
const LEAST_SLEEP_MS = 5000;

/** @returns milliseconds, 0 where it did not sleep, or for no longer than nobody would miss. */
export function sleptBetween(then: MachineClocks, now: MachineClocks): number {
  const slept = now.bootMs - then.bootMs - (now.steadyMs - then.steadyMs);
  return slept > LEAST_SLEEP_MS ? Math.round(slept) : 0;
}
