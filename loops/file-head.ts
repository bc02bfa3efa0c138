// The beginning of a file that may be very long: no more of it is read than is looked at.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface Head {
  text: string;
  /** Of the whole file. */
  bytes: number;
}

/** Throws what the operating system throws. */
export function readHead(file: string, maxBytes: number): Head {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.allocUnsafe(Math.min(size, maxBytes));
    let read = 0;
    for (let more = -1; more !== 0 && read < buffer.length; read += more)
      more = readSync(fd, buffer, read, buffer.length - read, read);
    return { text: buffer.toString('utf8', 0, read), bytes: size };
  } finally {
    closeSync(fd);
  }
}
