// What follows from a try to send: it was taken, it is sent once more, or it is given up.

/** `retryAfterMs`: as the answer asks. */
export type Try =
  | { how: 'answered'; status: number; retryAfterMs: number | null }
  /** Refused, cut, or silent for too long. */
  | { how: 'unanswered'; why: string };

type AfterTry =
  | { next: 'taken'; why: string }
  | { next: 'again'; afterMs: number; why: string }
  | { next: 'given_up'; why: string };

/** Before the second, third and fourth try. */
const BACKOFF_MS = [250, 1000, 3000] as const;

/** @param tries so far, this one too. @param leftMs until the deadline of all tries */
export function afterTry(tried: Try, tries: number, leftMs: number): AfterTry {
  const why = tried.how === 'answered' ? `answered ${tried.status}` : tried.why;
  if (tried.how === 'answered') {
    const { status } = tried;
    if (status >= 200 && status < 300) return { next: 'taken', why };
    if (status >= 300 && status < 400)
      return { next: 'given_up', why: `${why}, which leads elsewhere and is not followed` };
    if (status < 500 && !PASSING.has(status)) return { next: 'given_up', why };
  }
  const backoff = BACKOFF_MS[tries - 1];
  const asked = tried.how === 'answered' ? (tried.retryAfterMs ?? 0) : 0;
  const afterMs = Math.max(backoff ?? 0, asked);
  if (backoff === undefined || afterMs >= leftMs) return { next: 'given_up', why: inTries(why, tries) };
  return { next: 'again', afterMs, why };
}

/** What may be otherwise a moment later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

const inTries = (why: string, tries: number): string => (tries === 1 ? why : `${why}, after ${tries} tries`);
