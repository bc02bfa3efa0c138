// What the world of the page's tests is called, and when it is.

import { reading } from '../../../policies/prompt/rules.ts';

export const NOW = '2026-11-25T02:00:00.000Z';
export const LATER = '2099-01-01T00:00:00.000Z';
export const TASK = 'price-rounding';
export const SESSION = '58d9e1b3-73c5-4137-8fc7-bac02f7e65df';
export const BATCH = '20261125020304-0a1b2c3d';
export const BOOK = 'walden';
export const COMPARISON = 'compare-20261128120000-0a1b';

/** For each field that people, models, CLIs or files fill, by its name. */
export type Texts = (field: string) => string;

/** The beginning of a prompt that Tollgate composed, up to the goal. */
export const OPENING = `# How to read this\n\n${reading('').split('\n', 1)[0]}\n\n# Your part: impl\n\nDo it.\n\n# Goal\n\n`;
