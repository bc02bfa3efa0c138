// Computes a call's cost in US dollars: as its CLI reported it, or else by the project's prices.

import type { ProjectFile } from '../manifest/project-file.ts';
import type { CallRecord } from './call-record.ts';

const MILLION = 1_000_000;

/** null if neither is known. There are no built-in prices, because they would become wrong. */
export function priceOf(
  { model, usage }: Pick<CallRecord, 'model' | 'usage'>,
  prices: ProjectFile['prices'],
): number | null {
  if (typeof usage?.usd === 'number') return usage.usd;
  const price = model !== null && Object.hasOwn(prices, model) ? prices[model]! : null;
  const { input_tokens: input, cached_tokens: cached, output_tokens: output } = usage;
  if (price === null || input === null || output === null) return null;
  // Input tokens include those from the cache.
  const fromCache = Math.min(cached ?? 0, input);
  const fresh = input - fromCache;
  return (fresh * price.input + fromCache * (price.cached ?? price.input) + output * price.output) / MILLION;
}
