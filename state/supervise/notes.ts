// Stores users' notes for a supervised task in the user's state; its run copies them into the journal between calls.

import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeAtomic } from '../atomic-file.ts';
import { taskKey } from '../calls/judge-register.ts';
import { namesIn } from '../disk/folder.ts';
import { readIfFit } from '../disk/regular-file.ts';
import type { TaskFolder } from '../task-folder.ts';
import { userState } from '../user-state.ts';

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
export const notesFolder = (
  environment: NodeJS.ProcessEnv,
  stateFolder: string,
  { root }: Pick<TaskFolder, 'root'>,
): string => path.join(userState(environment) ?? path.join(stateFolder, 'state'), 'notes', taskKey(root));

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
