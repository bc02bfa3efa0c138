// Provides a command's two output streams: a reader that goes away ends nothing, and a failed write of the result is reported.

import { fstatSync, writeSync } from 'node:fs';
import type { WriteStream } from 'node:tty';
import { fromHere, readerHere } from './from-here.ts';
import { wrapped } from './wrap.ts';

/** A pipe that closes early neither ends paid calls nor loses the exit code. Made when needed: it takes Node 2 ms. */
export function printing(name: 'stdout' | 'stderr'): WriteStream {
  const stream = process[name];
  if (!stream.listeners('error').includes(forget)) stream.on('error', forget);
  return stream;
}

function forget(): void {}

/** Fits text for a person to a terminal: times, paths, the width, and a line for the next step. A pipe or a file gets it unchanged. */
export function fitting(text: string, stream: WriteStream): string {
  if (stream.isTTY !== true) return text;
  const reader = readerHere();
  const lines = text.replaceAll(' Next: ', '\nNext: ');
  return wrapped(reader === null ? lines : fromHere(lines, reader), stream.columns || 80);
}

/** Writes a piece of the result to stdout. @returns the code of what prevented it, such as ENOSPC or EPIPE; or null. */
export async function printResult(text: string): Promise<string | null> {
  if (text === '') return null;
  const stream = printing('stdout');
  if (isFile(stream)) return writePieces(text);
  return new Promise((resolve) => {
    stream.write(text, (error) => resolve(error ? codeOf(error) : null));
  });
}

/** Outputs to which Node writes without checking how much was accepted. */
function isFile(stream: WriteStream): boolean {
  const found = fstatSync(STDOUT);
  return found.isFile() || (found.isCharacterDevice() && stream.isTTY !== true);
}

/** A disk that fills up accepts the beginning; only the next write reports why it accepted no more. */
function writePieces(text: string): string | null {
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; ) {
      const taken = writeSync(STDOUT, bytes, at);
      if (taken === 0) return 'nothing more is taken';
      at += taken;
    }
    return null;
  } catch (error) {
    return codeOf(error as Error);
  }
}

const STDOUT = 1;

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.message;
