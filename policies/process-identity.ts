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
export type Place = 'here' | 'earlier_boot' | 'elsewhere';

export function placeOf(process: ProcessIdentity, self: ProcessIdentity): Place {
  if (process.host !== self.host) return 'elsewhere';
  if (process.boot_id !== self.boot_id) return 'earlier_boot';
  return process.pid_ns === self.pid_ns ? 'here' : 'elsewhere';
}
