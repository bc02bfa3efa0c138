// What a paid call needs before it may be made: a place among those that are made at once.

import type { Verdict } from '../../policies/facts/evidence.ts';
import type { Tool } from '../../policies/facts/tools.ts';

/** What is to be asked; a service counts its quota by both. */
export interface SlotRequest {
  tool: Tool;
  /** null for the tool's own choice. */
  model: string | null;
}

/** What became of the wait for a place. */
export type CallSlot =
  /** To be given back with what became of the call; null if it was not made. */
  | { how: 'taken'; release(verdict: Verdict | null): void }
  | { how: 'stopped' }
  /** Another call was refused for its quota or its sign-in, as this one would be. `until`: ISO time, null if unknown. */
  | { how: 'paused'; class: 'quota' | 'auth'; until: string | null; message: string };

/** The places of a batch; `take` waits for one, and answers when `stop` aborts. */
export interface Slots {
  take(asked: SlotRequest, stop: AbortSignal): Promise<CallSlot>;
}

/** One run on its own: every call may be made at once. */
export const UNLIMITED: Slots = { take: async () => ({ how: 'taken', release: () => {} }) };
