// One file of a queue of tickets, folded as it grows: each reader reads only what is new to it.

import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { isProcessIdentity } from '../../policies/facts/process-identity.ts';
import { openRegular, tooLarge } from '../disk/regular-file.ts';
import type { Ticket } from './ticket.ts';

export interface TicketFile {
  n: number;
  path: string;
  /** Those that stand, oldest first. */
  tickets: Map<string, Ticket>;
  sealed(): boolean;
  /** Bytes that have been read. */
  size(): number;
  /** Throws UnfitFileError for what cannot be one. */
  read(): void;
}

export function openTicketFile(folder: string, name: string, n: number): TicketFile {
  const file = path.join(folder, `${name}.${n}.jsonl`);
  const tickets = new Map<string, Ticket>();
  let at = { inode: -1, offset: 0 };
  let sealed = false;
  const begin = (inode: number) => {
    tickets.clear();
    sealed = false;
    at = { inode, offset: 0 };
  };
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
    size: () => at.offset,
    read() {
      const fd = openOrNull(file);
      if (fd === null) return begin(-1);
      try {
        const { ino, size } = fstatSync(fd);
        if (size > MAX_BYTES) throw tooLarge(file, size, MAX_BYTES);
        // Somebody put another file in its place.
        if (ino !== at.inode || size < at.offset) begin(ino);
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

/** Far more than a file has when it is sealed, with all who stand in it. */
const MAX_BYTES = 4 * 1024 * 1024;

type Line = { ticket: Ticket } | { left: string } | { sealed: true } | Record<never, never>;

/** What is no line of ours says nothing. */
function parse(text: string): Line {
  try {
    const line = JSON.parse(text) as { ticket?: Partial<Ticket> | null };
    if (line === null || typeof line !== 'object') return {};
    return line.ticket === undefined || isTicket(line.ticket) ? (line as Line) : {};
  } catch {
    return {};
  }
}

/** Only what a reader relies on. */
function isTicket(ticket: Partial<Ticket> | null): boolean {
  const { id, owner, stage, task_id, until, task_folder } = ticket ?? {};
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
