// The last events that a CLI told, as they stand in the file of its output.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from '../../state/disk/regular-file.ts';

/** Oldest first; pieces of messages are left out, and what is long is cut and given as text. Throws what the operating system throws. */
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
