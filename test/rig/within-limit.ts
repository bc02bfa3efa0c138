// A limit of time that a test runs into on purpose: a short one, and a longer one where what has to come before it was too slow.

/** What has to come before the limit came after it: that says nothing of what is tested. */
export const TOO_LATE = Symbol('too late');

const LONGEST_MS = 100_000;

/** @param attempt `isOver` tells whether the limit may have passed, counted from before anything was started. */
export async function withinLimit<Seen>(
  firstMs: number,
  attempt: (limitMs: number, isOver: () => boolean) => Promise<Seen | typeof TOO_LATE>,
): Promise<Seen> {
  for (let limitMs = firstMs; limitMs <= LONGEST_MS; limitMs *= 4) {
    const began = performance.now();
    const seen = await attempt(limitMs, () => performance.now() - began >= limitMs);
    if (seen !== TOO_LATE) return seen;
  }
  throw new Error(`what has to come before a limit takes longer than ${LONGEST_MS / 4} ms here`);
}
