// Computes how long an unguarded call has been running, by the steady clock of this boot, which does not jump.

import type { MachineClocks } from '../../policies/facts/deadline.ts';
import { type ProcessIdentity, placeOf } from '../../policies/facts/process-identity.ts';
import type { Call } from '../../state/journal/ledger.ts';
import { readClocks } from '../../wrappers/steady-clock.ts';
import { savedStart } from './restored-draft.ts';

interface CallStart {
  guardian: ProcessIdentity;
  /** The clocks as the guardian read them right before; null in a draft of a version that did not record them. */
  clocks: MachineClocks | null;
  startedAt: Date;
}

/** @returns milliseconds: without suspended time if the start's clocks are this machine's, else by the wall clock. */
export function ageOf({ guardian, clocks, startedAt }: CallStart, self: ProcessIdentity, clock: () => Date): number {
  if (clocks !== null && placeOf(guardian, self) === 'here')
    return Math.max(0, readClocks().steadyMs - clocks.steadyMs);
  return Math.max(0, clock().getTime() - startedAt.getTime());
}

/** Whether the call has used its time, by the clock that its guardian uses to end it. */
export const isOverdue = (call: Call, folder: string, self: ProcessIdentity, clock: () => Date): boolean =>
  overdueMs(call, folder, self, clock) >= 0;

/** Whether the call's guardian cannot be working so long past the deadline. By the time of day, an hour is allowed. */
export function isLate(call: Call, folder: string, self: ProcessIdentity, clock: () => Date, lateMs: number): boolean {
  const allowedMs = savedStart(folder, call)?.clocks ? lateMs : Math.max(lateMs, UNSURE_MS);
  return overdueMs(call, folder, self, clock) > allowedMs;
}

const UNSURE_MS = 3_600_000;

/** @returns milliseconds; a negative number is the time that remains. */
function overdueMs(call: Call, folder: string, self: ProcessIdentity, clock: () => Date): number {
  const { guardian, deadline_at, at } = call.reserved;
  const start = savedStart(folder, call) ?? { startedAt: new Date(at), clocks: null };
  return pastMs(deadline_at, { guardian, ...start }, self, clock);
}

/** @returns milliseconds past the deadline. If the start is not known, only the deadline itself is used. */
export function pastMs(deadlineAt: string, begun: CallStart, self: ProcessIdentity, clock: () => Date): number {
  const deadline = Date.parse(deadlineAt);
  const pastMs = begun.startedAt.getTime() + ageOf(begun, self, clock) - deadline;
  return Number.isNaN(pastMs) ? clock().getTime() - deadline : pastMs;
}
