// Calls that are over, and of which the other tasks are still to be looked at.

import type { CallEntry, RegisteredWatch } from '../../state/calls/judge-register.ts';

export interface UnseenCall extends RegisteredWatch {
  /** When it was over, ISO; null where nobody knows. */
  to: string | null;
  /** The same by the clock of the disk, in nanoseconds since 1970; null for now. */
  toNs: bigint | null;
}

/** The other tasks, as a call begins. */
export type OtherTasks = Required<Pick<CallEntry, 'tasks' | 'names'>>;

/** Where they are looked at together. */
export interface UnseenCalls {
  /** What a call that begins now is compared with; one look may serve calls that begin within moments. */
  others(stateFolder: string): OtherTasks;
  /** Its entry is theirs from now on. */
  add(register: string, ended: UnseenCall): void;
}
