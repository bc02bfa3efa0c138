// A task's journal: the truth. Append-only, one small line a fact, synced; nothing is counted by read-modify-write.

import { closeSync, constants, fdatasync, fdatasyncSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isFact } from './fact-shapes.ts';
import { type Fact, JOURNAL_VERSION, type Line } from './facts.ts';
import { emptyLedger, fold, type Ledger } from './ledger.ts';
import { writeLine } from './line.ts';

export interface Journal {
  file: string;
  /** Returns when the fact is on disk. Throws what the operating system throws: then the fact does not stand. */
  append(fact: Fact): void;
  /** The same, for a process with more to do meanwhile: the fact has its place at once, and is on disk when it resolves. */
  note(fact: Fact): Promise<void>;
  /** The fold of the journal from its start to its end, or to `upTo` bytes. */
  read(upTo?: number): Reading;
}

export interface Reading {
  ledger: Ledger;
  /** Bytes of the journal that this answer is about. */
  offset: number;
  /** Lines that say nothing: halves that a crash or a full disk left, or edits that are no facts. */
  torn: number;
}

/** A journal that this version cannot understand, or that lost its end. */
export class JournalError extends Error {}

export function openJournal(taskFolder: string, clock: () => Date): Journal {
  const file = path.join(taskFolder, 'state', 'journal.jsonl');
  return {
    file,
    append: (fact) => append(file, { v: JOURNAL_VERSION, at: clock().toISOString(), ...fact }),
    note: (fact) => note(file, { v: JOURNAL_VERSION, at: clock().toISOString(), ...fact }),
    read: (upTo) => readJournal(file, upTo),
  };
}

function append(file: string, line: Line): void {
  const fd = openToAppend(file);
  try {
    writeLine(fd, file, line);
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

async function note(file: string, line: Line): Promise<void> {
  const fd = openToAppend(file);
  try {
    writeLine(fd, file, line);
    await synced(fd);
  } finally {
    closeSync(fd);
  }
}

const synced = promisify(fdatasync);

function openToAppend(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  return openSync(file, O_RDWR | O_APPEND | O_CREAT, 0o600);
}

function readJournal(file: string, upTo?: number): Reading {
  const ledger = emptyLedger();
  const bytes = readOrEmpty(file);
  if (upTo !== undefined && upTo > bytes.length)
    throw new JournalError(
      `${file} ends at byte ${bytes.length}, but a view was made at byte ${upTo}: the journal lost its end. Restore it, or delete stats.json beside it to count what is left.`,
    );
  const end = upTo ?? bytes.length;
  let torn = 0;
  for (let from = 0; from < end; ) {
    const newline = bytes.indexOf(0x0a, from);
    const to = newline === -1 ? bytes.length : newline;
    const line = parse(bytes.toString('utf8', from, to), file);
    if (line === 'torn') torn += 1;
    else if (line !== 'blank') fold(ledger, line, from);
    from = to + 1;
  }
  return { ledger, offset: end, torn };
}

function parse(text: string, file: string): Line | 'blank' | 'torn' {
  if (text.trim() === '') return 'blank';
  let line: Line;
  try {
    line = JSON.parse(text) as Line;
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

function readOrEmpty(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
