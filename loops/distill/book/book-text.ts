// Writes the text of a book to files: one for a service that does not accept the book's format, or many parts for a CLI.

import { closeSync, createReadStream, fsyncSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { BOOK_KINDS, type BookKind } from '../../../policies/distill/book-kinds.ts';
import { makeFolder } from '../../../state/disk/folder.ts';
import { openFollowed } from '../../../state/disk/regular-file.ts';
import { openBeside, takePlace } from '../../../state/disk/replace-file.ts';
import { openEpub } from './epub.ts';

interface BookToSend {
  file: string;
  mimeType: string;
  /** What was made of the book, for users and for the record; null if it is sent unchanged. */
  note: string | null;
}

/** @param folder the run's, for the text of an EPUB. Throws the errors of `openEpub` and of the operating system. */
export async function bookToSend(file: string, kind: BookKind, folder: string): Promise<BookToSend> {
  const { mimeType } = BOOK_KINDS[kind];
  if (kind !== 'epub') return { file, mimeType, note: null };
  const text = path.join(folder, 'book.txt');
  const bytes = await writeBlocks(text, blocksOf(file, kind));
  return {
    file: text,
    mimeType,
    note: `The service documents PDF and text, and no EPUB: its text is sent (${bytes} bytes, without pictures), from ${text}`,
  };
}

/** A CLI shows its model a file up to 2,000 lines of 2,000 characters each. */
const PART_LINES = 1500;
const LINE_CHARS = 1000;

/** @returns the files in reading order, from `part-0001.txt`, in the folder. */
export async function layOutParts(file: string, kind: Exclude<BookKind, 'pdf'>, folder: string): Promise<string[]> {
  const parts: string[] = [];
  let lines: string[] = [];
  const write = async () => {
    const part = path.join(folder, `part-${String(parts.length + 1).padStart(4, '0')}.txt`);
    await writeBlocks(part, lines);
    parts.push(part);
    lines = [];
  };
  for await (const block of blocksOf(file, kind)) {
    lines.push(...block.split('\n').flatMap(wrapped));
    while (lines.length >= PART_LINES) {
      const rest = lines.splice(PART_LINES);
      await write();
      lines = rest;
    }
  }
  if (lines.length > 0) await write();
  return parts;
}

async function* blocksOf(file: string, kind: Exclude<BookKind, 'pdf'>): AsyncGenerator<string> {
  if (kind === 'text') yield* textLines(file);
  else {
    const epub = await openEpub(file);
    try {
      for await (const block of epub.blocks()) yield `${block}\n`;
    } finally {
      epub.close();
    }
  }
}

/** Splits a very long line into pieces. */
async function* textLines(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const bytes of createReadStream('', { fd: openFollowed(file) })) {
    const lines = `${rest}${decoder.write(bytes as Buffer)}`.split(/\r?\n/);
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > LINE_CHARS * 64) {
      const space = rest.lastIndexOf(' ');
      yield space < 0 ? rest : rest.slice(0, space);
      rest = space < 0 ? '' : rest.slice(space + 1);
    }
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

/** Splits at spaces, if there are any. */
function wrapped(line: string): string[] {
  const found: string[] = [];
  let from = 0;
  while (line.length - from > LINE_CHARS) {
    const space = line.lastIndexOf(' ', from + LINE_CHARS);
    const to = space > from ? space : from + LINE_CHARS;
    found.push(line.slice(from, to));
    from = space > from ? to + 1 : to;
  }
  found.push(line.slice(from));
  return found;
}

/** Writes the whole file or nothing. @returns the number of bytes. */
async function writeBlocks(file: string, blocks: AsyncIterable<string> | Iterable<string>): Promise<number> {
  makeFolder(path.dirname(file));
  const { temporary, fd } = openBeside(file);
  let bytes = 0;
  try {
    for await (const block of blocks) {
      const line = Buffer.from(`${block}\n`);
      writeFileSync(fd, line);
      bytes += line.length;
    }
    fsyncSync(fd);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
  takePlace(temporary, file, 'set_aside');
  return bytes;
}
