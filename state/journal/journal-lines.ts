// Reads the unfolded lines of a task's journal, for callers that need their order and their times.

import path from 'node:path';
import type { JournalLine } from './facts.ts';
import { parseLine, seeJournal } from './journal.ts';

/** Without torn lines, and lines that are not facts. Throws as reading a journal does. */
export function journalLines(taskFolder: string): JournalLine[] {
  const file = path.join(taskFolder, 'state', 'journal.jsonl');
  const text = seeJournal(file)?.toString('utf8') ?? '';
  return text
    .split('\n')
    .map((line) => parseLine(line, file))
    .filter((line) => typeof line === 'object');
}
