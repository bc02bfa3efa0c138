// Identifies a process beyond its pid: pids are reused, and have no meaning on another host, boot or container.

export interface ProcessIdentity {
  pid: number;
  /** The kernel's start time of the process, as text; it differs between two processes that share a pid. */
  start_time: string;
  host: string;
  boot_id: string;
  /** The PID namespace, so that a container's pids are not mistaken for the host's. */
  pid_ns: string;
}

/** Where a process lives: its pid can be looked up only from the same place. */
type ProcessPlace = 'here' | 'earlier_boot' | 'elsewhere';

export function placeOf(process: ProcessIdentity, self: ProcessIdentity): ProcessPlace {
  if (process.host !== self.host) return 'elsewhere';
  if (process.boot_id !== self.boot_id) return 'earlier_boot';
  return process.pid_ns === self.pid_ns ? 'here' : 'elsewhere';
}

/**
 * Whether a record that others may have written identifies a process completely.
 * @param leastPid 1 for a caller that only checks whether it lives: in a container a dispatcher may be the first process.
 */
export function isProcessIdentity(value: unknown, leastPid: 1 | 2 = 2): value is ProcessIdentity {
  const { pid, start_time, host, boot_id, pid_ns } = (value ?? {}) as Record<string, unknown>;
  const isText = (text: unknown) => typeof text === 'string' && text !== '' && !text.includes('\0');
  return Number.isSafeInteger(pid) && (pid as number) >= leastPid && [start_time, host, boot_id, pid_ns].every(isText);
}
