// Defines a place in a queue.

import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';

export interface Ticket {
  id: string;
  mode: 'read' | 'write';
  /** The ticket counts as long as this process lives, or a call that it made for this stage. */
  owner: ProcessIdentity;
  task_id: string;
  /** Its journal shows which call survived the owner; absent if no call is made. */
  task_folder?: string;
  stage: string;
  /** ISO time until which it counts if its owner cannot be looked up. */
  until: string;
}
