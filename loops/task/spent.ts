// What a task's calls have used so far, as its limits and its reports count it.

import { usageOf } from '../../state/usage.ts';
import type { OpenTask } from './task.ts';

/** Sums over all paid calls of a task, in any run. */
export interface Spent {
  tokens: number;
  usd: number;
  /** Calls that were paid and did not say; they are in neither sum. */
  calls_without_tokens: number;
  calls_without_price: number;
}

/** By the journal and the calls' records; prices are the project's. Throws JournalError. */
export function spentOf({ task, journal, project }: OpenTask): Spent {
  const { all } = usageOf(task, journal.read().ledger, project.prices);
  return {
    tokens: all.total_tokens ?? 0,
    usd: all.usd ?? 0,
    calls_without_tokens: all.unknown_calls,
    calls_without_price: all.unpriced_calls,
  };
}
