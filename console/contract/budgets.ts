// Declares the limits over all tasks of the user, and the use by day.

export interface LimitsShown {
  budgets: BudgetShown[];
  at_once: PaceShown[];
  per_minute: PaceShown[];
  open: { call_id: string; tool: string; since: string }[];
  holds: HoldShown[];
}

export interface BudgetShown {
  tool: string;
  per: string;
  unit: string;
  most: number;
  used: number;
  left: number;
  /** Calls whose use is not known; they are not included in the sum. */
  unknown_calls: number;
  until: string;
  /** ISO time since when calls are counted; null if they are counted for the whole period. */
  counted_since: string | null;
  /** The root of the project that limits itself; null for the user's own limits. */
  project: string | null;
}

interface PaceShown {
  tool: string;
  most: number;
  project: string | null;
}

export interface HoldShown {
  tool: string;
  account: string;
  model: string | null;
  reason: string;
  since: string;
  until: string | null;
}

export interface SpentShown {
  tools: string[];
  /** Oldest first, without gaps; `day` as `2026-11-25`. */
  days: { day: string; by_tool: Record<string, SpentInDay> }[];
}

/** The sums are over the calls that reported the figure. */
export interface SpentInDay {
  calls: number;
  tokens: number;
  calls_without_tokens: number;
  usd: number;
  calls_without_price: number;
}
