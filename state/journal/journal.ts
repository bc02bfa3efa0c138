// Implements a task's journal, the truth: append-only, one small synced line per fact, and no count by read-modify-write.

import { closeSync, constants, fdatasync, fdatasyncSync, fstatSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { appendLine, named, naming, syncFolder, syncFolderMeanwhile } from '../append-line.ts';
import { makeFolders } from '../disk/folder.ts';
import { openRegular, readBytesOrNull, tooLarge, UnfitFileError } from '../disk/regular-file.ts';
import { bears, StrangeStateError } from '../disk/strange-state-error.ts';
import { isSystemError } from '../system-error.ts';
import { isFact } from './fact-shapes.ts';
import { type Fact, JOURNAL_VERSION, type JournalLine } from './facts.ts';
import { emptyLedger, fold, type Ledger } from './ledger.ts';

export interface Journal {
  file: string;
  /** Returns when the fact is on disk. Throws what the operating system throws: then the fact does not count. */
  append(fact: Fact): void;
  /**
   * The same, for a process with other work meanwhile. The fact has its place at once, or later if the file is new or was
   * replaced meanwhile. It is on disk when the promise resolves.
   */
  note(fact: Fact): Promise<void>;
  /** The fold of the journal, or of `upTo` bytes. Callers may get the same object, so none may change it. */
  read(upTo?: number): JournalReading;
}

interface JournalReading {
  ledger: Ledger;
  /** The bytes of the journal that this answer covers. */
  offset: number;
  /** Ignored lines: incomplete ones after a crash or on a full disk, or edits that are not facts. */
  torn: number;
}

const UNREADABLE = Symbol.for('tollgate: unreadable journal');

/** A journal that this version cannot understand, or that lost its end. */
export class JournalError extends StrangeStateError {
  static override readonly [Symbol.hasInstance] = bears(UNREADABLE);
  readonly [UNREADABLE] = true;
}

export function openJournal(taskFolder: string, clock: () => Date): Journal {
  const file = journalOf(taskFolder);
  const known: Known = { reading: null };
  return {
    file,
    append: (fact) => append(file, { v: JOURNAL_VERSION, at: clock().toISOString(), ...fact }),
    note: (fact) => note(file, { v: JOURNAL_VERSION, at: clock().toISOString(), ...fact }),
    read: (upTo) => readJournal(file, known, upTo),
  };
}

/** Returns null for a journal that cannot be read. */
export function ledgerIfAny(taskFolder: string): Ledger | null {
  try {
    return openJournal(taskFolder, () => new Date()).read().ledger;
  } catch (error) {
    if (error instanceof JournalError || isSystemError(error)) return null;
    throw error;
  }
}

export const journalOf = (taskFolder: string): string => `${taskFolder}${path.sep}state${path.sep}journal.jsonl`;

function append(file: string, line: JournalLine): void {
  for (let tries = TRIES; tries > 0; tries -= 1) {
    const { fd, unsynced } = openToAppend(file);
    try {
      for (const folder of unsynced) syncFolder(folder);
      appendLine(fd, file, line);
      naming(file, () => fdatasyncSync(fd));
      if (isKept(line, file, fd)) return;
    } finally {
      closeSync(fd);
    }
  }
  throw restless(file);
}

async function note(file: string, line: JournalLine): Promise<void> {
  for (let tries = TRIES; tries > 0; tries -= 1) {
    const { fd, unsynced } = openToAppend(file);
    try {
      for (const folder of unsynced) await syncFolderMeanwhile(folder);
      appendLine(fd, file, line);
      await synced(fd).catch((error) => Promise.reject(named(file, error)));
      if (isKept(line, file, fd)) return;
    } finally {
      closeSync(fd);
    }
  }
  throw restless(file);
}

const synced = promisify(fdatasync);

/** A run replaces a journal that an agent has edited; only an attacker does it twice in a row. */
const TRIES = 10;

/** A line in a file that no longer has a name counts only if the process that replaced the file copied the line. */
const isKept = (line: JournalLine, file: string, fd: number): boolean =>
  naming(file, () => fstatSync(fd)).nlink > 0 || seeJournal(file)?.includes(JSON.stringify(line)) === true;

const restless = (file: string) =>
  Object.assign(new Error(`${file} is replaced again and again while it is written; see who does that`), {
    code: 'EAGAIN',
    syscall: 'write',
  });

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/** Some 50,000 calls; a larger one is not ours. */
export const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

interface ToAppend {
  fd: number;
  /** Folders to be synced before the first line: a fact in a file that is lost in a power loss would not count. */
  unsynced: readonly string[];
}

function openToAppend(file: string): ToAppend {
  const fd = openOrNull(file, O_RDWR | O_APPEND);
  if (fd === null) {
    const made = makeFolders(path.dirname(file));
    return { fd: openOrNull(file, O_RDWR | O_APPEND | O_CREAT)!, unsynced: placeOf(file, made) };
  }
  const { size } = fstatSync(fd);
  // Its creator may have died before its folder entry was on disk.
  if (size <= MAX_JOURNAL_BYTES) return { fd, unsynced: size === 0 ? placeOf(file) : [] };
  closeSync(fd);
  // A line that no reader will reach is not a fact.
  throw strange(tooLarge(file, size, MAX_JOURNAL_BYTES));
}

/** @returns null if there is none. A link might lead to another task's journal, and a FIFO would block us for ever. */
function openOrNull(file: string, flags: number): number | null {
  try {
    return openRegular(file, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw strange(error);
  }
}

/** Explains a file that cannot be a journal. */
const strange = (error: unknown): unknown =>
  error instanceof UnfitFileError
    ? new JournalError(`${error.message}; a journal is never that: put it elsewhere, and the journal back in its place`)
    : error;

/** Its folder and the one above, whose entries must be synced, and all above that were made for it. */
function placeOf(file: string, made = path.dirname(file)): string[] {
  const last = path.dirname(made);
  const folders = [path.dirname(file)];
  for (let at = folders[0]!; at !== last && at !== path.dirname(at); folders.push(at)) at = path.dirname(at);
  return folders;
}

/** What was read last: a long run reads the same journal many times. */
interface Known {
  reading: { bytes: Buffer; last: JournalReading } | null;
}

/** Reads the present bytes; null if there is no journal. Throws as `read` does; the caller may fold the bytes later. */
function seeJournal(file: string): Buffer | null {
  try {
    return readBytesOrNull(file, MAX_JOURNAL_BYTES);
  } catch (error) {
    throw strange(error);
  }
}

/** A separate fold of the present journal, for callers that fold further lines which are not in a file yet. */
export function foldAnew(file: string): JournalReading {
  const bytes = seeJournal(file) ?? Buffer.alloc(0);
  return folded(file, bytes, bytes.length);
}

function readJournal(file: string, known: Known, upTo?: number): JournalReading {
  const bytes = seeJournal(file) ?? Buffer.alloc(0);
  if (upTo !== undefined && upTo > bytes.length)
    throw new JournalError(
      `${file} ends at byte ${bytes.length}, but a view was made at byte ${upTo}: the journal lost its end. Restore it, or delete stats.json beside it to count what remains.`,
    );
  if (upTo !== undefined && upTo !== bytes.length) return folded(file, bytes, upTo);
  // An agent may have changed any of it meanwhile.
  if (!known.reading?.bytes.equals(bytes)) known.reading = { bytes, last: folded(file, bytes, bytes.length) };
  return known.reading.last;
}

/** The lines that begin before `end`. */
function folded(file: string, bytes: Buffer, end: number): JournalReading {
  const ledger = emptyLedger();
  let torn = 0;
  for (let from = 0; from < end; ) {
    const newline = bytes.indexOf(0x0a, from);
    const to = newline === -1 ? bytes.length : newline;
    const line = parseLine(bytes.toString('utf8', from, to), file);
    if (line === 'torn') torn += 1;
    else if (line !== 'blank') fold(ledger, line, from);
    from = to + 1;
  }
  return { ledger, offset: end, torn };
}

function parseLine(text: string, file: string): JournalLine | 'blank' | 'torn' {
  if (text.trim() === '') return 'blank';
  let line: JournalLine;
  try {
    line = JSON.parse(text) as JournalLine;
  } catch {
    return 'torn';
  }
  if (typeof line !== 'object' || line === null) return 'torn';
  if (typeof line.v === 'number' && line.v > JOURNAL_VERSION)
    throw new JournalError(
      `${file} was written by a newer version (format ${line.v}, this one reads ${JOURNAL_VERSION}): update tollgate; nothing was changed`,
    );
  if (!isFact(line)) return 'torn';
  return line;
}

/** For callers that need the order and the times of its lines. Without torn lines, and lines that are not facts. Throws as reading a journal does. */
export function journalLines(taskFolder: string): JournalLine[] {
  const file = journalOf(taskFolder);
  const text = seeJournal(file)?.toString('utf8') ?? '';
  return text
    .split('\n')
    .map((line) => parseLine(line, file))
    .filter((line) => typeof line === 'object');
}

/** A journal whose new facts are read back and never written, to look at a task that may be another user's. */
export function createDryRunJournal(taskFolder: string, clock: () => Date): Journal {
  const { file, read } = openJournal(taskFolder, clock);
  const imagined: JournalLine[] = [];
  const imagine = (fact: Fact) => {
    imagined.push({ v: JOURNAL_VERSION, at: clock().toISOString(), ...fact });
  };
  return {
    file,
    append: imagine,
    note: async (fact) => imagine(fact),
    read(upTo) {
      if (upTo !== undefined || imagined.length === 0) return read(upTo);
      const reading = foldAnew(file);
      for (const [at, line] of imagined.entries()) fold(reading.ledger, line, reading.offset + at);
      return reading;
    },
  };
}
