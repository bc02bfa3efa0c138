// What is large of a CLI's output: looked through as the bytes that it is, and published as it lies there, where nothing is to be taken out.

import { isUtf8 } from 'node:buffer';
import { fstatSync, readSync } from 'node:fs';
import type { Redactor } from '../policies/redact/redactor.ts';
import { type Screen, screenOf } from '../policies/redact/screen.ts';
import { nameFile } from '../state/disk/name-file.ts';
import type { Durability } from '../state/disk/replace-file.ts';
import { mayBeWritten } from '../wrappers/processes/writers.ts';

export interface LargeOutput {
  screen: Screen | null;
  /** As `nameFile`; null also for what must be copied: less than it is worth, somebody else's by now, not without secrets, not UTF-8. */
  publishAsItIs(raw: string, fd: number, file: string, promise: Durability, beside: string | null): boolean | null;
}

/** Copying less takes no longer than asking whether somebody may still write to it. */
const MUCH = 32 * 1024 * 1024;

export function largeOutput(redactor: Redactor, worthIt = MUCH): LargeOutput {
  const screen = screenOf(redactor);
  return {
    screen,
    publishAsItIs(raw, fd, file, promise, beside) {
      const found = fstatSync(fd);
      const isOurs = found.uid === process.getuid?.() && (found.mode & 0o7777) === 0o600;
      if (screen === null || found.size < worthIt || !isOurs || mayBeWritten(fd)) return null;
      return isClean(fd, screen) ? nameFile(raw, fd, file, promise, beside) : null;
    },
  };
}

function isClean(fd: number, screen: Screen): boolean {
  const buffer = Buffer.allocUnsafe(PIECE);
  let held = 0;
  for (let at = 0; ; ) {
    const read = readSync(fd, buffer, held, PIECE - held, at);
    const filled = held + read;
    // The last line goes on in what comes, or is one without an end; one that fills the buffer is read no further.
    const whole = buffer.subarray(0, read === 0 ? filled : buffer.lastIndexOf(LINE_END, filled - 1) + 1);
    if (filled === PIECE && whole.length === 0) return false;
    if (screen(whole) || !isUtf8(whole)) return false;
    if (read === 0) return true;
    buffer.copyWithin(0, whole.length, filled);
    held = filled - whole.length;
    at += read;
  }
}

const LINE_END = 10;
const PIECE = 64 * 1024;
