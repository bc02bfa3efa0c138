// Reads a growing file line by line, in constant memory whatever its size.

import { closeSync, fstatSync, readSync, watch } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { openRegular } from '../../state/disk/regular-file.ts';
import type { LineSplitter } from '../line-splitter.ts';
import type { Flood } from './flood.ts';
import { openFlood } from './flood.ts';

export interface Follower {
  /** The opened file, even if another file replaces it at its path; open until `close`. */
  descriptor: number;
  /** Reads the new bytes: at most 256 KiB, or 1 MiB of a flood. Returns true if there is more to read at once. */
  advance(): boolean;
  /** Takes a last line that has no line end. */
  finish(): void;
  /** Calls `onReached` before the byte after the lowest offset is read. A line that it divides is read as two. */
  divide(offset: number, onReached: () => void): void;
  /** Closes the file. A second call does nothing. */
  close(): void;
  /** The received part of a line that has no end yet, from the splitter. */
  begun(): string;
  /** The file's present size in bytes. */
  size(): number;
  /** How many bytes have been read. */
  bytes(): number;
}

/** More than most calls write. If the heap were limited later, the first megabytes would already have grown the young heap. */
const MUCH = 64 * 1024;
/** No verdict needs more repetitions of a text than this. */
const FLOOD = 1024 * 1024;

/** Small, so that the text of a flood is garbage before it is moved to the old heap. */
const CHUNK = 16 * 1024;
const CHUNKS_A_TURN = 16;

/**
 * @param lines receives the text, decoded as UTF-8.
 * @param countEvents how many events the text has yielded so far. In a flood, repetitions without events are skipped. null: all is read.
 */
export function follow(file: string, lines: LineSplitter, countEvents: (() => number) | null = null): Follower {
  const fd = openRegular(file);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = 0;
  let open = true;
  let readFlood: Flood | null = null;
  let divided: { offset: number; onReached: () => void } | null = null;
  const take = (bytes: Buffer) => lines.push(decoder.write(bytes));
  const endLine = () => {
    lines.push(decoder.end());
    lines.end();
  };
  const passOffset = () => {
    if (divided === null || position < divided.offset) return;
    const { onReached } = divided;
    divided = null;
    endLine();
    onReached();
  };
  const readPlain = (most: number) => {
    const read = readSync(fd, buffer, 0, Math.min(CHUNK, most), position);
    take(buffer.subarray(0, read));
    return read;
  };
  return {
    descriptor: fd,
    advance() {
      for (let i = 0; i < CHUNKS_A_TURN; i++) {
        const most = divided === null ? Number.POSITIVE_INFINITY : divided.offset - position;
        const read = readFlood !== null && position > FLOOD ? readFlood(fd, position, take, most) : readPlain(most);
        if (read === 0) return false;
        position += read;
        passOffset();
        if (position > MUCH && position - read <= MUCH) readFlood = openFlood(countEvents);
      }
      return true;
    },
    finish: endLine,
    divide(offset, onReached) {
      if (divided !== null && divided.offset <= offset) return;
      divided = { offset, onReached };
      passOffset();
    },
    close() {
      if (open) closeSync(fd);
      open = false;
    },
    begun: lines.begun,
    size: () => fstatSync(fd).size,
    bytes: () => position,
  };
}

/** Calls `look` when a file of the folder changes, and at intervals: a watch can be refused, break, or miss a change. */
export function watchFolder(folder: string, look: () => void): () => void {
  const poll = setInterval(look, POLL_MS);
  try {
    const watcher = watch(folder, look).on('error', () => watcher.close());
    return () => {
      watcher.close();
      clearInterval(poll);
    };
  } catch {
    return () => clearInterval(poll);
  }
}

const POLL_MS = 500;
