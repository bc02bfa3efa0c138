// Finds the current messages of a session file in order, as the CLI reads it.

import type { ContextTokens } from '../../../policies/session/conversation.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { tokensOf } from './conversation.ts';
import { asObject, type GeminiMessage, isMessage, objectsOf, parseRecord } from './record.ts';

interface Folded {
  /** Each start of the CLI writes such a line. The CLI does not accept a file without one as a session. */
  isSession: boolean;
  messages: GeminiMessage[];
  /** Number of records of an unknown kind. */
  unknown: number;
  /** Includes removed messages, which were paid. null if none was counted. */
  totalTokens: number | null;
}

export function foldLines(table: LineTable): Folded {
  const standing = new Map<string, GeminiMessage>();
  const stand = (message: GeminiMessage) => standing.set(message.id, message);
  const totals = new Map<string, ContextTokens>();
  const count = (message: GeminiMessage) => {
    const tokens = tokensOf(message);
    if (tokens !== null) totals.set(message.id, tokens);
  };
  let [isSession, unknown] = [false, 0];
  // A writer that was interrupted right before the newline has still written a complete record.
  for (let i = 0; i <= table.count; i++) {
    const record = parseRecord(table.text(i));
    if (record === null) continue;
    const isBeginning = isMetadata(record);
    isSession ||= isBeginning;
    const set = asObject(record.$set);
    if (typeof record.$rewindTo === 'string') rewind(standing, record.$rewindTo);
    else if (isMessage(record)) {
      stand(record);
      count(record);
    } else if (set !== null) {
      // A complete list replaces all before it.
      if (Array.isArray(set.messages)) {
        standing.clear();
        unknown = 0;
      }
      objectsOf(set.messages).filter(isMessage).forEach(stand);
    } else if (isBeginning) objectsOf(record.messages).filter(isMessage).forEach(stand);
    else unknown += 1;
  }
  const messages = [...standing.values()];
  for (const message of messages) if (!totals.has(message.id)) count(message);
  return { isSession, messages, unknown, totalTokens: sumOf([...totals.values()]) };
}

export const sumOf = (counts: readonly ContextTokens[]): number | null =>
  counts.length === 0 ? null : counts.reduce((sum, { input, output }) => sum + input + output, 0);

/** The line that each start of the CLI begins with. */
const isMetadata = ({ sessionId, projectHash }: Record<string, unknown>): boolean =>
  typeof sessionId === 'string' && typeof projectHash === 'string';

/** If the id is not among the current messages, the CLI forgets everything. */
function rewind(standing: Map<string, GeminiMessage>, id: string): void {
  let found = !standing.has(id);
  for (const key of standing.keys()) {
    found ||= key === id;
    if (found) standing.delete(key);
  }
}
