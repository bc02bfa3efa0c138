// So many requests and no more: a bucket that fills up again with time.

interface Pace {
  /** Whether there is still one; it is taken. */
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
