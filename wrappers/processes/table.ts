// The processes of this machine, and those among them that bear a call's marker.

import * as darwin from './darwin.ts';
import * as linux from './linux.ts';

export interface ProcessRow {
  pid: number;
  ppid: number;
  pgid: number;
  /** null where the system does not tell it. */
  sid: number | null;
  /** Start time as the kernel gives it; with the pid it names one process for good. */
  startTime: string;
  /** A zombie is gone but for its entry; nothing can be done to it. */
  zombie: boolean;
}

/** A process, and how long ago it was started. */
export interface Since {
  pid: number;
  ageMs: number;
}

export interface ProcessTable {
  /** @param since with it, only what may have been started by that process need be listed. */
  list(since?: Since | null): Promise<ProcessRow[]>;
  /** One process, a zombie too, or null when it is gone. */
  row(pid: number): Promise<ProcessRow | null>;
  /** The value of the call marker in the environment that the process was started with. */
  markers(rows: readonly ProcessRow[]): Promise<Map<number, string>>;
  /** Another one after each start of the machine, and the same until then. */
  bootId(): Promise<string>;
}

export const processTable: ProcessTable = process.platform === 'linux' ? linux : darwin;
