// How claude's transcript is changed: a mark at its end says which row is the last that stands, as claude's own rewind writes it.

import type { LineTable } from '../../sessions/line-table.ts';
import type { Edit, SessionFile } from '../../sessions/store.ts';
import type { ClaudeRow } from './row.ts';
import { type ClaudeStanding, foldTranscript } from './standing.ts';

interface Marked {
  table: LineTable;
  standing: ClaudeStanding;
  session: SessionFile;
}

/** @param leaf the last row that is to stand; null for none. */
export function goBackTo(leaf: ClaudeRow | null, marked: Marked): Edit {
  const { table, standing, session } = marked;
  // Of what was summed up claude keeps no row that a mark could name.
  if (leaf !== null && standing.summary !== null && leaf.line < standing.summary.line) return cutBehind(leaf, marked);
  const mark = { type: 'last-prompt', leafUuid: leaf?.uuid ?? null, explicit: true, sessionId: session.id };
  const half = table.bytes > table.offset(table.count) ? '\n' : '';
  return { how: 'append', text: `${half}${JSON.stringify(mark)}\n` };
}

function cutBehind(leaf: ClaudeRow, { table }: Marked): Edit {
  const lines = leaf.line + 1;
  if (foldTranscript(table, lines).leaf?.uuid === leaf.uuid) return { how: 'cut', atByte: table.offset(lines) };
  return {
    how: 'impossible',
    why: 'What is to stand was summed up, and is not the last of what was said by then: start a fresh session instead.',
  };
}
