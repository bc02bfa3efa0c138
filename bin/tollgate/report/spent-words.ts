// Formats what was spent as the cells of a table; unknown amounts are counted separately, never as zero.

import type { DaySpending } from '../../../policies/report/spending.ts';

export const SPENT_HEADINGS = ['day', 'CLI', 'calls', 'tokens', 'USD', 'time'] as const;

type Sums = Omit<DaySpending, 'day' | 'tool'>;

/** Formats calls, tokens, USD and time. */
export function spentWords({
  calls,
  tokens,
  calls_without_tokens,
  usd,
  calls_without_price,
  duration_ms,
}: Sums): string[] {
  const without = (n: number) => (n === 0 ? '' : ` (${n} not known)`);
  return [
    String(calls),
    calls === calls_without_tokens ? '-' : `${tokens}${without(calls_without_tokens)}`,
    calls === calls_without_price ? '-' : `${usd.toFixed(4)}${without(calls_without_price)}`,
    timeWords(duration_ms),
  ];
}

export function spentTotals(spent: readonly DaySpending[]): Sums {
  const sum = (field: keyof Sums) => spent.reduce((all, one) => all + one[field], 0);
  return {
    calls: sum('calls'),
    tokens: sum('tokens'),
    calls_without_tokens: sum('calls_without_tokens'),
    usd: sum('usd'),
    calls_without_price: sum('calls_without_price'),
    duration_ms: sum('duration_ms'),
  };
}

export function spentRows(spent: readonly DaySpending[]): string[][] {
  return spent.map((one) => [one.day, one.tool, ...spentWords(one)]);
}

function timeWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
