// Opens a file to read it, and nothing else that somebody put under its name: a FIFO would hang us, a link lead elsewhere.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** @returns its descriptor. Throws what the operating system throws, and EINVAL for what is no regular file. */
export function openRegular(file: string): number {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw Object.assign(new Error(`${file} is no regular file`), { code: 'EINVAL', syscall: 'open', path: file });
}

/** Its whole text. Throws the same. */
export function readRegular(file: string): string {
  const fd = openRegular(file);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
