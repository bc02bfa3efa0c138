// Appends the facts about a call to the journal, on behalf of its guardian.

import type { CallRecord } from '../../policies/report/call-record.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Journal } from '../../state/journal/journal.ts';

/** @returns a warning if the fact could not be written, else null. A call without a task has no journal. */
export function noteFact(journal: Journal | null, fact: Fact): string | null {
  try {
    journal?.append(fact);
    return null;
  } catch (error) {
    // The call is running and paid. Its result is more important than its entry in the journal.
    return `the journal could not be written: ${(error as Error).message}`;
  }
}

/** Makes the fact that closes a call from its record. */
export function verdictFact(record: CallRecord): Extract<Fact, { fact: 'verdict' }> {
  const { class: errorClass, reason, retry_at } = record.verdict;
  const { call_id, signature, wrapper_exit_code: exit_code } = record;
  return { fact: 'verdict', call_id, class: errorClass, reason, signature, retry_at, exit_code };
}
