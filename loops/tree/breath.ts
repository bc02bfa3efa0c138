// Splits long work into steps, so that a process that reads one tree serves other tasks meanwhile.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** After this time other tasks get their turn. */
const STEP_MS = 8;

/** Returns a function for frequent calls; it lets other tasks run if the last pause is long enough ago. */
export function breathing(): () => Promise<void> | null {
  let began = performance.now();
  return () => {
    if (performance.now() - began < STEP_MS) return null;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}
