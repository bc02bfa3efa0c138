// Opens copilot's events, or says why they are none that we can read.

import { visible } from '../../../policies/text/visible-text.ts';
import type { LineTable } from '../../sessions/line-table.ts';
import { openSessionLines } from '../../sessions/opening.ts';
import type { SessionFile } from '../../sessions/store.ts';
import { HEAD_BYTES } from './event-line.ts';
import { readBegun } from './lookup.ts';

/** Throws SessionFileError. */
export const openTable = (session: SessionFile): LineTable =>
  openSessionLines(session, HEAD_BYTES, (firstLine) => whatIsWrong(firstLine, session));

/** Of the file's form, as `version` in its first event. */
const KNOWN_FORM = 1;

function whatIsWrong(firstLine: string, { id }: SessionFile): string | null {
  const begun = readBegun(firstLine);
  if (begun === null) return 'it is no session of copilot: its first line is no session.start event';
  if (begun.id !== id) return `it holds the session ${brief(begun.id)}, not ${id}`;
  if (begun.form !== KNOWN_FORM)
    return `copilot ${brief(begun.version)} wrote it in a form that is not known here (version ${begun.form}): start a fresh session`;
  return null;
}

const brief = (text: string | null): string => visible(String(text)).slice(0, 80);
