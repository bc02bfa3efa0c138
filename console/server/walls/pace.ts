// Limits the rate of requests with a bucket that refills over time.

interface Pace {
  /**
   * Takes one request from the bucket.
   * @returns whether there was one.
   */
  take(nowMs: number): boolean;
}

export function paceOf({ atOnce, aSecond }: { atOnce: number; aSecond: number }): Pace {
  let allowance = atOnce;
  let seenMs: number | null = null;
  return {
    take(nowMs) {
      allowance = Math.min(atOnce, allowance + ((nowMs - (seenMs ?? nowMs)) / 1000) * aSecond);
      seenMs = nowMs;
      if (allowance < 1) return false;
      allowance -= 1;
      return true;
    },
  };
}
