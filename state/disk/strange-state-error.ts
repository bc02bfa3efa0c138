// Defines the error for state, or a machine, with which a command cannot continue, and how copies of an error class match.

/**
 * For a class whose objects have the mark (by `Symbol.for`, which all copies share): then `instanceof` recognises those of any
 * copy. Each bundle that is loaded lazily has its own copy of the class.
 */
export const bears =
  (mark: symbol) =>
  (error: unknown): boolean =>
    typeof error === 'object' && error !== null && mark in error;

const STRANGE = Symbol.for('tollgate: strange state');

/** Unusable state on disk; its message names it, its consequence and the fix. */
export class StrangeStateError extends Error {
  static override readonly [Symbol.hasInstance] = bears(STRANGE);
  readonly [STRANGE] = true;

  /** @param what The problem, to report another consequence. @param sequel The consequence for a call not started. */
  constructor(
    readonly what: string,
    sequel: string | null = null,
  ) {
    super(sequel === null ? what : `${what}; ${sequel}`);
  }
}
