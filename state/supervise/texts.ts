// Stores the texts of a supervision: instructions to the worker, and the notes of users.

import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeAtomic } from '../atomic-file.ts';
import { taskKey } from '../calls/judge-register.ts';
import { namesIn } from '../disk/folder.ts';
import { readIfFit, readRegularOrNull } from '../disk/regular-file.ts';
import { StrangeStateError } from '../disk/strange-state-error.ts';
import { type TaskFolder, userState } from '../task-folder.ts';

interface LeftNote {
  /** Its name, by which it counts once. */
  note: string;
  text: string;
  file: string;
}

export const MAX_NOTE_BYTES = 64 * 1024;

/**
 * The folder of the notes for a task. If the user has a home, it is outside the project, which a sandboxed agent may write. An
 * agent of the same user without a sandbox can still write there.
 */
export const notesFolder = (environment: NodeJS.ProcessEnv, stateFolder: string, { root }: { root: string }): string =>
  path.join(userState(environment) ?? path.join(stateFolder, 'state'), 'notes', taskKey(root));

/** The run of the task copies the note into the journal between two calls. */
export async function leaveNote(folder: string, text: string, at: Date): Promise<string> {
  const stamp = at.toISOString().replace(/[^0-9]/g, '');
  const note = `${stamp}-${randomUUID().slice(0, 8)}`;
  await writeAtomic(path.join(folder, `${note}.md`), text);
  return note;
}

/** In the order in which they were written; other files are not touched. */
export function notesLeft(folder: string): LeftNote[] {
  return namesIn(folder)
    .filter((name) => /^\d{17}-[0-9a-f]{8}\.md$/.test(name))
    .sort()
    .flatMap((name) => {
      const file = path.join(folder, name);
      const text = readIfFit(file, MAX_NOTE_BYTES * 4);
      return text === null || text.trim() === '' ? [] : [{ note: name.replace(/\.md$/, ''), text, file }];
    });
}

/** Called once the journal contains it. */
export const removeNote = ({ file }: LeftNote): void => rmSync(file, { force: true });

const fileOf = ({ state }: { state: string }, sha256: string): string => path.join(state, 'supervise', `${sha256}.md`);

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Stores a text on disk by its SHA-256, once, before anything is paid for it. @returns its hash. */
export async function keepText(task: TaskFolder, text: string): Promise<string> {
  const sha256 = hashOf(text);
  const file = fileOf(task, sha256);
  if (wholeOrNull(file, sha256) === null) await writeAtomic(file, text);
  return sha256;
}

/** Returns exactly the bytes that were stored; a worker never gets a part of them, or another text. */
export function keptText(task: TaskFolder, sha256: string): string {
  const file = fileOf(task, sha256);
  const text = wholeOrNull(file, sha256);
  if (text !== null) return text;
  throw new StrangeStateError(
    `${file} is gone or was changed, and the instruction in it is what the worker would receive; put it back, or start over with --anew`,
  );
}

function wholeOrNull(file: string, sha256: string): string | null {
  const text = readRegularOrNull(file, MAX_BYTES);
  return text !== null && hashOf(text) === sha256 ? text : null;
}

const MAX_BYTES = 1024 * 1024;
