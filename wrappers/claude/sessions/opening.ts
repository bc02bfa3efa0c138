// Opens claude's transcript, or says why it is none that we can read.

import { visible } from '../../../policies/text/visible-text.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { openSessionLines } from '../../sessions/opening.ts';
import { readRecord, textOf } from '../../sessions/record.ts';
import type { SessionFile } from '../../sessions/store.ts';
import { HEAD_BYTES } from './row.ts';

/** Throws SessionFileError. */
export const openTable = (session: SessionFile): LineTable =>
  openSessionLines(session, HEAD_BYTES, (firstLine) => whatIsWrong(firstLine, session));

function whatIsWrong(firstLine: string, { id }: SessionFile): string | null {
  const record = readRecord(firstLine);
  const holds = textOf(record?.sessionId);
  if (textOf(record?.type) === null || holds === null)
    return 'it is no session of claude: its first line is no record of one';
  if (holds !== id) return `it holds the session ${visible(holds).slice(0, 80)}, not ${id}`;
  return null;
}
