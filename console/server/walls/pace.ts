// Limits the rate of requests with a bucket that refills over time.

interface Pace {
  /**
   * Takes one request from the bucket.
   * @returns whether there was one.
   */
  take(nowMs: number): boolean;
}

export function paceOf({ atOnce, aSecond }: { atOnce: number; aSecond: number }): Pace {
  let left = atOnce;
  let seenMs: number | null = null;
  return {
    take(nowMs) {
      left = Math.min(atOnce, left + ((nowMs - (seenMs ?? nowMs)) / 1000) * aSecond);
      seenMs = nowMs;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
