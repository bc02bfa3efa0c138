// Reads a growing file line by line, in constant memory whatever its size.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { openRegular } from '../../state/disk/regular-file.ts';
import type { LineSplitter } from '../line-splitter.ts';
import type { Flood } from './flood.ts';

export interface Follower {
  /** The file itself, whatever is put in the place of its name; open until `close`. */
  descriptor: number;
  /** Reads what has come since, 256 KiB at the most, of a flood 1 MiB; true when there is more to read at once. */
  advance(): boolean;
  /** Takes a last line that has no line end. */
  finish(): void;
  /** Closes the file; again does nothing. */
  close(): void;
  /** The file's present size in bytes. */
  size(): number;
  /** How many bytes have been read. */
  bytes(): number;
}

/** More than most calls say. Told late, the young heap would have grown by the first megabytes already. */
const MUCH = 64 * 1024;
/** No verdict needs more repetitions of anything. */
const FLOOD = 1024 * 1024;

/** Small, so that the text of a flood is garbage before it is moved to the old heap. */
const CHUNK = 16 * 1024;
const CHUNKS_A_TURN = 16;

/**
 * @param lines takes what comes, as UTF-8.
 * @param told how many events it has told so far; of a flood, repetitions that tell none are passed over. null: all of it is read.
 */
export function follow(file: string, lines: LineSplitter, told: (() => number) | null = null): Follower {
  const fd = openRegular(file);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = 0;
  let open = true;
  let readFlood: Flood | null = null;
  const take = (bytes: Buffer) => lines.push(decoder.write(bytes));
  const readPlain = () => {
    const read = readSync(fd, buffer, 0, CHUNK, position);
    take(buffer.subarray(0, read));
    return read;
  };
  return {
    descriptor: fd,
    advance() {
      for (let i = 0; i < CHUNKS_A_TURN; i++) {
        const read = readFlood !== null && position > FLOOD ? readFlood(fd, position, take) : readPlain();
        if (read === 0) return false;
        position += read;
        if (position > MUCH && position - read <= MUCH)
          void import('./flood.ts').then(({ openFlood }) => {
            readFlood = openFlood(told);
          });
      }
      return true;
    },
    finish() {
      lines.push(decoder.end());
      lines.end();
    },
    close() {
      if (open) closeSync(fd);
      open = false;
    },
    size: () => fstatSync(fd).size,
    bytes: () => position,
  };
}
