// Checks that a wording needs more than a bare number: `403` may be a status, a line, a count or a port.

import type { Wording } from './rule.ts';

/** Returns a text that contains only a bare number and still matches the wording; null if there is none. */
export function bareNumber(wording: Wording): string | null {
  for (let number = 0; number < 1000; number++) {
    const taken = PLACES.map((place) => place(number)).find((text) => wording.test(text));
    if (taken !== undefined) return taken;
  }
  return null;
}

const PLACES = [
  (n: number) => `${n}`,
  (n: number) => `line ${n}`,
  (n: number) => `app.ts:${n}:11`,
  (n: number) => `${n} files`,
  (n: number) => `exit ${n}`,
  (n: number) => `(${n})`,
  (n: number) => `took ${n} ms`,
];
