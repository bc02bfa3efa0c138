// Checks whether a process still runs. The system sends no event when it ends.

import { uptime } from 'node:os';
import { readRow } from '../../wrappers/processes/linux.ts';

export interface ProcessLife {
  pid: number;
  ended(): boolean;
  /** By the wall clock, to about a hundredth of a second; null where this is unknown, or when it has ended. */
  startedAtMs(): number | null;
}

/** @param startTime of the process; without one, the process that has the number now. */
export function watchProcess(pid: number, startTime: string | null = null): ProcessLife {
  let known = startTime;
  return {
    pid,
    startedAtMs() {
      const row = process.platform === 'linux' ? rowNow(pid) : null;
      return row === null ? null : Date.now() - uptime() * 1000 + Number(row.startTime) * TICK_MS;
    },
    ended() {
      if (!answersSignals(pid)) return true;
      const row = process.platform === 'linux' ? rowNow(pid) : null;
      if (row === null) return false;
      // A zombie has ended. Its parent may be the process that waits for us.
      known ??= row.startTime;
      return row.zombie || row.startTime !== known;
    },
  };
}

/** The kernel counts start times since the boot in hundredths of a second. */
const TICK_MS = 10;

/** null too when no more files can be opened: the next look tries again. */
function rowNow(pid: number): ReturnType<typeof readRow> {
  try {
    return readRow(pid);
  } catch {
    return null;
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
