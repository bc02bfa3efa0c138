// A figure as people read it.

/** Thousands apart. */
export const figure = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
