// Defines the error for state, or a machine, with which a command cannot continue; it is not an internal error.

import { bears } from './error-mark.ts';

const STRANGE = Symbol.for('tollgate: strange state');

/** Unusable state on disk; its message names it, its consequence and the fix. */
export class StrangeStateError extends Error {
  static override readonly [Symbol.hasInstance] = bears(STRANGE);
  readonly [STRANGE] = true;

  /**
   * @param what The problem, for a caller that reports another consequence. @param sequel The consequence for a call that is not
   * started.
   */
  constructor(
    readonly what: string,
    sequel: string | null = null,
  ) {
    super(sequel === null ? what : `${what}; ${sequel}`);
  }
}
