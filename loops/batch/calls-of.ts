// How many calls were paid in a task's life, as its journal says; what broke in the middle left no report that does.

import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';

/** 0 where the journal cannot be read: then its task was not begun, or what is wrong with it is told already. */
export function callsOf(root: string, clock: () => Date): number {
  try {
    const { ledger } = openJournal(root, clock).read();
    return [...ledger.calls.values()].filter(({ granted }) => granted).length;
  } catch (error) {
    if (!isSystemError(error) && !(error instanceof JournalError)) throw error;
    return 0;
  }
}
