// Implements the journal of a dry run: facts appended to it are read back, and nothing is written.

import { type Fact, JOURNAL_VERSION, type JournalLine } from './facts.ts';
import { foldAnew, type Journal, openJournal } from './journal.ts';
import { fold } from './ledger.ts';

/** For callers that only look at a task, which may be another user's. */
export function createDryRunJournal(taskFolder: string, clock: () => Date): Journal {
  const { file, read } = openJournal(taskFolder, clock);
  const imagined: JournalLine[] = [];
  const imagine = (fact: Fact) => {
    imagined.push({ v: JOURNAL_VERSION, at: clock().toISOString(), ...fact });
  };
  return {
    file,
    append: imagine,
    note: async (fact) => imagine(fact),
    read(upTo) {
      if (upTo !== undefined || imagined.length === 0) return read(upTo);
      const reading = foldAnew(file);
      for (const [at, line] of imagined.entries()) fold(reading.ledger, line, reading.offset + at);
      return reading;
    },
  };
}
