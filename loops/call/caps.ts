// Finds the caps of a call: what its caller allows, and what remains of the limits over all tasks.

import { type Cap, type Caps, lowerCap, type Prices } from '../../policies/limits/caps.ts';
import { readProject } from '../../state/project/project.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import type { CheckedCall } from '../attempt/phases.ts';
import { projectOf } from '../limits/limited-call.ts';

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
async function pricesOf(project: string): Promise<Prices | string> {
  const read = await readProject(project);
  return read.how === 'read' ? read.value.prices : read.message;
}

/** @param left what remains of the limits over all tasks; null: any number. */
export async function cappedBy(
  checked: CheckedCall,
  left: { tokens: number | null; usd: number | null },
): Promise<CheckedCall> {
  const { request } = checked;
  const { task = null } = request.charge ?? {};
  const own = request.limits.caps ?? { tokens: null, usd: null, prices: {}, model: request.call.model };
  const known = left.usd === null ? {} : await pricesOf(projectOf({ task, cwd: request.call.cwd }));
  const prices = typeof known === 'string' ? {} : known;
  const cap = (max: number | null): Cap | null => (max === null ? null : { max, of: 'limit' });
  const caps = {
    ...own,
    tokens: lowerCap(own.tokens, cap(left.tokens)),
    usd: lowerCap(own.usd, cap(left.usd)),
    prices: { ...prices, ...own.prices },
  };
  return { ...checked, request: { ...request, limits: { ...request.limits, caps } } };
}
