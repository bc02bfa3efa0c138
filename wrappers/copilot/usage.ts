// Reads the file that copilot writes for `--usage-output-file`: its event stream counts no tokens. It counts the session from its beginning.

import type { Usage } from '../../policies/facts/engine-event.ts';
import { numberOf, parseObject, partOf } from '../../policies/text/json.ts';

/** Sums over the models that were asked; empty for a text that is no such file. The requests of this call are told as they are made. */
export function readUsage(text: string): Partial<Usage> {
  const metrics = partOf(parseObject(text)?.modelMetrics);
  if (metrics === null || metrics === undefined) return {};
  const models = Object.values(metrics).map(partOf);
  const sum = (group: string, field: string) =>
    models.reduce((total, model) => total + (numberOf(partOf(model?.[group])?.[field]) ?? 0), 0);
  const input = sum('usage', 'inputTokens');
  const output = sum('usage', 'outputTokens');
  return {
    input_tokens: input,
    cached_tokens: sum('usage', 'cacheReadTokens'),
    output_tokens: output,
    total_tokens: input + output,
  };
}
