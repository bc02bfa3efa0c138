// Reads a prompt that a user passes through a pipe: `--prompt-file /dev/stdin`, `--prompt-file <(…)`, a FIFO.

import { closeSync, constants, open, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { untilStopped } from '../../policies/facts/exit-codes.ts';
import { isStdin } from '../../state/disk/regular-file.ts';
import { isSystemError } from '../../state/system-error.ts';

type Piped = Buffer | { unread: string } | 'stopped';

/** @param waitMs how long the writer may take. @param maxBytes after this many bytes, the rest is not read. */
export async function readPiped(file: string, stop: AbortSignal, waitMs: number, maxBytes: number): Promise<Piped> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), waitMs);
  });
  const ended = Promise.race([late, untilStopped(stop).then(() => 'stopped' as const)]);
  try {
    const opened = await Promise.race([opening(file), ended]);
    if (opened === 'late' || opened === 'stopped') {
      unblock(file);
      return gaveUp(opened, waitMs);
    }
    const read = await Promise.race([drain(opened, maxBytes), ended]);
    opened.destroy();
    return Buffer.isBuffer(read) ? read : gaveUp(read, waitMs);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { unread: `cannot be read (${error.code})` };
  } finally {
    clearTimeout(timer);
  }
}

const gaveUp = (why: 'late' | 'stopped', waitMs: number): Piped =>
  why === 'stopped' ? why : { unread: `no writer finished it within ${waitMs} ms` };

/** The open of a FIFO waits for its writer, in a thread of node's pool. */
async function opening(file: string): Promise<NodeJS.ReadableStream & { destroy(): void }> {
  if (isStdin(file)) return process.stdin;
  const fd = await promisify(open)(file, constants.O_RDONLY);
  // Loaded only here: most calls have no pipe.
  const { Socket } = process.getBuiltinModule('node:net');
  return new Socket({ fd, readable: true, writable: false });
}

/** Ends an open that still waits for a writer, so that this process can exit. */
function unblock(fifo: string): void {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch (error) {
    // It is open by now, or was removed.
    if (!isSystemError(error)) throw error;
  }
}

async function drain(stream: NodeJS.ReadableStream, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    length += chunk.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(chunks);
}
