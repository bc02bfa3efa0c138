// How many calls were paid in a task's life, as its journal says; what broke in the middle left no report that does.

import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask } from '../../state/task-folder.ts';
import type { RunContext } from '../task/run-context.ts';

/** 0 where the journal cannot be read: then its task was not begun, or what is wrong with it is told already. */
export function callsOf({ cwd, environment, clock }: Pick<RunContext, 'cwd' | 'environment' | 'clock'>, word: string) {
  const located = locateTask(word, cwd, environment);
  if (located.how === 'invalid') return 0;
  try {
    const { ledger } = openJournal(located.folder.root, clock).read();
    return [...ledger.calls.values()].filter(({ granted }) => granted).length;
  } catch (error) {
    if (!isSystemError(error) && !(error instanceof JournalError)) throw error;
    return 0;
  }
}
