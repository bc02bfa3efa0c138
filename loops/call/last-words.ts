// The last words of a CLI: its own report of a failure, which it leaves in its $TMPDIR, and the last events that it told.

import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';
import { openRegular, readRegular } from '../../state/disk/regular-file.ts';
import type { Adapter, FailureReport } from '../../wrappers/adapter.ts';
import { type Attempt, hasOwnTemporary } from '../attempt/attempt.ts';

export interface ClientError extends FailureReport {
  file: string;
}

/** The last one, with the error's stack and the whole conversation that was sent; null where there is none that can be read. */
export function clientError({ failureReport }: Adapter, attempt: Attempt): ClientError | null {
  if (failureReport === null) return null;
  // Of a call that another process made the folder is only named, in a file that an agent may have written.
  if (!hasOwnTemporary(attempt)) return null;
  const files = namesIfAny(attempt.temporary).filter((name) => name.startsWith(failureReport.begins));
  // A helper's request has a report too; the conversation's own comes last, by the time at its end.
  files.sort((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1));
  const last = files.at(-1);
  if (last === undefined) return null;
  const file = path.join(attempt.temporary, last);
  try {
    return { file, ...failureReport.read(readRegular(file)) };
  } catch {
    // The CLI was ended while it wrote it, or it is no file of its own.
    return null;
  }
}

const timeIn = (name: string): string => /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';

/** As they stand in the file of its output, oldest first; pieces of messages are left out, and what is long is cut and given as text. Throws what the operating system throws. */
export function lastEvents(file: string): unknown[] {
  const lines = tailOf(file).split('\n').filter(isEvent);
  return lines.slice(-MOST).map((line) => (line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : parsed(line)));
}

const MOST = 20;
const MAX_CHARS = 8000;
const TAIL_BYTES = 256 * 1024;

const isEvent = (line: string): boolean => line.startsWith('{') && !/"type":"[^"]*_delta"/.test(line.slice(0, 200));

/** From the first whole line in it. */
function tailOf(file: string): string {
  const fd = openRegular(file);
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, from));
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(fd);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
