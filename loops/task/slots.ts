// Defines the slot that a paid call needs before it may be made: only some calls may run at once.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { Tool } from '../../policies/facts/tools.ts';

/** The tool and model of the call; a service counts its quota by both. */
export interface SlotRequest {
  tool: Tool;
  /** null for the tool's own choice. */
  model: string | null;
}

/** The result of the wait for a slot. */
export type CallSlot =
  /** Must be released with the verdict of the call; null if it was not made. */
  | { how: 'taken'; release(verdict: Verdict | null): void }
  | { how: 'stopped' }
  /** Another call was refused for its quota or its sign-in, as this one would be. `until`: ISO time, null if unknown. */
  | { how: 'paused'; class: 'quota' | 'auth'; until: string | null; message: string };

/** The slots of a batch; `take` waits for one, and returns when `stop` aborts. */
export interface Slots {
  take(request: SlotRequest, stop: AbortSignal): Promise<CallSlot>;
}

/** For a single run: every call may be made at once. */
export const UNLIMITED: Slots = { take: async () => ({ how: 'taken', release: () => {} }) };
