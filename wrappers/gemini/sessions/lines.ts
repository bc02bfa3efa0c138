// Reads the lines of a session file as the CLI does: finds their positions once, and reads each line on request.

import { closeSync, lstatSync, readSync } from 'node:fs';
import { tried } from '../../../policies/text/tried.ts';
import { openRegular } from '../../../state/disk/regular-file.ts';
import { openLines } from '../../sessions/line-table.ts';
import { SessionFileError } from '../../sessions/store.ts';

/** A record, or one of those within a list. */
export interface LinePiece {
  /** Its first bytes, as latin1 text. */
  head: string;
  text(): string;
}

export interface Lines {
  /** The last one may lack its newline if it is otherwise complete. */
  count: number;
  bytes: number;
  /** The file ends within a line. */
  unfinished: boolean;
  piece(i: number): LinePiece;
  /** The messages of a line with a huge list, each separately; null for any other line. */
  pieces(i: number): LinePiece[] | null;
}

/** Enough for a message's id, time and type, and the first letters of its text. */
const HEAD_BYTES = 160;
const MAX_TAIL = 64 * 1024 * 1024;
/** Lines up to this size are parsed completely. */
const HUGE_BYTES = 1024 * 1024;

/** Leaves no descriptor open. Throws SessionFileError if the file is not a regular file or cannot be read. */
export function indexLines(file: string): Lines {
  return attempt(file, () => {
    if (!lstatSync(file).isFile()) throw new Error('is not a regular file');
    const table = openLines(file, HEAD_BYTES);
    const { bytes } = table;
    const end = table.offset(table.count);
    // No record is that long: it is an incomplete one in any case.
    const tail = end < bytes && bytes - end <= MAX_TAIL ? readSpan(file, { from: end, to: bytes }) : '';
    const spanOf = (i: number): ElementSpan => ({ from: table.offset(i), to: table.offset(i + 1) });
    return {
      count: table.count + (isWhole(tail) ? 1 : 0),
      bytes,
      unfinished: end < bytes,
      piece: (i) =>
        i < table.count
          ? { head: table.head(i), text: () => readSpan(file, spanOf(i)) }
          : { head: Buffer.from(tail.slice(0, HEAD_BYTES)).toString('latin1'), text: () => tail },
      pieces: (i) => (i < table.count && table.head(i).startsWith(REPLACING) ? readPieces(file, spanOf(i)) : null),
    };
  });
}

/** A writer that was interrupted right before the newline has still written a complete record. */
const isWhole = (tail: string): boolean => tried(() => tail !== '' && typeof JSON.parse(tail) === 'object') ?? false;

function readPieces(file: string, line: ElementSpan): LinePiece[] | null {
  if (line.to - line.from < HUGE_BYTES) return null;
  const from = line.from + REPLACING.length;
  const elements = elementsIn(readChunks(file, { from, to: line.to }), from, HEAD_BYTES);
  return elements?.map((element) => ({ head: element.head, text: () => readSpan(file, element) })) ?? null;
}

function* readChunks(file: string, { from, to }: ElementSpan): Generator<Buffer> {
  for (let at = from; at < to; at += HUGE_BYTES) yield readBytes(file, { from: at, to: Math.min(to, at + HUGE_BYTES) });
}

const readSpan = (file: string, span: ElementSpan): string => readBytes(file, span).toString('utf8');

function readBytes(file: string, { from, to }: ElementSpan): Buffer {
  return attempt(file, () => {
    const fd = openRegular(file);
    try {
      const bytes = Buffer.allocUnsafe(to - from);
      for (let read = 0; read < bytes.length; ) {
        const length = readSync(fd, bytes, read, bytes.length - read, from + read);
        if (length === 0) throw new Error('became shorter while it was read');
        read += length;
      }
      return bytes;
    } finally {
      closeSync(fd);
    }
  });
}

function attempt<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SessionFileError) throw error;
    throw new SessionFileError(file, (error as Error).message);
  }
}

/** Finds the messages of one huge `$set` line by their bytes: a resume writes the whole conversation as a single line. */
export const REPLACING = '{"$set":{"messages":[';

interface ElementSpan {
  from: number;
  to: number;
}

interface Element extends ElementSpan {
  /** Its first bytes, as latin1 text; fewer at the end of a chunk. */
  head: string;
}

/** Depth within the list: the record, its `$set`, the list. */
const IN_LIST = 3;

const [QUOTE, BACKSLASH, OPEN, CLOSE, LIST, LIST_END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Finds the positions of the objects of the list.
 * @param chunks of the line, from after `REPLACING`.
 * @param at the position at which the chunks begin.
 * @returns null if the line does not end as it should.
 */
export function elementsIn(chunks: Iterable<Buffer>, at: number, headBytes: number): Element[] | null {
  const spans: Element[] = [];
  let head = '';
  let depth = IN_LIST;
  let [from, inText, escaped, listed] = [at, false, false, true];
  for (const chunk of chunks) {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (inText) {
        if (escaped) escaped = false;
        else {
          const quote = chunk.indexOf(QUOTE, i);
          const end = quote === -1 ? chunk.length : quote;
          const odd = backslashesBefore(chunk, end, i) % 2 === 1;
          if (quote === -1) escaped = odd;
          else inText = odd;
          i = end;
        }
      } else if (byte === QUOTE) inText = true;
      else if (byte === OPEN || byte === LIST) {
        if (depth === IN_LIST) [from, head] = [at + i, chunk.toString('latin1', i, i + headBytes)];
        depth += 1;
      } else if (byte === CLOSE || byte === LIST_END) {
        depth -= 1;
        if (depth === IN_LIST && listed && byte === CLOSE)
          spans.push({ from, to: at + i + 1, head: head.slice(0, at + i + 1 - from) });
        if (depth < IN_LIST) listed = false;
      }
    }
    at += chunk.length;
  }
  return depth === 0 && !inText ? spans : null;
}

function backslashesBefore(chunk: Buffer, end: number, from: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at -= 1;
  return end - at;
}
