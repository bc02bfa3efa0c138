// Errors that are told apart by a mark: each bundle that is loaded lazily has a copy of their class of its own.

/** For a class whose objects bear the mark (by `Symbol.for`, which all copies share): then `instanceof` knows those of any copy. */
export const bears =
  (mark: symbol) =>
  (error: unknown): boolean =>
    typeof error === 'object' && error !== null && mark in error;
