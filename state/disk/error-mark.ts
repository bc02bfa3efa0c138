// Recognises errors by a mark: each bundle that is loaded lazily has its own copy of their class.

/**
 * For a class whose objects have the mark (by `Symbol.for`, which all copies share): then `instanceof` recognises those of any
 * copy.
 */
export const bears =
  (mark: symbol) =>
  (error: unknown): boolean =>
    typeof error === 'object' && error !== null && mark in error;
