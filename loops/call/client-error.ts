// gemini's own report of a failure, which it leaves in its $TMPDIR: the error's stack, and the whole conversation that was sent.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { listOf, parseObject, partOf, textOf } from '../../policies/text/json.ts';
import { readRegular } from '../../state/disk/regular-file.ts';
import { type Attempt, hasOwnTemporary } from '../attempt/attempt.ts';

export interface ClientError {
  file: string;
  stack: string | null;
  /** null where the report has none. */
  conversation: unknown[] | null;
}

/** The last one; null where there is none that can be read. */
export function clientError(attempt: Attempt): ClientError | null {
  // Of a call that another process made the folder is only named, in a file that an agent may have written.
  if (!hasOwnTemporary(attempt)) return null;
  const files = namesIn(attempt.temporary).filter((name) => name.startsWith('gemini-client-error-'));
  // A helper's request has a report too; the conversation's own comes last, by the time at its end.
  files.sort((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1));
  const last = files.at(-1);
  return last === undefined ? null : read(path.join(attempt.temporary, last));
}

const timeIn = (name: string): string => /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): ClientError | null {
  try {
    const report = parseObject(readRegular(file));
    const conversation = listOf(report?.context);
    return {
      file,
      stack: textOf(partOf(report?.error)?.stack),
      conversation: conversation.length === 0 ? null : conversation,
    };
  } catch {
    // The CLI was ended while it wrote it, or it is no file of its own.
    return null;
  }
}
