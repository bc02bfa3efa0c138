// Reads the logs of a project from the oldest to the newest in bounded memory: of a conversation only its position.

import { closeSync, fstatSync, lstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { createParser, type ParsedEntry } from '../../policies/api-errors/log-format.ts';
import { namesIn } from '../disk/folder.ts';
import { lookAt, openRegular } from '../disk/regular-file.ts';
import { isSystemError } from '../system-error.ts';
import { isLogOf, LOG_NAME } from './place.ts';

type Logged = ParsedEntry & { file: string };

/** @returns the logs with the oldest first; none if there is no folder. Throws what the operating system throws. */
export function logFiles(folder: string): string[] {
  const names = namesIn(folder).filter((name) => isLogOf(LOG_NAME, name));
  // The current log is the newest.
  const rank = (name: string) => (name === `${LOG_NAME}.log` ? '~' : name);
  return names.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).map((name) => path.join(folder, name));
}

/** Reads one log, also on when it is removed or rotated meanwhile. An unreadable one yields one corrupt entry. */
export function* readLog(file: string): Generator<Logged> {
  const fd = openToRead(file);
  if (fd === null) {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) yield { how: 'invalid', at: 0, file };
    return;
  }
  try {
    const parser = createParser();
    for (const line of linesOf(fd)) for (const found of parser.take(line)) yield { ...found, file };
    for (const found of parser.end()) yield { ...found, file };
  } finally {
    closeSync(fd);
  }
}

/** The calls that have an entry in a log that has changed since then. */
export function loggedCalls(folder: string, since: Date): Set<string> {
  const calls = new Set<string>();
  for (const file of logFiles(folder)) {
    const changed = lookAt(file)?.mtime;
    if (changed === undefined || changed < since) continue;
    for (const found of readLog(file)) if (found.how === 'entry') calls.add(found.entry.context.call_id);
  }
  return calls;
}

/** The text of a conversation, on request; null if it is no longer there. */
export function readData(file: string, { at, bytes }: { at: number; bytes: number }): string | null {
  const fd = openToRead(file);
  if (fd === null) return null;
  try {
    const data = Buffer.alloc(bytes);
    return readSync(fd, data, 0, bytes, at) === bytes ? data.toString('utf8') : null;
  } finally {
    closeSync(fd);
  }
}

/** @returns null if there is no file, or none that can be read. */
function openToRead(file: string): number | null {
  try {
    const fd = openRegular(file);
    const { size } = fstatSync(fd);
    if (size <= MAX_BYTES) return fd;
    closeSync(fd);
    return null;
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}

/** A log is rotated at 10 MB, and one conversation may come on top. A larger file is not read. */
const MAX_BYTES = 1024 ** 3;
const CHUNK_BYTES = 256 * 1024;
/** Our own lines are shorter, except for the conversation, of which only the beginning is kept. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const DATA = Buffer.from('Data: ');
const NEWLINE = 0x0a;

function* linesOf(fd: number) {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  let at = 0;
  let offset = 0;
  const keep = (piece: Buffer) => {
    bytes += piece.length;
    const isData = keptBytes >= DATA.length && kept[0]!.subarray(0, DATA.length).equals(DATA);
    if (isData || keptBytes >= MAX_LINE_BYTES) return;
    kept.push(Buffer.from(piece));
    keptBytes += piece.length;
  };
  const line = () => {
    const text = Buffer.concat(kept).toString('utf8');
    const finished = { text: text.startsWith('Data: ') ? 'Data: ' : text, bytes, at };
    [kept, keptBytes, bytes] = [[], 0, 0];
    return finished;
  };
  for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
    for (let from = 0; from < read; ) {
      const newline = chunk.subarray(0, read).indexOf(NEWLINE, from);
      keep(chunk.subarray(from, newline === -1 ? read : newline));
      if (newline === -1) break;
      yield line();
      from = newline + 1;
      at = offset + from;
    }
    offset += read;
  }
  if (bytes > 0) yield line();
}
