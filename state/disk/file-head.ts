// Reads the beginning or the end of a file that may be very long, without reading the rest.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegular } from './regular-file.ts';

interface HeadPiece {
  text: string;
  /** Of the whole file. */
  bytes: number;
}

/** Throws what `openRegular` throws. */
export const readHead = (file: string, maxBytes: number): HeadPiece => readPiece(file, maxBytes, () => 0);

/** Throws the same. */
export const readTail = (file: string, maxBytes: number): HeadPiece =>
  readPiece(file, maxBytes, (size) => Math.max(0, size - maxBytes));

function readPiece(file: string, maxBytes: number, from: (size: number) => number): HeadPiece {
  const fd = openRegular(file);
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.allocUnsafe(Math.min(size, maxBytes));
    let read = 0;
    for (let more = -1; more !== 0 && read < buffer.length; read += more)
      more = readSync(fd, buffer, read, buffer.length - read, from(size) + read);
    return { text: buffer.toString('utf8', 0, read), bytes: size };
  } finally {
    closeSync(fd);
  }
}
