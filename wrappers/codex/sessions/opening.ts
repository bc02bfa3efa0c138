// Opens a codex rollout, or says why it is none that we can read.

import { visible } from '../../../policies/text/visible-text.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { openSessionLines } from '../../sessions/opening.ts';
import type { SessionFile } from '../../sessions/store.ts';
import { readBegun } from './lookup.ts';
import { HEAD_BYTES } from './rollout-line.ts';

/** Throws SessionFileError. */
export const openTable = (session: SessionFile): LineTable =>
  openSessionLines(session, HEAD_BYTES, (firstLine) => whatIsWrong(firstLine, session));

/** `null`: what older versions wrote, without saying so. */
const KNOWN_MODES: readonly (string | null)[] = [null, 'legacy', 'paginated'];

function whatIsWrong(firstLine: string, { id }: SessionFile): string | null {
  const begun = readBegun(firstLine);
  if (begun === null) return 'it is no session of codex: its first line is no session_meta record';
  if (begun.id !== id) return `it holds the session ${brief(begun.id)}, not ${id}`;
  if (!KNOWN_MODES.includes(begun.historyMode))
    return `codex ${brief(begun.version)} wrote it in a form that is not known here ("${brief(begun.historyMode)}"): start a fresh session`;
  return null;
}

const brief = (text: string | null): string => visible(String(text)).slice(0, 80);
