// What a report has read of each task, kept until one of the task's files changes: a look at them is a fraction of reading them.

import { createHash } from 'node:crypto';
import { type Stats, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from './disk/folder.ts';
import { lookAt } from './disk/regular-file.ts';
import { replaceFile } from './disk/replace-file.ts';
import { gatherLines } from './gathered-lines.ts';
import { journalOf } from './journal/journal.ts';
import { headOf, NO_HASH, openKeptLines } from './kept-lines.ts';
import { isSystemError } from './system-error.ts';
import { userState } from './user-state.ts';

interface TaskIndex {
  /** Whether one was kept before. */
  isOld: boolean;
  /** What was kept of a task whose files are as they were then; null for another, and for a damaged index. @param journal how it looks, where somebody has looked. */
  find(task: string, journal?: KeptLook | null): KeptText | null;
  keep(task: string, mark: string, text: KeptText): void;
  /** Writes it, where enough of it is new to be worth that. It can always be made again, so no error of the disk counts. */
  save(): void;
  close(): void;
}

/** Two pieces of one line; of most tasks nobody asks for the second. */
export interface KeptText {
  head: string;
  body(): string;
}

/** Of another form, or of other words in it, none is read. */
const FORMAT = 'tollgate task index 3';
const MAX_BYTES = 256 * 1024 * 1024;

/** A folder with fewer tasks is read as quickly as its index. */
const LEAST_TASKS = 500;
/** One that has changed so little is left as it is. */
const WORTH_WRITING = 0.01;

/**
 * @param count how many tasks lie in that folder; they are asked for in the order of their names.
 * @returns null where none is to be kept.
 */
export function openTaskIndex(folder: string, count: number, environment: NodeJS.ProcessEnv): TaskIndex | null {
  const own = userState(environment);
  if (own === null || count < LEAST_TASKS) return null;
  const file = path.join(own, 'reports', `${hashOf(folder).slice(0, 32)}.index`);
  const before = openKeptLines(file, FORMAT, MAX_BYTES);
  const now = gatherLines(file, before);
  let changed = 0;
  /** The line that is looked at was found, and stays until the next is asked for. */
  let isSeen = false;
  let isLost = false;
  const onDisk = (step: () => void) => {
    try {
      if (!isLost) step();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      isLost = true;
    }
  };
  const isOver = () => before === null || before.at === before.end;
  const textAt = (from: number, to: number) => before!.bytes.toString('utf8', from, to);
  const tabAfter = (from: number) => before!.bytes.indexOf(TAB, from);
  const name = () => textAt(before!.at, tabAfter(before!.at));
  const skip = () => {
    changed += 1;
    before!.next();
  };
  return {
    isOld: before !== null,
    find(task, journal) {
      if (isSeen) {
        isSeen = false;
        before!.next();
      }
      // What nobody asks for any more is gone.
      while (!isOver() && name() < task) skip();
      if (isOver() || name() !== task) return null;
      const { bytes, at, end, offset } = before!;
      const markAt = tabAfter(at) + 1;
      const headAt = tabAfter(markAt) + 1;
      if (!isAsMarked(folder + path.sep + task, bytes.toString('latin1', markAt, headAt - 1), journal)) return null;
      const bodyAt = tabAfter(headAt) + 1;
      now.addKept(offset + at, offset + end);
      isSeen = true;
      return { head: textAt(headAt, bodyAt - 1), body: () => textAt(bodyAt, end - 1) };
    },
    keep(task, mark, { head, body }) {
      changed += 1;
      onDisk(() => now.addText(`${task}\t${mark}\t${head}\t${body()}\n`));
    },
    save() {
      if (isSeen) before!.next();
      while (!isOver()) skip();
      if (changed >= count * WORTH_WRITING) onDisk(() => write(file, now.pieces()));
    },
    close() {
      before?.close();
      now.close();
    },
  };
}

function write(file: string, pieces: Iterable<Buffer>): void {
  makeFolder(path.dirname(file));
  replaceFile(file, 'renamed', (fd) => {
    const hash = createHash('sha256');
    writeFileSync(fd, headOf(FORMAT, NO_HASH));
    for (const piece of pieces) {
      hash.update(piece);
      writeFileSync(fd, piece);
    }
    writeSync(fd, headOf(FORMAT, hash.digest('hex')), 0);
  });
}

const TAB = 0x09;

const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** By which it is told whether a file is the same as it was. */
export type KeptLook = Pick<Stats, 'ino' | 'size' | 'ctimeMs'>;

/** Two changes within one tick of the file system's clock look alike: what changed this lately is read anew. */
const TICK_MS = 2000;

const lookAtFailure = (folder: string): KeptLook | null => lookAt(`${folder}/state/last_failure.json`);

/**
 * By which a change is seen; null where a file may be changing right now.
 * @param failure `unread`: it has no say in what is kept.
 */
export function markOf(journal: KeptLook | null, failure: KeptLook | null | 'unread', now: Date): string | null {
  const words = [journal, failure].map((look) => {
    if (look === 'unread') return UNREAD;
    return look !== null && look.ctimeMs > now.getTime() - TICK_MS ? null : wordOf(look);
  });
  return words.includes(null) ? null : words.join(' ');
}

function isAsMarked(folder: string, mark: string, look: KeptLook | null = lookAt(journalOf(folder))): boolean {
  const [journal, failure] = mark.split(' ');
  return wordOf(look) === journal && (failure === UNREAD || wordOf(lookAtFailure(folder)) === failure);
}

const UNREAD = '=';
const NOTHING = '-';

const wordOf = (look: KeptLook | null): string =>
  look === null ? NOTHING : `${look.ino}.${look.size}.${look.ctimeMs}`;
