// What claude's transcript counts over all model requests, whether they stand or not.

import type { LineTable } from '../../sessions/line-table.ts';
import { fieldsOf, readRecord, textOf } from '../../sessions/record.ts';
import { isOfNoAccount, isOfTheCli, tokensOf } from './row.ts';

/** What was taken back was paid for too. The parts of one message are rows of their own and each say the same count. */
export function totalTokens(table: LineTable): number | null {
  const totals = new Map<string, number>();
  for (let line = 0; line < table.count; line += 1) {
    if (isOfNoAccount(table.head(line))) continue;
    const record = readRecord(table.text(line));
    const id = textOf(fieldsOf(record?.message).id);
    const tokens = record?.type === 'assistant' && !isOfTheCli(record) ? tokensOf(record) : null;
    if (id !== null && tokens !== null) totals.set(id, tokens.input + tokens.output);
  }
  return totals.size === 0 ? null : [...totals.values()].reduce((sum, tokens) => sum + tokens, 0);
}
