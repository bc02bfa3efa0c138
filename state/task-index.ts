// What a report has read of each task, kept until one of the task's files changes: a look at them is a tenth of reading them.

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { makeFolder } from './disk/folder.ts';
import { lookAt, readBytesIfFit } from './disk/regular-file.ts';
import { replaceText } from './disk/replace-file.ts';
import { isSystemError } from './system-error.ts';
import { userState } from './user-state.ts';

interface TaskIndex {
  /** What was kept of a task whose files are as they were then; null for another, and for a damaged index. */
  find(folder: string): string | null;
  /** One line of text. */
  keep(folder: string, mark: string, text: string): void;
  /** Writes it, where enough of it is new to be worth that. It can always be made again, so no error of the disk counts. */
  save(): void;
}

/** Of another form, or of other words in it, none is read. */
const FORMAT = 'tollgate task index 2';
const MAX_BYTES = 256 * 1024 * 1024;

/** A folder with fewer tasks is read as quickly as its index. */
const LEAST_TASKS = 500;
/** One that has changed so little is left as it is. */
const WORTH_WRITING = 0.01;

/** @param count how many tasks lie in that folder. @returns null where none is to be kept. */
export function openTaskIndex(folder: string, count: number, environment: NodeJS.ProcessEnv): TaskIndex | null {
  const own = userState(environment);
  if (own === null || count < LEAST_TASKS) return null;
  const file = path.join(own, 'reports', `${hashOf(folder).slice(0, 32)}.index`);
  const before = keptIn(file);
  const now = new Map<string, string>();
  let fresh = 0;
  return {
    find(task) {
      const name = path.basename(task);
      const line = before.get(name);
      if (line === undefined) return null;
      before.delete(name);
      const end = line.indexOf('\t');
      if (!isAsMarked(task, line.slice(0, end))) return null;
      now.set(name, line);
      return line.slice(end + 1);
    },
    keep(task, mark, text) {
      fresh += 1;
      now.set(path.basename(task), `${mark}\t${text}`);
    },
    save() {
      // What nobody has asked for is gone.
      if (fresh + before.size < count * WORTH_WRITING) return;
      const body = [...now].map(([task, line]) => `${task}\t${line}`).join('\n');
      try {
        makeFolder(path.dirname(file));
        replaceText(file, `${FORMAT} ${hashOf(body)}\n${body}`);
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    },
  };
}

/** By task: its mark, and what was kept of it. */
function keptIn(file: string): Map<string, string> {
  const kept = new Map<string, string>();
  const whole = readBytesIfFit(file, MAX_BYTES) ?? Buffer.alloc(0);
  const from = whole.indexOf(NEWLINE) + 1;
  const head = `${FORMAT} ${hashOf(whole.subarray(from))}\n`;
  if (from === whole.length || whole.toString('utf8', 0, from) !== head) return kept;
  for (let at = from; at < whole.length; ) {
    const newline = whole.indexOf(NEWLINE, at);
    const end = newline === -1 ? whole.length : newline;
    const tab = whole.indexOf(TAB, at);
    kept.set(whole.toString('utf8', at, tab), whole.toString('utf8', tab + 1, end));
    at = end + 1;
  }
  return kept;
}

const NEWLINE = 0x0a;
const TAB = 0x09;

const hashOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Two changes within one tick of the file system's clock look alike: what changed this lately is read anew. */
const TICK_MS = 2000;

/** A file that comes, goes or is replaced changes its folder; one that grows, or is edited in its place, only itself. */
const PARTS = { state: '/state', journal: '/state/journal.jsonl', failure: '/state/last_failure.json' } as const;

/** By which a change of its journal or of its failure is seen; null where it may be changing right now. */
export function markOf(folder: string, now: Date): string | null {
  const looks = Object.values(PARTS).map((part) => lookAt(folder + part));
  const isNew = looks.some((look) => look !== null && look.ctimeMs > now.getTime() - TICK_MS);
  return isNew ? null : looks.map(wordOf).join(' ');
}

/** A failure that was not there cannot have come to a folder that is as it was. */
function isAsMarked(folder: string, mark: string): boolean {
  const [state, journal, failure] = mark.split(' ');
  return (
    wordOf(lookAt(folder + PARTS.state)) === state &&
    wordOf(lookAt(folder + PARTS.journal)) === journal &&
    (failure === NOTHING || wordOf(lookAt(folder + PARTS.failure)) === failure)
  );
}

const NOTHING = '-';

const wordOf = (look: Stats | null): string => (look === null ? NOTHING : `${look.ino}.${look.size}.${look.ctimeMs}`);
