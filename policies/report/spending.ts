// Computes the price of a call, and sums the spending by day and by CLI.

import { costOf } from '../limits/caps.ts';
import type { ProjectFile } from '../manifest/project-file.ts';
import type { CallRecord } from './call-record.ts';

/** One paid call; null means that it did not report the value. */
export interface SpentCall {
  /** `YYYY-MM-DD` in UTC, on which it was paid. */
  day: string;
  tool: string;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string;
  tokens: number | null;
  usd: number | null;
  durationMs: number | null;
}

/** For one CLI and account on one day. Each sum covers the calls that reported the value. */
export interface DaySpending {
  day: string;
  tool: string;
  account?: string;
  calls: number;
  tokens: number;
  calls_without_tokens: number;
  usd: number;
  calls_without_price: number;
  duration_ms: number;
}

/** The last day first; within a day, by the name of the CLI. */
export function spendingByDay(calls: readonly SpentCall[]): DaySpending[] {
  const days = new Map<string, DaySpending>();
  for (const { day, tool, account, tokens, usd, durationMs } of calls) {
    const key = `${day} ${tool} ${account ?? ''}`;
    const sum = days.get(key) ?? nothingOf(day, tool);
    if (account !== undefined) sum.account = account;
    sum.calls += 1;
    sum.tokens += tokens ?? 0;
    sum.calls_without_tokens += Number(tokens === null);
    sum.usd += usd ?? 0;
    sum.calls_without_price += Number(usd === null);
    sum.duration_ms += durationMs ?? 0;
    days.set(key, sum);
  }
  const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return [...days.values()].sort(
    (a, b) => order(b.day, a.day) || order(a.tool, b.tool) || order(a.account ?? '', b.account ?? ''),
  );
}

// Written out, because V8 keeps a separate shape for a copy of an object, and there may be one for each of 10,000 tasks.
const nothingOf = (day: string, tool: string): DaySpending => ({
  day,
  tool,
  calls: 0,
  tokens: 0,
  calls_without_tokens: 0,
  usd: 0,
  calls_without_price: 0,
  duration_ms: 0,
});

/**
 * Computes a call's cost in US dollars: as its CLI reported it, or else by the project's prices; null if neither is known. There are
 * no built-in prices, because they would become wrong.
 */
export function priceOf(
  { model, usage }: Pick<CallRecord, 'model' | 'usage'>,
  prices: ProjectFile['prices'],
): number | null {
  if (typeof usage?.usd === 'number') return usage.usd;
  const price = model !== null && Object.hasOwn(prices, model) ? prices[model]! : null;
  const { input_tokens: input, cached_tokens: cached, output_tokens: output } = usage;
  if (price === null || input === null || output === null) return null;
  return costOf({ input_tokens: input, cached_tokens: cached ?? 0, output_tokens: output }, price);
}
