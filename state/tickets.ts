// A queue of tickets that all processes of this machine append to and read alike: the order of the lines is the order of the queue.

import { closeSync, constants, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../policies/process-identity.ts';
import { writeLine } from './line.ts';
import { openTicketFile, type TicketFile } from './ticket-file.ts';

export interface Ticket {
  id: string;
  mode: 'read' | 'write';
  /** It counts for as long as this process lives, or a call that it made for this stage. */
  owner: ProcessIdentity;
  task_id: string;
  /** Its journal tells what outlived the owner; absent where no call is made. */
  task_folder?: string;
  stage: string;
  /** ISO time until which it counts where its owner cannot be looked up. */
  until: string;
}

export interface Queue {
  /** Puts the ticket at the end. Throws what the operating system throws: then it does not stand. */
  join(ticket: Ticket): void;
  leave(id: string): void;
  /** The tickets that stand before this one, oldest first, and their file; null when this one does not stand (any more). */
  before(id: string): { file: string; ticket: Ticket }[] | null;
}

/** Past this size a file is sealed and another one begun, so that nobody reads for long. */
const SEAL_BYTES = 64 * 1024;
/** A sealed file is deleted only when nobody can still be about to write to it. */
const KEEP_MS = 3_600_000;

/**
 * Files `<name>.<n>.jsonl` in `folder`. A `sealed` line closes a file: a ticket behind it is void, and is taken again in
 * the next file. Nothing is synced: after a loss of power no owner of a ticket is left either.
 */
export function openQueue(folder: string, name: string, clock: () => Date): Queue {
  let files: TicketFile[] = [];
  const find = () => {
    files = numbers(folder, name).map((n) => files.find((file) => file.n === n) ?? openTicketFile(folder, name, n));
    for (const file of files) file.read();
    return files;
  };
  return {
    join(ticket) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (;;) {
        const last = find().at(-1);
        const n = last === undefined ? 1 : last.sealed() ? last.n + 1 : last.n;
        const file = openTicketFile(folder, name, n).path;
        if (!append(file, { ticket }, n === last?.n ? 'there' : 'new')) continue;
        const joined = find().find(({ tickets }) => tickets.has(ticket.id));
        if (joined === undefined) continue;
        if (joined.size() > SEAL_BYTES && !joined.sealed()) append(joined.path, { sealed: true }, 'there');
        discardOld(files, clock());
        return;
      }
    },
    leave(id) {
      const file = find().find(({ tickets }) => tickets.has(id));
      if (file !== undefined) append(file.path, { left: id }, 'there');
    },
    before(id) {
      const earlier: { file: string; ticket: Ticket }[] = [];
      for (const file of find())
        for (const ticket of file.tickets.values()) {
          if (ticket.id === id) return earlier;
          earlier.push({ file: file.path, ticket });
        }
      return null;
    },
  };
}

function numbers(folder: string, name: string): number[] {
  let entries: string[];
  try {
    entries = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter((entry) => entry.startsWith(`${name}.`) && entry.endsWith('.jsonl'))
    .map((entry) => Number(entry.slice(name.length + 1, -'.jsonl'.length)))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
}

/** @returns false when a file that was there is gone. */
function append(file: string, line: object, which: 'there' | 'new'): boolean {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  let fd: number;
  try {
    // One that was deleted must not come back as an empty one, which others would not find sealed.
    fd = openSync(file, O_RDWR | O_APPEND | (which === 'new' ? O_CREAT : 0), 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && which === 'there') return false;
    throw error;
  }
  try {
    writeLine(fd, file, { v: 1, ...line });
    return true;
  } finally {
    closeSync(fd);
  }
}

function discardOld(files: readonly TicketFile[], now: Date): void {
  for (const file of files.slice(0, -1)) {
    if (!file.sealed() || file.tickets.size > 0) continue;
    const { mtimeMs } = statSync(file.path, { throwIfNoEntry: false }) ?? { mtimeMs: now.getTime() };
    if (now.getTime() - mtimeMs > KEEP_MS) rmSync(file.path, { force: true });
  }
}

/** Where the lines for trees lie. */
export const queueFolder = (stateFolder: string): string => path.join(stateFolder, 'state', 'trees');
