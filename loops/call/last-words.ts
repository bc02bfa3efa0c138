// Reads the last output of a CLI: its own failure report, stored in its $TMPDIR, and its last events.

import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { namesIfAny } from '../../state/disk/folder.ts';
import { openRegular, readRegular } from '../../state/disk/regular-file.ts';
import type { Adapter, FailureReport } from '../../wrappers/adapter.ts';
import { type Attempt, hasOwnTemporary } from '../attempt/attempt.ts';

export interface ClientError extends FailureReport {
  file: string;
}

/**
 * Reads the last report, with the stack of the error and the whole conversation that was sent.
 * @returns null if no report can be read.
 */
export function clientError({ failureReport }: Adapter, attempt: Attempt): ClientError | null {
  if (failureReport === null) return null;
  // If another process made the call, the folder's name comes from a file that an agent may have written.
  if (!hasOwnTemporary(attempt)) return null;
  const files = namesIfAny(attempt.temporary).filter((name) => name.startsWith(failureReport.begins));
  // A helper's request also has a report. The report of the conversation is the last one, by the time in its name.
  files.sort((a, b) => (timeIn(a) < timeIn(b) ? -1 : 1));
  const last = files.at(-1);
  if (last === undefined) return null;
  const file = path.join(attempt.temporary, last);
  try {
    return { file, ...failureReport.read(readRegular(file)) };
  } catch {
    // The CLI was ended while it wrote the report, or the path is not a regular file.
    return null;
  }
}

const timeIn = (name: string): string => /\d{4}-\d\d-\d\dT[\d-]+Z/.exec(name)?.[0] ?? '';

/**
 * Returns the last events in the CLI's output file, oldest first. It skips message deltas. It shortens long events and returns
 * them as text. Throws the errors of the operating system.
 */
export function lastEvents(file: string): unknown[] {
  const lines = tailOf(file).split('\n').filter(isEvent);
  return lines.slice(-MOST).map((line) => (line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : parsed(line)));
}

const MOST = 20;
const MAX_CHARS = 8000;
const TAIL_BYTES = 256 * 1024;

const isEvent = (line: string): boolean => line.startsWith('{') && !/"type":"[^"]*_delta"/.test(line.slice(0, 200));

/** Starts at the first complete line. */
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
