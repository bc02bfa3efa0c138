// Runs a test into a time limit on purpose: first a short limit, and a longer one if the required events came too late.

/** A required event came after the limit: the attempt proves nothing about the tested code. */
export const TOO_LATE = Symbol('too late');

const LONGEST_MS = 100_000;

/** @param attempt `isOver` reports whether the limit may have passed, counted from before anything was started. */
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
