// Who a process is, beyond its number: numbers are reused, and mean nothing on another host, boot or container.

export interface ProcessIdentity {
  pid: number;
  /** The kernel's start time of the process, as text; two processes that share a number differ here. */
  start_time: string;
  host: string;
  boot_id: string;
  /** The PID namespace, so that a container's numbers are not taken for the host's. */
  pid_ns: string;
}

/** Where a process lives: its number can be looked up only from the same place. */
type ProcessPlace = 'here' | 'earlier_boot' | 'elsewhere';

export function placeOf(process: ProcessIdentity, self: ProcessIdentity): ProcessPlace {
  if (process.host !== self.host) return 'elsewhere';
  if (process.boot_id !== self.boot_id) return 'earlier_boot';
  return process.pid_ns === self.pid_ns ? 'here' : 'elsewhere';
}

/**
 * Whether a record that others may have written names a process wholly.
 * @param leastPid 1 for who only asks whether it lives: in a container a dispatcher may be the first process.
 */
export function isProcessIdentity(value: unknown, leastPid: 1 | 2 = 2): value is ProcessIdentity {
  const { pid, start_time, host, boot_id, pid_ns } = (value ?? {}) as Record<string, unknown>;
  const isText = (text: unknown) => typeof text === 'string' && text !== '' && !text.includes('\0');
  return Number.isSafeInteger(pid) && (pid as number) >= leastPid && [start_time, host, boot_id, pid_ns].every(isText);
}
