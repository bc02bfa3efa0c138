// Writes a published file: beside its target, then renamed, so that a reader never sees half of it. 0600.

import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { named } from '../../state/line.ts';

/** Synced, its folders made. */
export function publishText(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  replace(file, 'sync', (fd) => writeFileSync(fd, text));
}

/** `sync` for what must outlive a power cut: the answer and the record. The logs are worth a rename only. */
export function replace(file: string, promise: 'sync' | 'rename', fill: (fd: number) => void): void {
  const temporary = temporaryOf(file);
  const fd = openSync(temporary, 'wx', 0o600);
  try {
    fill(fd);
    if (promise === 'sync') fsyncSync(fd);
  } catch (error) {
    unlinkSync(temporary);
    throw named(file, error);
  } finally {
    closeSync(fd);
  }
  try {
    renameSync(temporary, file);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
}

let written = 0;

function temporaryOf(file: string): string {
  written += 1;
  return path.join(path.dirname(file), `${temporaryPrefix(file, process.pid)}${written}`);
}

/** How the names of a process's temporaries for that file begin; a number follows. */
export const temporaryPrefix = (file: string, pid: number): string => `.${path.basename(file)}.${pid}-`;
