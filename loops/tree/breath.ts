// Long work in steps: the process that looks at one tree serves other tasks meanwhile.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Others get their turn after this long. */
const STEP_MS = 8;

/** Call it often; it lets others run when the last time is long enough ago. */
export function breathing(): () => Promise<void> | null {
  let began = performance.now();
  return () => {
    if (performance.now() - began < STEP_MS) return null;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}
