// What claude counts of one call: its totals go on counting over a resumed session, and what it counted since the last result does not.

import type { Usage } from '../../policies/facts/engine-event.ts';
import { type Json, numberOf, partOf } from '../../policies/text/json.ts';

/** @param event a `result`. One after the first counts only what came between. */
export function usageOf(event: Json): Partial<Usage> {
  const models = Object.values(partOf(event.model_usage_since_last_result) ?? {}).map(partOf);
  if (models.length === 0) return {};
  const sum = (...names: string[]) => {
    const counts = models.flatMap((model) => names.map((name) => numberOf(model?.[name]) ?? 0));
    return counts.reduce((total, count) => total + count, 0);
  };
  const input = sum('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens');
  const output = sum('outputTokens');
  // A model that is not in its list is priced like the dearest.
  const isPriced = models.every((model) => model?.costBasis !== 'unknown');
  return {
    input_tokens: input,
    cached_tokens: sum('cacheReadInputTokens'),
    output_tokens: output,
    total_tokens: input + output,
    usd: isPriced ? sum('costUSD') : null,
  };
}
