// State, or a machine, in which a command cannot go on; no bug of ours.

import { bears } from './error-mark.ts';

const STRANGE = Symbol.for('tollgate: strange state');

/** State on disk that cannot be gone by; its message names it, and says what that comes to and the way out. */
export class StrangeStateError extends Error {
  static override readonly [Symbol.hasInstance] = bears(STRANGE);
  readonly [STRANGE] = true;

  /** @param what is wrong, for who tells another sequel of it. @param sequel for a call that is not started. */
  constructor(
    readonly what: string,
    sequel: string | null = null,
  ) {
    super(sequel === null ? what : `${what}; ${sequel}`);
  }
}
