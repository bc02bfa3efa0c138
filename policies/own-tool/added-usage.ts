// What was counted, with what came on top of it.

import type { Usage } from '../facts/engine-event.ts';

/** What costs nobody knows what makes the whole cost nobody knows what. */
export const addedUsage = (usage: Usage, more: Partial<Usage>): Partial<Usage> =>
  Object.fromEntries(
    Object.entries(more).map(([name, n]) => [
      name,
      name === 'usd' && n === null ? null : (usage[name as keyof Usage] ?? 0) + (n ?? 0),
    ]),
  );
