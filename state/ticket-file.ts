// One file of a queue of tickets, folded as it grows: each reader reads only what is new to it.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Ticket } from './tickets.ts';

export interface TicketFile {
  n: number;
  path: string;
  /** Those that stand, oldest first. */
  tickets: Map<string, Ticket>;
  sealed(): boolean;
  /** Bytes that have been read. */
  size(): number;
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

type Line = { ticket: Ticket } | { left: string } | { sealed: true } | Record<never, never>;

/** What is no line of ours says nothing. */
function parse(text: string): Line {
  try {
    const line = JSON.parse(text) as { ticket?: Partial<Ticket> };
    if (line === null || typeof line !== 'object') return {};
    const { ticket } = line;
    return ticket === undefined || (typeof ticket?.id === 'string' && typeof ticket.owner === 'object') ? line : {};
  } catch {
    return {};
  }
}

function openOrNull(file: string): number | null {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
