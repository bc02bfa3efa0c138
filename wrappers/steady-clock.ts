// Reads clocks that do not jump. `performance.now` does not jump either, but its module takes 2 ms to load.

import { uptime } from 'node:os';
import type { MachineClocks } from '../policies/facts/deadline.ts';

/**
 * Milliseconds since some moment in the past, the same for all processes of this boot. On Linux it stops while the machine
 * sleeps, as the timers of Node do.
 */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Reads both clocks now. Only on Linux do they differ after the machine sleeps. */
export function readClocks(): MachineClocks {
  const steadyMs = nowMs();
  return { steadyMs, bootMs: process.platform === 'linux' ? uptime() * 1000 : steadyMs };
}
