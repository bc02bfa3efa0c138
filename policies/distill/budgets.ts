// What a distillation may use: seconds, tokens, dollars; looked at between turns.

import type { TurnUsage } from './service.ts';

export interface DistillBudgets {
  /** Of this run of the command; null is no limit. */
  maxSeconds: number | null;
  /** Of the whole distillation. */
  maxTokens: number | null;
  maxUsd: number | null;
  /** Answers without a known price that came before this run of the command: who goes on knows of them. */
  unpricedBefore?: number;
}

export interface DistillSpent {
  tokens: number;
  /** How many of them are a fourth of the characters, since the service counted none. */
  estimated: number;
  usd: number;
  /** Answers of which no price is known. */
  unpriced: number;
}

export const NOTHING_SPENT: DistillSpent = { tokens: 0, estimated: 0, usd: 0, unpriced: 0 };

/** With requests that broke off unheard: each may have been paid like a usual answer, or like its request where there was none yet. */
export function withUnheard(
  spent: DistillSpent,
  unheard: { tries: number; turns: number; chars: number },
): DistillSpent {
  const { tries, turns, chars } = unheard;
  const tokens = tries * (turns === 0 ? Math.ceil(chars / 4) : Math.ceil(spent.tokens / turns));
  const usd = turns === 0 ? 0 : (tries * spent.usd) / turns;
  return { ...spent, tokens: spent.tokens + tokens, estimated: spent.estimated + tokens, usd: spent.usd + usd };
}

/** Why no further turn is asked for, or null. */
export function budgetReached(budgets: DistillBudgets, spent: DistillSpent, elapsedMs: number): string | null {
  const { maxSeconds, maxTokens, maxUsd } = budgets;
  if (maxSeconds !== null && elapsedMs >= maxSeconds * 1000) return `time budget reached: ${maxSeconds} s`;
  if (maxTokens !== null && spent.tokens >= maxTokens)
    return `token budget reached${spent.estimated > 0 ? ' (est)' : ''}: ${spent.tokens} of ${maxTokens}`;
  if (maxUsd !== null && spent.usd >= maxUsd)
    return `money budget reached: $${spent.usd.toFixed(4)} of $${maxUsd}${spent.unpriced > 0 ? `, and ${spent.unpriced} answers without a known price` : ''}`;
  const unpriced = spent.unpriced - (budgets.unpricedBefore ?? 0);
  if (maxUsd !== null && unpriced > 0)
    return `money budget of $${maxUsd} cannot be kept: no price is known of the last answer; $${spent.usd.toFixed(4)} is known`;
  return null;
}

/** As the service counted them, else a fourth of the characters. */
export function tokensOf(usage: TurnUsage | null, chars: number): { tokens: number; estimated: boolean } {
  if (usage === null) return { tokens: Math.ceil(chars / 4), estimated: true };
  return { tokens: usage.input + usage.output + usage.thoughts, estimated: false };
}
