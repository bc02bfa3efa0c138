// The lines of a task's journal as they stand, for whoever needs their order and their times beside what they come to.

import path from 'node:path';
import type { JournalLine } from './facts.ts';
import { parseLine, seeJournal } from './journal.ts';

/** Without halves, and what is no fact. Throws as reading a journal does. */
export function journalLines(taskFolder: string): JournalLine[] {
  const file = path.join(taskFolder, 'state', 'journal.jsonl');
  const text = seeJournal(file)?.toString('utf8') ?? '';
  return text
    .split('\n')
    .map((line) => parseLine(line, file))
    .filter((line) => typeof line === 'object');
}
