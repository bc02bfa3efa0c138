// Checks a task's limits other than paid calls. They are checked between calls, so one call may exceed them.

interface RunLimits {
  max_tokens?: number | undefined;
  max_usd?: number | undefined;
  max_wallclock_sec?: number | undefined;
}

interface SoFar {
  tokens: number;
  usd: number;
  calls_without_tokens: number;
  calls_without_price: number;
  /** Milliseconds until the task's wall clock expires; null means no limit. */
  wallLeftMs: number | null;
}

export interface UsedUp {
  /** The manifest's field. */
  field: keyof RunLimits;
  why: string;
}

/** Returns the first limit that is used up, or null. */
export function usedUp(limits: RunLimits, soFar: SoFar): UsedUp | null {
  const { max_tokens, max_usd, max_wallclock_sec } = limits;
  if (soFar.wallLeftMs !== null && soFar.wallLeftMs <= 0)
    return { field: 'max_wallclock_sec', why: `the task's wall clock of ${max_wallclock_sec} s is used up` };
  if (max_tokens !== undefined && soFar.tokens >= max_tokens)
    return { field: 'max_tokens', why: `${soFar.tokens} of ${max_tokens} tokens are used up` };
  if (max_usd !== undefined && soFar.usd >= max_usd)
    return { field: 'max_usd', why: `$${soFar.usd.toFixed(4)} of $${max_usd} are used up` };
  return null;
}
