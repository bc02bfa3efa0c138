// Decides what follows an attempt to send a notification: it was accepted, is sent again, or is given up.

/** `retryAfterMs`: as the response requests. */
export type Try =
  | { how: 'answered'; status: number; retryAfterMs: number | null }
  /** The connection was refused or cut, or was silent for too long. */
  | { how: 'unanswered'; why: string };

type AfterTry =
  | { next: 'taken'; why: string }
  | { next: 'again'; afterMs: number; why: string }
  | { next: 'given_up'; why: string };

/** The waits before the second, third and fourth attempt. */
const BACKOFF_MS = [250, 1000, 3000] as const;

/**
 * @param tries the attempts so far, including this one.
 * @param leftMs milliseconds until the deadline of all attempts.
 */
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
  const requestedMs = tried.how === 'answered' ? (tried.retryAfterMs ?? 0) : 0;
  const afterMs = Math.max(backoff ?? 0, requestedMs);
  if (backoff === undefined || afterMs >= leftMs) return { next: 'given_up', why: inTries(why, tries) };
  return { next: 'again', afterMs, why };
}

/** Statuses that may change a moment later. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

const inTries = (why: string, tries: number): string => (tries === 1 ? why : `${why}, after ${tries} tries`);
