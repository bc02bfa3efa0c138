// Reads a growing file line by line, in constant memory whatever its size.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';

export interface Follower {
  /** Reads what has come since, 1 MiB at the most; true when there is more to read at once. */
  advance(): boolean;
  /** Takes a last line that has no line end, and closes the file. */
  finish(): void;
  /** The file's present size in bytes. */
  size(): number;
  /** How many bytes have been read. */
  bytes(): number;
}

/** So much is more than an ordinary call says. */
const FLOOD = 1024 * 1024;

/** Small, so that the text of a flood is garbage before it is moved to the old heap. */
const CHUNK = 16 * 1024;
const CHUNKS_A_TURN = 64;

/**
 * @param maxLine characters of a line that are kept; the rest of a longer line is dropped.
 * @param onLine gets each line without its end.
 */
export function follow(file: string, maxLine: number, onLine: (line: string) => void): Follower {
  const fd = openSync(file, 'r');
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = 0;
  let pieces: string[] = [];
  let kept = 0;

  const keep = (piece: string) => {
    const room = maxLine - kept;
    if (room <= 0 || piece === '') return;
    // A slice would hold on to the whole chunk; a short piece is copied.
    pieces.push(piece.length > room ? piece.slice(0, room) : piece);
    kept += Math.min(piece.length, room);
  };
  const flush = () => {
    const line = pieces.length === 1 ? pieces[0]! : pieces.join('');
    pieces = [];
    kept = 0;
    onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  };
  const take = (text: string) => {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      keep(text.slice(from, end));
      flush();
      from = end + 1;
    }
    keep(text.slice(from));
  };

  return {
    advance() {
      for (let i = 0; i < CHUNKS_A_TURN; i++) {
        const read = readSync(fd, buffer, 0, CHUNK, position);
        if (read === 0) return false;
        position += read;
        if (position > FLOOD && position - read <= FLOOD)
          void import('./young-heap.ts').then((heap) => heap.keepYoungHeapSmall());
        take(decoder.write(buffer.subarray(0, read)));
      }
      return true;
    },
    finish() {
      take(decoder.end());
      if (kept > 0) flush();
      closeSync(fd);
    },
    size: () => fstatSync(fd).size,
    bytes: () => position,
  };
}
