// Implements a queue that all processes of this machine append to: the order of the lines is the order of the queue.

import { closeSync, constants, rmSync } from 'node:fs';
import path from 'node:path';
import { appendLine } from '../append-line.ts';
import { isOwnFolder, makeFolder, namesIn } from '../disk/folder.ts';
import { isRegular, kindOf, lookAt, openRegular, UnfitFileError } from '../disk/regular-file.ts';
import { setAsideIfThere } from '../disk/replace-file.ts';
import { isSystemError } from '../system-error.ts';
import { OVER, openTicketFile, SEAL_BYTES, type Ticket, type TicketFile } from './ticket-file.ts';

export interface Queue {
  /** Puts the ticket at the end. Throws what the operating system throws: then it does not count. */
  join(ticket: Ticket): void;
  /** If the file cannot be written, the ticket counts until its process ends. That is no reason to let finished work fail. */
  release(id: string): void;
  /** The active tickets before this one, oldest first, and their file; null when this one is not active (any more). */
  before(id: string): { file: string; ticket: Ticket }[] | null;
  /** The files set aside since the last call, in sentences. */
  setAside(): string[];
}

const LAST_NUMBER = 999_999_999;
/** A file is sealed, or set aside, once or twice while one joins. It happens more often only in an attack. */
const MOST_ROUNDS = 100;
/** A sealed file is deleted only when no process can still be about to write to it. */
const KEEP_MS = 3_600_000;

/**
 * Uses files `<name>.<n>.jsonl` in `folder`. A `sealed` line closes a file: a ticket after it is void, and is taken again in the
 * next file. Nothing is synced: after a power loss no owner of a ticket remains either.
 */
export function openQueue(folder: string, name: string, clock: () => Date): Queue {
  let files: TicketFile[] = [];
  let aside: string[] = [];
  /** As of the last look at its folder, which has a file of each queue. */
  let lastVoid = 0;
  const isReadable = (file: TicketFile) => {
    try {
      file.read();
      return true;
    } catch (error) {
      if (!(error instanceof UnfitFileError)) throw error;
      // Another process may have put a valid one in its place by now.
      if (error.code === 'EFBIG' || !isRegular(file.path)) aside.push(...putAside(file.path, error.message, clock));
      return false;
    }
  };
  const find = () => {
    // A link leads to a folder of another owner, whatever is in it.
    const isOwn = isOwnFolder(folder);
    // A second file is begun only after the first is sealed or gone. Until then the folder, with the files of all queues, is not
    // listed.
    const [first, second] = files;
    if (isOwn && first?.n === 1 && second === undefined && isReadable(first) && first.size() > 0 && !first.sealed())
      return files;
    const names = isOwn ? namesIn(folder) : [];
    const all = numbers(names, name).map((n) => files.find((file) => file.n === n) ?? openTicketFile(folder, name, n));
    files = all.filter(isReadable);
    // Invalid files have been renamed by now, by this process or another.
    lastVoid = lastVoidOf(files.length < all.length ? namesIn(folder) : names, name);
    return files;
  };
  return {
    join(ticket) {
      for (let round = 0; ; round++) {
        if (round === MOST_ROUNDS)
          throw new UnfitFileError(folder, 'EINVAL', 'is put out of its place again and again');
        aside.push(...makeRoom(folder, clock));
        const last = find().at(-1);
        // There is no number after it: no real queue has come so far.
        if (last?.sealed() && last.n >= LAST_NUMBER) {
          aside.push(...putAside(last.path, `${last.path} bears the last number that there is`, clock));
          continue;
        }
        const n = last === undefined || last.sealed() ? Math.max(last?.n ?? 0, lastVoid) + 1 : last.n;
        const file = openTicketFile(folder, name, n).path;
        if (!append(file, { ticket }, n === last?.n ? 'there' : 'new')) continue;
        const joined = find().find(({ tickets }) => tickets.has(ticket.id));
        if (joined === undefined) continue;
        if (joined.size() > SEAL_BYTES && !joined.sealed()) append(joined.path, { sealed: true }, 'there');
        settleOld(files, clock());
        return;
      }
    },
    release(id) {
      try {
        const file = find().find(({ tickets }) => tickets.has(id));
        if (file !== undefined) append(file.path, { left: id }, 'there');
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
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
    setAside() {
      const warnings = aside;
      aside = [];
      return warnings;
    },
  };
}

/** The queues' folder and the state above it must be ours: anything else in their place is moved aside and reported. */
function makeRoom(folder: string, clock: () => Date): string[] {
  try {
    makeFolder(folder);
    if (!isOwnFolder(folder)) throw new UnfitFileError(folder, 'EINVAL', `is ${kindOf(folder)}, and no folder`);
    return [];
  } catch (error) {
    if (!(error instanceof UnfitFileError) || ![folder, path.dirname(folder)].includes(error.path)) throw error;
    // Another process may have made one by now.
    const warnings = isOwnFolder(error.path) ? [] : putAside(error.path, error.message, clock);
    makeFolder(folder);
    return warnings;
  }
}

/** Other files in the folder are not ours. */
const numbers = (names: readonly string[], name: string): number[] => numbersOf(names, name, /^([1-9]\d{0,8})\.jsonl$/);

/**
 * The highest number whose file was set aside; 0 for none. Such numbers are not used again. Otherwise a slower process that saw
 * the same invalid file would set aside a valid one. It would contain the ticket of the process that has the tree.
 */
const lastVoidOf = (names: readonly string[], name: string): number =>
  numbersOf(names, name, /^([1-9]\d{0,8})\.jsonl\.unreadable-/)
    .filter((n) => n < LAST_NUMBER)
    .at(-1) ?? 0;

const numbersOf = (names: readonly string[], name: string, ending: RegExp): number[] =>
  names
    .filter((entry) => entry.startsWith(`${name}.`))
    .flatMap((entry) => ending.exec(entry.slice(name.length + 1))?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/** Moves an invalid file aside, so that later runs continue. @returns a message; none if it is already gone. */
function putAside(file: string, why: string, clock: () => Date): string[] {
  const aside = setAsideIfThere(file, clock);
  return aside === null ? [] : [`${why}; it cannot be a queue, and was moved to ${aside}`];
}

/** @returns false if the file was there and is gone, or is no longer a file. */
function append(file: string, line: object, which: 'there' | 'new'): boolean {
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  let fd: number;
  try {
    // A deleted file must not be created again: other processes would find the empty one unsealed.
    fd = openRegular(file, O_RDWR | O_APPEND | (which === 'new' ? O_CREAT : 0));
  } catch (error) {
    if (error instanceof UnfitFileError) return false;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && which === 'there') return false;
    throw error;
  }
  try {
    appendLine(fd, file, { v: 1, ...line });
    return true;
  } finally {
    closeSync(fd);
  }
}

function settleOld(files: readonly TicketFile[], now: Date): void {
  for (const file of files.slice(0, -1)) {
    const over = file.over();
    if (over === null) continue;
    if (over === 'unrecorded') append(file.path, OVER, 'there');
    const mtimeMs = lookAt(file.path)?.mtimeMs ?? now.getTime();
    if (now.getTime() - mtimeMs > KEEP_MS) rmSync(file.path, { force: true });
  }
}

export const queueFolder = (stateFolder: string): string => path.join(stateFolder, 'state', 'trees');
