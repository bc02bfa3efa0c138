// Limits what a distillation may use: seconds, tokens and dollars. The limits are checked between turns.

import { dollars } from '../text/display.ts';
import type { TurnUsage } from './service.ts';

/** The paid calls of a distillation whose limit is not given: one for each section. */
export const DEFAULT_CALLS = 2000;

export interface DistillBudgets {
  /** For this run of the command; null means no limit. */
  maxSeconds: number | null;
  /** For the whole distillation. */
  maxTokens: number | null;
  maxUsd: number | null;
  /** Answers without a known price that came before this run of the command. A user who resumes knows about them. */
  unpricedBefore?: number;
}

export interface DistillSpent {
  tokens: number;
  /** How many of these tokens are estimates (a fourth of the characters), because the service counted none. */
  estimated: number;
  usd: number;
  /** Answers without a known price. */
  unpriced: number;
}

export const NOTHING_SPENT: DistillSpent = { tokens: 0, estimated: 0, usd: 0, unpriced: 0 };

/** Adds requests that broke off without an answer, each at the cost of an average answer, or else of its request. */
export function withUnheard(
  spent: DistillSpent,
  unheard: { tries: number; turns: number; chars: number },
): DistillSpent {
  const { tries, turns, chars } = unheard;
  const tokens = tries * (turns === 0 ? Math.ceil(chars / 4) : Math.ceil(spent.tokens / turns));
  const usd = turns === 0 ? 0 : (tries * spent.usd) / turns;
  return { ...spent, tokens: spent.tokens + tokens, estimated: spent.estimated + tokens, usd: spent.usd + usd };
}

/** Returns why no further turn is requested, or null. */
export function budgetReached(budgets: DistillBudgets, spent: DistillSpent, elapsedMs: number): string | null {
  const { maxSeconds, maxTokens, maxUsd } = budgets;
  if (maxSeconds !== null && elapsedMs >= maxSeconds * 1000) return `time budget reached: ${maxSeconds} s`;
  if (maxTokens !== null && spent.tokens >= maxTokens)
    return `token budget reached${spent.estimated > 0 ? ' (est)' : ''}: ${spent.tokens} of ${maxTokens}`;
  if (maxUsd !== null && spent.usd >= maxUsd)
    return `money budget reached: ${dollars(spent.usd)} of $${maxUsd}${spent.unpriced > 0 ? `, and ${spent.unpriced} answers without a known price` : ''}`;
  const unpriced = spent.unpriced - (budgets.unpricedBefore ?? 0);
  if (maxUsd !== null && unpriced > 0)
    return `money budget of $${maxUsd} cannot be kept: no price is known of the last answer; ${dollars(spent.usd)} is known`;
  return null;
}

/** Returns the tokens as the service counted them, else a fourth of the characters. */
export function tokensOf(usage: TurnUsage | null, chars: number): { tokens: number; estimated: boolean } {
  if (usage === null) return { tokens: Math.ceil(chars / 4), estimated: true };
  return { tokens: usage.input + usage.output + usage.thoughts, estimated: false };
}
