// What claude's transcript counts: each model request, standing or not, and what claude has added up itself.

import type { Usage } from '../../../policies/facts/engine-event.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { countOf, fieldsOf, readRecord, textOf } from '../../sessions/record.ts';
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

/** From here the costs that its event stream tells go on: claude adds up from the last such record. */
export function countedSoFar(table: LineTable): Partial<Usage> | null {
  for (let line = table.count - 1; line >= 0; line -= 1) {
    const head = table.head(line);
    if (head.startsWith('{"parentUuid"') || (isOfNoAccount(head) && !head.startsWith('{"type":"cost-state"'))) continue;
    const record = readRecord(table.text(line));
    const usd = record?.type === 'cost-state' ? countOf(record.totalCostUSD) : null;
    if (usd !== null) return { usd };
  }
  return null;
}
