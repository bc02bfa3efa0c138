// Reads the files of ticket queues and folds each as it grows: each reader reads only what is new to it.

import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { isProcessIdentity, type ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { partOf } from '../../policies/text/json.ts';
import { namesIn } from '../disk/folder.ts';
import { openRegular, tooLarge, UnfitFileError } from '../disk/regular-file.ts';

export interface TicketFile {
  n: number;
  path: string;
  /** The active ones, oldest first. */
  tickets: Map<string, Ticket>;
  sealed(): boolean;
  /** Sealed and without active tickets, which is permanent; `recorded` if its last line says so. */
  over(): 'recorded' | 'unrecorded' | null;
  /** Bytes that have been read. */
  size(): number;
  /** Throws UnfitFileError for a file that cannot be a queue. */
  read(): void;
}

export function openTicketFile(folder: string, name: string, n: number): TicketFile {
  const file = path.join(folder, `${name}.${n}.jsonl`);
  const tickets = new Map<string, Ticket>();
  let at = { inode: -1, offset: 0 };
  let sealed = false;
  let isRecorded = false;
  const begin = (inode: number) => {
    tickets.clear();
    sealed = false;
    isRecorded = false;
    at = { inode, offset: 0 };
  };
  const isOver = () => sealed && tickets.size === 0;
  const fold = (text: string) => {
    const line = parse(text);
    if ('left' in line) tickets.delete(line.left);
    else if ('sealed' in line) sealed = true;
    else if ('ticket' in line && !sealed) tickets.set(line.ticket.id, line.ticket);
  };
  return {
    n,
    path: file,
    tickets,
    sealed: () => sealed,
    over: () => (!isOver() ? null : isRecorded ? 'recorded' : 'unrecorded'),
    size: () => at.offset,
    read() {
      if (isOver()) return;
      const fd = openOrNull(file);
      if (fd === null) return begin(-1);
      try {
        const { ino, size } = fstatSync(fd);
        if (size > MAX_BYTES) throw tooLarge(file, size, MAX_BYTES);
        // Another file is in its place now.
        if (ino !== at.inode || size < at.offset) begin(ino);
        if (at.offset === 0 && size > SEAL_BYTES && endsOver(fd, size)) {
          [sealed, isRecorded] = [true, true];
          at.offset = size;
          return;
        }
        const bytes = Buffer.alloc(size - at.offset);
        const whole = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, at.offset)).lastIndexOf(0x0a) + 1;
        for (const text of bytes.toString('utf8', 0, whole).split('\n')) fold(text);
        at.offset += whole;
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** Above this size a file is sealed and another one begun, so that no reader takes long. */
export const SEAL_BYTES = 64 * 1024;

/** The last line of a file that is over: a reader that finds it need not read the rest. */
export const OVER = { over: true };
const OVER_LINE = `\n${JSON.stringify({ v: 1, ...OVER })}\n`;

function endsOver(fd: number, size: number): boolean {
  const end = Buffer.alloc(OVER_LINE.length);
  readSync(fd, end, 0, end.length, size - end.length);
  return end.toString('latin1') === OVER_LINE;
}

/** Far more than a sealed file has, even with all its active tickets. */
const MAX_BYTES = 4 * 1024 * 1024;

type Line = { ticket: Ticket } | { left: string } | { sealed: true } | Record<never, never>;

/** Ignores any line that is not ours. */
function parse(text: string): Line {
  try {
    const line = partOf(JSON.parse(text)) ?? {};
    return line.ticket === undefined || isTicket(line.ticket) ? (line as Line) : {};
  } catch {
    return {};
  }
}

/** Checks only what a reader relies on. */
function isTicket(ticket: unknown): boolean {
  const { id, owner, stage, task_id, until, task_folder } = partOf(ticket) ?? {};
  return (
    [id, stage, task_id, until, task_folder ?? ''].every((text) => typeof text === 'string') &&
    isProcessIdentity(owner, 1)
  );
}

function openOrNull(file: string): number | null {
  try {
    return openRegular(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export interface Ticket {
  id: string;
  mode: 'read' | 'write';
  /** The ticket counts as long as this process lives, or a call that it made for this stage. */
  owner: ProcessIdentity;
  task_id: string;
  /** Its journal shows which call survived the owner; absent if no call is made. */
  task_folder?: string;
  stage: string;
  /** ISO time until which it counts if its owner cannot be looked up. */
  until: string;
}

/** For callers that only look and do not join: the tickets of each queue by its name, oldest first; does not check whether their owners still live. */
export function standingTickets(folder: string): Map<string, Ticket[]> {
  const queues = new Map<string, Ticket[]>();
  for (const { name, n } of filesIn(folder)) {
    queues.set(name, [...(queues.get(name) ?? []), ...ticketsIn(folder, name, n)]);
  }
  return queues;
}

/** A file that is not a queue has no tickets; the next process that joins it sets it aside. */
function ticketsIn(folder: string, name: string, n: number): Ticket[] {
  const file = openTicketFile(folder, name, n);
  try {
    file.read();
  } catch (error) {
    if (!(error instanceof UnfitFileError)) throw error;
  }
  return [...file.tickets.values()];
}

function filesIn(folder: string): { name: string; n: number }[] {
  return namesIn(folder)
    .flatMap((file) => {
      const [, name, n] = /^(.+)\.(\d{1,9})\.jsonl$/.exec(file) ?? [];
      return name === undefined ? [] : [{ name, n: Number(n) }];
    })
    .sort((a, b) => a.n - b.n);
}
