// Opens a codex rollout, or says why it is none that we can read.

import { visible } from '../../../policies/visible-text.ts';
import { type LineTable, openLines } from '../../sessions/line-table.ts';
import { type SessionFile, SessionFileError } from '../../sessions/store.ts';
import { readBegun } from './lookup.ts';
import { HEAD_BYTES } from './rollout-line.ts';

/** Throws SessionFileError. */
export function openTable(session: SessionFile): LineTable {
  const table = open(session.file);
  const wrong = whatIsWrong(table, session);
  if (wrong === null) return table;
  table.close();
  throw new SessionFileError(session.file, wrong);
}

function open(file: string): LineTable {
  try {
    return openLines(file, HEAD_BYTES);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SessionFileError(
      file,
      code === 'EINVAL' || code === 'ELOOP' ? 'it is no regular file' : `it cannot be read (${code})`,
    );
  }
}

/** `null`: what older versions wrote, without saying so. */
const KNOWN_MODES: readonly (string | null)[] = [null, 'legacy', 'paginated'];

function whatIsWrong(table: LineTable, { id }: SessionFile): string | null {
  if (table.bytes === 0) return 'it is empty';
  const begun = table.count === 0 ? null : readBegun(table.text(0));
  if (begun === null) return 'it is no session of codex: its first line is no session_meta record';
  if (begun.id !== id) return `it holds the session ${visible(String(begun.id)).slice(0, 80)}, not ${id}`;
  if (!KNOWN_MODES.includes(begun.historyMode))
    return `codex ${visible(String(begun.version)).slice(0, 40)} wrote it in a form that is not known here ("${visible(String(begun.historyMode)).slice(0, 40)}"): start a fresh session`;
  return null;
}
