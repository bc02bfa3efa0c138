// Reads the peak memory of a process: `maxRSS` would include what its parent held at the fork.

import { readFileSync } from 'node:fs';

/** In KiB; without Linux's own figure, Node's figure of this process. */
export function peakKib(pid: number = process.pid): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  } catch (error) {
    if (pid !== process.pid) throw error;
    return process.resourceUsage().maxRSS;
  }
}
