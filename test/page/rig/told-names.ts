// What the world of the page's tests is called, and when it is.

export const NOW = '2026-11-25T02:00:00.000Z';
export const LATER = '2099-01-01T00:00:00.000Z';
export const TASK = 'price-rounding';
export const SESSION = '58d9e1b3-73c5-4137-8fc7-bac02f7e65df';
export const BOOK = 'walden';

/** For each field that people, models, CLIs or files fill, by its name. */
export type Texts = (field: string) => string;
