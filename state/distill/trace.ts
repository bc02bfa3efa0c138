// The trace of a distillation: a line for every turn and every error, redacted by whoever writes it.

import { closeSync, constants } from 'node:fs';
import { appendText } from '../append-line.ts';
import { openRegular, readRegularOrNull } from '../disk/regular-file.ts';
import { isSystemError } from '../system-error.ts';
import type { DistillFolder } from './run-folder.ts';

/** Its writer. @param lost is told once why a line cannot be written: that costs a line of a record and no answer. */
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

/** One line; it need not outlive a power cut, which costs a line of a record and no answer. */
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
