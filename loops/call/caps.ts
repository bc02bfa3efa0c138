// Finds the caps that the caller of one call sets.

import type { Cap, Caps, Prices } from '../../policies/limits/caps.ts';
import { readProject } from '../../state/project/project.ts';
import type { Adapter } from '../../wrappers/adapter.ts';

/** What a caller allows one call; null: any number. */
interface Allowed {
  maxTokens: number | null;
  maxUsd: number | null;
}

/** @param project which has the prices. @returns null without a cap; a sentence if the needed price is unknown. */
export async function capsOf(
  adapter: Adapter,
  model: string | null,
  { maxTokens, maxUsd }: Allowed,
  project: string,
): Promise<Caps | null | string> {
  if (maxTokens === null && maxUsd === null) return null;
  const prices = maxUsd === null ? {} : await pricesOf(project);
  if (typeof prices === 'string') return prices;
  if (maxUsd !== null && !isPriced(adapter, model, prices))
    return `--max-usd needs the price of ${model === null ? `the model that ${adapter.tool} uses` : `the model ${model}`}: add it to \`prices\` in tollgate.yaml, or use --max-tokens`;
  const cap = (max: number | null): Cap | null => (max === null ? null : { max, of: 'call' });
  return { tokens: cap(maxTokens), usd: cap(maxUsd), prices, model };
}

/** Whether a cap in US dollars can be kept: without a named model, the highest price counts. */
export const isPriced = ({ endsAtUsd }: Adapter, model: string | null, prices: Prices): boolean =>
  endsAtUsd || (model === null ? Object.keys(prices).length > 0 : Object.hasOwn(prices, model));

/** @returns a sentence if the settings cannot be read. */
export async function pricesOf(project: string): Promise<Prices | string> {
  const read = await readProject(project);
  return read.how === 'read' ? read.value.prices : read.message;
}
