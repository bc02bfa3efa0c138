// What a report has read of each task, kept until one of the task's files changes: a look at them is a fraction of reading them.

import { createHash } from 'node:crypto';
import { type Stats, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from './disk/folder.ts';
import { lookAt, readBytesIfFit } from './disk/regular-file.ts';
import { replaceFile } from './disk/replace-file.ts';
import { journalOf } from './journal/journal.ts';
import { isSystemError } from './system-error.ts';
import { userState } from './user-state.ts';

interface TaskIndex {
  /** What was kept of a task whose files are as they were then; null for another, and for a damaged index. */
  find(task: string): KeptText | null;
  keep(task: string, mark: string, text: KeptText): void;
  /** Writes it, where enough of it is new to be worth that. It can always be made again, so no error of the disk counts. */
  save(): void;
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
  const before = linesOf(file);
  const now = createPages(before);
  let at = 0;
  let changed = 0;
  const nameAt = (from: number) => before.toString('utf8', from, before.indexOf(TAB, from));
  const skip = () => {
    changed += 1;
    at = before.indexOf(NEWLINE, at) + 1;
  };
  return {
    find(task) {
      // What nobody asks for any more is gone.
      while (at < before.length && nameAt(at) < task) skip();
      if (at === before.length || nameAt(at) !== task) return null;
      const markAt = before.indexOf(TAB, at) + 1;
      const textAt = before.indexOf(TAB, markAt) + 1;
      if (!isAsMarked(folder + path.sep + task, before.toString('latin1', markAt, textAt - 1))) return null;
      const bodyAt = before.indexOf(TAB, textAt) + 1;
      const next = before.indexOf(NEWLINE, bodyAt) + 1;
      now.addLines(at, next);
      at = next;
      return {
        head: before.toString('utf8', textAt, bodyAt - 1),
        body: () => before.toString('utf8', bodyAt, next - 1),
      };
    },
    keep(task, mark, { head, body }) {
      changed += 1;
      now.addText(`${task}\t${mark}\t${head}\t${body()}\n`);
    },
    save() {
      while (at < before.length) skip();
      if (changed < count * WORTH_WRITING) return;
      const pages = now.all();
      const hash = createHash('sha256');
      for (const page of pages) hash.update(page);
      try {
        makeFolder(path.dirname(file));
        replaceFile(file, 'renamed', (fd) => {
          for (const page of [`${FORMAT} ${hash.digest('hex')}\n`, ...pages]) writeFileSync(fd, page);
        });
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    },
  };
}

/** The lines of the index, in one piece; of a damaged one none. */
function linesOf(file: string): Buffer {
  const whole = readBytesIfFit(file, MAX_BYTES) ?? Buffer.alloc(0);
  const lines = whole.subarray(whole.indexOf(NEWLINE) + 1);
  const head = `${FORMAT} ${hashOf(lines)}\n`;
  return whole.toString('utf8', 0, whole.length - lines.length) === head ? lines : Buffer.alloc(0);
}

const PAGE_BYTES = 1024 * 1024;

/** Lines to write, in few pieces: as many strings would take as much memory again. */
function createPages(before: Buffer) {
  const pages: Buffer[] = [];
  /** Of lines that stay as they were, from where to where. */
  let kept = { from: 0, to: 0 };
  let fresh = Buffer.alloc(0);
  let filled = 0;
  const end = () => {
    if (kept.to > kept.from) pages.push(before.subarray(kept.from, kept.to));
    if (filled > 0) pages.push(fresh.subarray(0, filled));
    kept = { from: 0, to: 0 };
    fresh = fresh.subarray(filled);
    filled = 0;
  };
  return {
    addLines(from: number, to: number): void {
      if (filled > 0 || kept.to !== from) end();
      kept = { from: kept.to === from && from > 0 ? kept.from : from, to };
    },
    addText(text: string): void {
      if (kept.to > 0) end();
      const bytes = Buffer.byteLength(text);
      if (filled + bytes > fresh.length) {
        end();
        fresh = Buffer.allocUnsafe(Math.max(PAGE_BYTES, bytes));
      }
      filled += fresh.write(text, filled);
    },
    all(): Buffer[] {
      end();
      return pages;
    },
  };
}

const NEWLINE = 0x0a;
const TAB = 0x09;

const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Two changes within one tick of the file system's clock look alike: what changed this lately is read anew. */
const TICK_MS = 2000;

/** The failure of a task, as it looks; taken before it is read. */
export const lookAtFailure = (folder: string): Stats | null => lookAt(`${folder}/state/last_failure.json`);

/**
 * By which a change is seen; null where a file may be changing right now.
 * @param failure `unread`: it has no say in what is kept.
 */
export function markOf(journal: Stats | null, failure: Stats | null | 'unread', now: Date): string | null {
  const words = [journal, failure].map((look) => {
    if (look === 'unread') return UNREAD;
    return look !== null && look.ctimeMs > now.getTime() - TICK_MS ? null : wordOf(look);
  });
  return words.includes(null) ? null : words.join(' ');
}

function isAsMarked(folder: string, mark: string): boolean {
  const [journal, failure] = mark.split(' ');
  return (
    wordOf(lookAt(journalOf(folder))) === journal && (failure === UNREAD || wordOf(lookAtFailure(folder)) === failure)
  );
}

const UNREAD = '=';
const NOTHING = '-';

const wordOf = (look: Stats | null): string => (look === null ? NOTHING : `${look.ino}.${look.size}.${look.ctimeMs}`);
