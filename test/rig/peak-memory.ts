// The most memory that a process has held: `maxRSS` begins with what its parent held as it forked.

import { readFileSync } from 'node:fs';

/** In KiB; without Linux's own figure, what Node tells of this process. */
export function peakKib(pid: number = process.pid): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  } catch (error) {
    if (pid !== process.pid) throw error;
    return process.resourceUsage().maxRSS;
  }
}
