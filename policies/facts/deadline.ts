// Defines the longest deadline that can be requested, and computes how long the machine slept during one.

/** 12 days: twice as much, which wait_done allows, still fits in a Node timer. */
export const MAX_TIMEOUT_MS = 12 * 24 * 3_600_000;

export interface MachineClocks {
  /** Milliseconds that the machine was awake, since some moment after its start. It neither jumps nor counts sleep. */
  steadyMs: number;
  /** Milliseconds since its start, including sleep. If a system does not report them, the same as `steadyMs`. */
  bootMs: number;
}

/** The difference between two clocks that are read one after the other, without any sleep. */
const LEAST_SLEEP_MS = 5000;

/** How long a machine slept between two readings of its clocks. @returns milliseconds; 0 if it does not matter. */
export function sleptBetween(then: MachineClocks, now: MachineClocks): number {
  const slept = now.bootMs - then.bootMs - (now.steadyMs - then.steadyMs);
  return slept > LEAST_SLEEP_MS ? Math.round(slept) : 0;
}
