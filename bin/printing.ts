// The two streams of a command, on which a reader that goes away ends nothing.

import type { WriteStream } from 'node:tty';

/**
 * `tollgate run T 2>&1 | head -1` closes the pipe after a line; the calls that are being paid for go on, and the exit
 * code is still told. Made when first needed: a stream takes Node 2 ms.
 */
export function printing(name: 'stdout' | 'stderr'): WriteStream {
  const stream = process[name];
  if (!stream.listeners('error').includes(forget)) stream.on('error', forget);
  return stream;
}

/** Whether somebody still reads what is written there; known once a write has failed. */
export const isRead = (stream: WriteStream): boolean => !unread.has(stream);

const unread = new WeakSet<WriteStream>();

function forget(this: WriteStream): void {
  unread.add(this);
}
