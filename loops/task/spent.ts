// Sums what a task's calls have used so far, for its limits and its reports.

import { usageOf } from '../../state/usage.ts';
import type { OpenTask } from './task.ts';

/** Sums over all paid calls of a task, in any run. */
export interface Spent {
  tokens: number;
  usd: number;
  /** Paid calls that did not report a value; they are in neither sum. */
  calls_without_tokens: number;
  calls_without_price: number;
}

/** Uses the journal and the calls' records, with the project's prices. Throws JournalError. */
export function spentOf({ task, journal, project }: OpenTask): Spent {
  const { all } = usageOf(task, journal.read().ledger, project.prices);
  return {
    tokens: all.total_tokens ?? 0,
    usd: all.usd ?? 0,
    calls_without_tokens: all.unknown_calls,
    calls_without_price: all.unpriced_calls,
  };
}
