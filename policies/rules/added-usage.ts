// Adds newly counted usage to the usage so far.

import type { Usage } from '../facts/engine-event.ts';

/** An unknown cost makes the total cost unknown. */
export const addedUsage = (usage: Usage, more: Partial<Usage>): Partial<Usage> =>
  Object.fromEntries(
    Object.entries(more).map(([name, n]) => [
      name,
      name === 'usd' && n === null ? null : (usage[name as keyof Usage] ?? 0) + (n ?? 0),
    ]),
  );
