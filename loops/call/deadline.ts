// How long a call has been working that nobody guards: by the steady clock of this boot, which does not jump.

import type { MachineClocks } from '../../policies/machine-clocks.ts';
import { type ProcessIdentity, placeOf } from '../../policies/process-identity.ts';
import { readClocks } from '../../wrappers/steady-clock.ts';

export interface Begun {
  guardian: ProcessIdentity;
  /** As its guardian read them right before; null in a draft of a version that did not. */
  clocks: MachineClocks | null;
  startedAt: Date;
}

/** @returns milliseconds: awake ones where the clocks of its start are this machine's, else those of the wall clock. */
export function ageOf({ guardian, clocks, startedAt }: Begun, self: ProcessIdentity, clock: () => Date): number {
  if (clocks !== null && placeOf(guardian, self) === 'here')
    return Math.max(0, readClocks().steadyMs - clocks.steadyMs);
  return Math.max(0, clock().getTime() - startedAt.getTime());
}
