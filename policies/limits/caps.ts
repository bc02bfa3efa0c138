// Decides whether a running call has used as many tokens or dollars as it may.

import type { RequestUsage, Usage } from '../facts/engine-event.ts';

/** The most that one call may use. `of`: what sets it: its caller, or what remains of its task's budget or of a limit over all tasks. */
export interface Cap {
  max: number;
  of: 'call' | 'task' | 'limit';
}

/** US dollars for a million tokens, by model. */
export type Prices = Readonly<Record<string, { input: number; cached?: number | undefined; output: number }>>;

export interface Caps {
  tokens: Cap | null;
  usd: Cap | null;
  prices: Prices;
  /** The requested model, for a CLI that does not report the one that it uses; null is its own choice. */
  model: string | null;
}

export interface CapReached {
  unit: 'tokens' | 'usd';
  used: number;
  cap: Cap;
  /** `estimated`: from the size of input and output; `dearest`: by the highest price, since that of the model is unknown. */
  by: 'count' | 'estimated' | 'dearest';
}

/** What is known of a running call. */
interface CapUse {
  requests: readonly RequestUsage[];
  /** The model of a request that does not name its own; null is unknown. */
  model: string | null;
  /** Dollars that the CLI reports itself; null is unknown. */
  usd: number | null;
  /** Tokens by the size of input and output. They count only if the CLI counted no request. */
  estimate: number;
}

/** @param counted what the CLI counted of the call so far, by requests or as one sum. */
export function capUse(
  counted: { requests: readonly RequestUsage[]; usage: Usage; model: string | null },
  estimate: number,
): CapUse {
  const { requests, model, usage } = counted;
  const { input_tokens: input, cached_tokens: cached, output_tokens: output, usd } = usage;
  if (requests.length > 0 || input === null || output === null) return { requests, model, usd, estimate };
  const sum = { model: null, input_tokens: input, cached_tokens: cached ?? 0, output_tokens: output };
  return { requests: [sum], model, usd, estimate };
}

/** Returns null while the call may go on. */
export function capReached({ tokens, usd, prices, model }: Caps, use: CapUse): CapReached | null {
  const isCounted = use.requests.length > 0;
  const used = isCounted ? tokensOf(use.requests) : use.estimate;
  if (tokens !== null && used >= tokens.max)
    return { unit: 'tokens', used, cap: tokens, by: isCounted ? 'count' : 'estimated' };
  if (usd === null) return null;
  if (use.usd !== null) return use.usd < usd.max ? null : { unit: 'usd', used: use.usd, cap: usd, by: 'count' };
  if (Object.keys(prices).length === 0) return null;
  // An estimate does not tell input from output, so it is priced as input.
  const guess: RequestUsage = { model: null, input_tokens: use.estimate, cached_tokens: 0, output_tokens: 0 };
  const bills = (isCounted ? use.requests : [guess]).map((one) => billOf(one, one.model ?? use.model ?? model, prices));
  const cost = bills.reduce((sum, bill) => sum + bill.usd, 0);
  if (cost < usd.max) return null;
  const by = isCounted ? (bills.every(({ isKnown }) => isKnown) ? 'count' : 'dearest') : 'estimated';
  return { unit: 'usd', used: cost, cap: usd, by };
}

export const tokensOf = (requests: readonly RequestUsage[]): number =>
  requests.reduce((sum, { input_tokens, output_tokens }) => sum + input_tokens + output_tokens, 0);

/** The cost of one request. An unknown model is priced like the dearest one that has a price. */
function billOf(request: RequestUsage, model: string | null, prices: Prices): { usd: number; isKnown: boolean } {
  const own = model !== null && Object.hasOwn(prices, model) ? costOf(request, prices[model]!) : null;
  if (own !== null) return { usd: own, isKnown: true };
  return { usd: Math.max(...Object.values(prices).map((price) => costOf(request, price))), isKnown: false };
}

/** In US dollars. Input tokens include those from the cache. */
export function costOf(
  { input_tokens, cached_tokens, output_tokens }: Omit<RequestUsage, 'model'>,
  { input, cached = input, output }: Prices[string],
): number {
  const fromCache = Math.min(cached_tokens, input_tokens);
  return ((input_tokens - fromCache) * input + fromCache * cached + output_tokens * output) / MILLION;
}

const MILLION = 1_000_000;

/** For a CLI that counts no tokens: four bytes are one; each request sends the prompt and half of the output so far. */
export const estimatedTokens = (promptBytes: number, outputBytes: number, requests: number): number =>
  Math.ceil((Math.max(requests, 1) * (promptBytes + outputBytes / 2) + outputBytes / 2) / 4);

/** The lower of two caps. null: no cap. */
export const lowerCap = (one: Cap | null, other: Cap | null): Cap | null =>
  one === null || other === null ? (one ?? other) : other.max < one.max ? other : one;

/** `it used 1200 tokens of at most 1000 (--max-tokens)`. */
export function capWords({ unit, used, cap, by }: CapReached): string {
  const amount = (count: number) =>
    unit === 'usd' ? `$${count < 0.01 ? count.toFixed(6) : count.toFixed(4)}` : `${count} tokens`;
  const set = cap.of === 'call' ? `--max-${unit}` : SET_BY[cap.of];
  return `the call used ${amount(used)}${BY[by]}; it may use ${amount(cap.max)} (${set})`;
}

const SET_BY = {
  task: "what remained of its task's budget",
  limit: 'what remained of a limit over all tasks',
} as const satisfies Record<Exclude<Cap['of'], 'call'>, string>;

const BY = {
  count: '',
  estimated: ' (estimated from the size of its input and output, since the CLI counted none)',
  dearest: ' (by the highest price in `prices`, since its model has none)',
} as const satisfies Record<CapReached['by'], string>;
