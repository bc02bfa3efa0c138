// What a report has read of each task, kept until one of the task's files changes: a look at them is a tenth of reading them.

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { makeFolder } from './disk/folder.ts';
import { lookAt, readIfFit } from './disk/regular-file.ts';
import { replaceText } from './disk/replace-file.ts';
import { isSystemError } from './system-error.ts';
import { userState } from './user-state.ts';

interface TaskIndex {
  /** What was kept of a task whose files are as they were then; null for another, and for a damaged index. */
  find(folder: string, mark: string): string | null;
  /** One line of text. */
  keep(folder: string, mark: string, text: string): void;
  /** Writes it, where enough of it is new to be worth that. It can always be made again, so no error of the disk counts. */
  save(): void;
}

/** Of another form, or of other words in it, none is read. */
const FORMAT = 'tollgate task index 1';
const MAX_BYTES = 256 * 1024 * 1024;

/** A folder with fewer tasks is read as quickly as its index. */
const LEAST_TASKS = 500;
/** One that has changed so little is left as it is. */
const WORTH_WRITING = 0.01;

interface Kept {
  mark: string;
  text: string;
}

/** @param count how many tasks lie in that folder. @returns null where none is to be kept. */
export function openTaskIndex(folder: string, count: number, environment: NodeJS.ProcessEnv): TaskIndex | null {
  const own = userState(environment);
  if (own === null || count < LEAST_TASKS) return null;
  const file = path.join(own, 'reports', `${hashOf(folder).slice(0, 32)}.index`);
  const before = keptIn(file);
  const now = new Map<string, Kept>();
  let fresh = 0;
  const put = (task: string, kept: Kept) => void now.set(path.basename(task), kept);
  return {
    find(task, mark) {
      const kept = before.get(path.basename(task));
      if (kept?.mark !== mark) return null;
      put(task, kept);
      return kept.text;
    },
    keep(task, mark, text) {
      fresh += 1;
      put(task, { mark, text });
    },
    save() {
      const gone = [...before.keys()].filter((task) => !now.has(task)).length;
      if (fresh + gone < count * WORTH_WRITING) return;
      const body = [...now].map(([task, { mark, text }]) => `${task}\t${mark}\t${text}`).join('\n');
      try {
        makeFolder(path.dirname(file));
        replaceText(file, `${FORMAT} ${hashOf(body)}\n${body}`);
      } catch (error) {
        if (!isSystemError(error)) throw error;
      }
    },
  };
}

function keptIn(file: string): Map<string, Kept> {
  const kept = new Map<string, Kept>();
  const whole = readIfFit(file, MAX_BYTES) ?? '';
  const end = whole.indexOf('\n');
  const body = whole.slice(end + 1);
  if (body === '' || whole.slice(0, end) !== `${FORMAT} ${hashOf(body)}`) return kept;
  for (const line of body.split('\n')) {
    const [task, mark, text] = line.split('\t') as [string, string, string];
    kept.set(task, { mark, text });
  }
  return kept;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Two changes within one tick of the file system's clock look alike: what changed this lately is read anew. */
const TICK_MS = 2000;

/** By which a change of its journal, of its views or of its folders is seen; null where it may be changing right now. */
export function markOf(folder: string, now: Date): string | null {
  const looks = ['', '/state', '/state/journal.jsonl', '/state/last_failure.json'].map((part) => lookAt(folder + part));
  const isNew = looks.some((look) => look !== null && look.ctimeMs > now.getTime() - TICK_MS);
  return isNew ? null : looks.map(wordOf).join(' ');
}

const wordOf = (look: Stats | null): string => (look === null ? '-' : `${look.ino}.${look.size}.${look.ctimeMs}`);
