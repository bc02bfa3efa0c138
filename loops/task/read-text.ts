// Reads a text file in one pass with constant memory: its head, its tail, and the size of the part between.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { countLines, type Excerpt } from '../../policies/prompt/excerpt.ts';
import { isSystemError } from '../../state/system-error.ts';

type TextRead =
  | { how: 'text'; excerpt: Excerpt; bytes: number }
  /** The file holds a NUL, or is not UTF-8. */
  | { how: 'binary'; sha256: string; bytes: number }
  /** A sentence without a subject: "cannot be read (EACCES)". */
  | { how: 'failed'; code: string; why: string };

const CHUNK_BYTES = 256 * 1024;

/** Head and tail have at least `windowChars` each, if the file is that long. Text that is appended meanwhile is not read. */
export async function readText(file: string, windowChars: number, maxBytes: number): Promise<TextRead> {
  let handle: FileHandle | null = null;
  try {
    // Without O_NONBLOCK, opening a pipe could block.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const kind = await handle.stat();
    if (kind.isDirectory()) return failed('EISDIR');
    if (!kind.isFile()) return { how: 'failed', code: 'EINVAL', why: 'is not a regular file' };
    if (kind.size > maxBytes)
      return { how: 'failed', code: 'EFBIG', why: `has ${kind.size} bytes; at most ${maxBytes} are read` };
    return await readOpen(handle, kind.size, windowChars);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const { code } = error;
    return failed(code);
  } finally {
    await handle?.close();
  }
}

async function readOpen(handle: FileHandle, size: number, windowChars: number): Promise<TextRead> {
  const hash = createHash('sha256');
  const window = createWindow(windowChars);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size + 1));
  let text = true;
  let bytes = 0;
  while (bytes < size) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - bytes), bytes);
    if (bytesRead === 0) break;
    const read = chunk.subarray(0, bytesRead);
    bytes += bytesRead;
    hash.update(read);
    text &&= !read.includes(0) && add(window, decoder, read, { stream: bytes < size });
  }
  text &&= add(window, decoder, Buffer.alloc(0), { stream: false });
  return text
    ? { how: 'text', excerpt: window.excerpt(), bytes }
    : { how: 'binary', sha256: hash.digest('hex'), bytes };
}

/** Returns whether the bytes were text. */
function add(window: Window, decoder: TextDecoder, bytes: Buffer, options: { stream: boolean }): boolean {
  try {
    window.add(decoder.decode(bytes, options));
    return true;
  } catch {
    return false;
  }
}

type Window = ReturnType<typeof createWindow>;

/** Keeps the first and the last `chars` characters, and counts what is between. */
function createWindow(chars: number) {
  let head = '';
  const tail: string[] = [];
  let tailChars = 0;
  const omitted = { lines: 0, chars: 0 };
  const dropped = (text: string) => {
    omitted.lines += countLines(text);
    omitted.chars += text.length;
  };
  return {
    add(text: string): void {
      if (head.length < chars) {
        head += text;
        return;
      }
      tail.push(text);
      tailChars += text.length;
      while (tailChars - tail[0]!.length >= chars) {
        tailChars -= tail[0]!.length;
        dropped(tail.shift()!);
      }
    },
    excerpt(): Excerpt {
      if (omitted.chars === 0) return { head: head + tail.join(''), tail: '', omitted: null };
      return { head, tail: tail.join(''), omitted };
    },
  };
}

const failed = (code: string): TextRead => ({ how: 'failed', code, why: `cannot be read (${code})` });
