// What a task's calls have used so far, by their records: tokens, and dollars where a price is known.

import type { CallRecord } from '../../policies/call-record.ts';
import type { ProjectFile } from '../../policies/project-file.ts';
import { readRecord } from './guardian.ts';
import type { OpenTask } from './task.ts';

export interface Spent {
  tokens: number;
  usd: number;
  /** Calls that were paid and did not say; they are in neither sum. */
  calls_without_tokens: number;
  calls_without_price: number;
}

export function spentOf({ task, journal, project }: OpenTask): Spent {
  const spent: Spent = { tokens: 0, usd: 0, calls_without_tokens: 0, calls_without_price: 0 };
  for (const { granted, reserved } of journal.read().ledger.calls.values()) {
    if (!granted) continue;
    const record = readRecord(task, reserved.call_id);
    const tokens = record?.usage.total_tokens ?? null;
    const usd = record === null ? null : priceOf(record, project.prices);
    if (tokens === null) spent.calls_without_tokens += 1;
    else spent.tokens += tokens;
    if (usd === null) spent.calls_without_price += 1;
    else spent.usd += usd;
  }
  return spent;
}

const MILLION = 1_000_000;

/** US dollars: what the CLI said, else by the project's own prices; null when neither is known. */
export function priceOf({ model, usage }: CallRecord, prices: ProjectFile['prices']): number | null {
  if (usage.usd !== null) return usage.usd;
  const price = model !== null && Object.hasOwn(prices, model) ? prices[model]! : null;
  const { input_tokens: input, cached_tokens: cached, output_tokens: output } = usage;
  if (price === null || input === null || output === null) return null;
  const fromCache = Math.min(cached ?? 0, input);
  return (
    ((input - fromCache) * price.input + fromCache * (price.cached ?? price.input) + output * price.output) / MILLION
  );
}
