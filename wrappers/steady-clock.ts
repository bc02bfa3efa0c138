// Clocks that do not jump; `performance.now` would be one too, but its module costs 2 ms to load.

import { uptime } from 'node:os';
import type { MachineClocks } from '../policies/time/machine-clocks.ts';

/**
 * Milliseconds since some moment in the past, for all processes of this boot alike. On Linux it stands still while the machine
 * sleeps, as the timers of Node do.
 */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Both clocks at this moment. On Linux alone they differ after a sleep. */
export function readClocks(): MachineClocks {
  const steadyMs = nowMs();
  return { steadyMs, bootMs: process.platform === 'linux' ? uptime() * 1000 : steadyMs };
}
