// Defines calls that are over, but for which the other tasks must still be checked for changes.

import type { CallEntry, RegisteredWatch } from '../../state/calls/judge-register.ts';

export interface UnseenCall extends RegisteredWatch {
  /** When the call was over, ISO; null if it is not known. */
  to: string | null;
  /** The same by the clock of the disk, in nanoseconds since 1970; null for now. */
  toNs: bigint | null;
}

/** The other tasks at the start of a call. */
export type OtherTasks = Required<Pick<CallEntry, 'tasks' | 'names'>>;

/** Collects calls, to check the other tasks once for all of them. */
export interface UnseenCalls {
  /** The state that a new call is compared with; one look may serve calls that begin within moments of each other. */
  others(stateFolder: string): OtherTasks;
  /** Takes over the entry of the call. */
  add(register: string, ended: UnseenCall): void;
}
