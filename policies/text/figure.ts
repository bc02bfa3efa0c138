// Formats a number for readers.

/** Separates the thousands. */
export const figure = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
