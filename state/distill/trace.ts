// Writes the trace of a distillation: a line for every turn and every error, redacted by its writer.

import { closeSync, constants } from 'node:fs';
import { appendText } from '../append-line.ts';
import { openRegular, readRegularOrNull } from '../disk/regular-file.ts';
import { isSystemError } from '../system-error.ts';
import type { DistillFolder } from './run-folder.ts';

/**
 * Opens a writer. @param lost is called once with the reason if a line cannot be written: a trace line is lost, but no answer.
 */
export function openTrace(
  folder: DistillFolder,
  redact: (text: string) => string,
  lost: (why: string) => void,
): (line: object) => void {
  let isTold = false;
  return (line) => {
    try {
      appendTrace(folder, line, redact);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      if (!isTold) lost(error.message);
      isTold = true;
    }
  };
}

/** Appends one line, not synced: a power loss costs a line of the trace, but no answer. */
function appendTrace({ trace }: DistillFolder, line: object, redact: (text: string) => string): void {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  const fd = openRegular(trace, O_RDWR | O_APPEND | O_CREAT);
  try {
    appendText(fd, trace, `${redact(JSON.stringify(line))}\n`);
  } finally {
    closeSync(fd);
  }
}

/** Its lines, oldest first. */
export function traceLines({ trace }: DistillFolder): string[] {
  const text = readRegularOrNull(trace, MAX_BYTES) ?? '';
  return text.split('\n').filter((line) => line !== '');
}

const MAX_BYTES = 512 * 1024 * 1024;
