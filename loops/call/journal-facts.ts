// Appends the facts about a call to the journal, on behalf of its guardian.

import type { CallRecord } from '../../policies/record/call-record.ts';
import type { Fact } from '../../state/journal/facts.ts';
import type { Journal } from '../../state/journal/journal.ts';
import type { Draft } from '../attempt/draft.ts';

/** @returns whether the fact is in the journal; true if there is no journal. */
export function noteFact(journal: Journal | null, fact: Fact, draft: Draft): boolean {
  try {
    journal?.append(fact);
    return true;
  } catch (error) {
    // The call is running and paid. Its result is more important than its entry in the journal.
    draft.warnings.push(`the journal could not be written: ${(error as Error).message}`);
    return false;
  }
}

/** Makes the fact that closes a call from its record. */
export function verdictFact(record: CallRecord): Extract<Fact, { fact: 'verdict' }> {
  const { class: errorClass, reason, retry_at } = record.verdict;
  const { call_id, signature, wrapper_exit_code: exit_code } = record;
  return { fact: 'verdict', call_id, class: errorClass, reason, signature, retry_at, exit_code };
}
