// What people say to a supervised task while it may be running: notes in the project's state, which its run takes into the journal between calls.

import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeAtomic } from '../atomic-file.ts';
import { namesIn } from '../disk/folder.ts';
import { readIfFit } from '../disk/regular-file.ts';
import type { TaskFolder } from '../task-folder.ts';

interface LeftNote {
  /** Its name, by which it counts once. */
  note: string;
  text: string;
  file: string;
}

export const MAX_NOTE_BYTES = 64 * 1024;

/** During a call nobody may write into the task's own folder: that would be taken for its agent's doing. */
function folderOf(stateFolder: string, { id, root }: Pick<TaskFolder, 'id' | 'root'>): string {
  const place = path.relative(stateFolder, root);
  const which =
    place === path.join('task', id) ? id : `${id}-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
  return path.join(stateFolder, 'state', 'notes', which);
}

export async function leaveNote(stateFolder: string, task: TaskFolder, text: string, at: Date): Promise<string> {
  const stamp = at.toISOString().replace(/[^0-9]/g, '');
  const note = `${stamp}-${randomUUID().slice(0, 8)}`;
  await writeAtomic(path.join(folderOf(stateFolder, task), `${note}.md`), text);
  return note;
}

/** In the order in which they were left; what is no text of ours stays where it is. */
export function notesLeft(stateFolder: string, task: TaskFolder): LeftNote[] {
  const folder = folderOf(stateFolder, task);
  return namesIn(folder)
    .filter((name) => /^\d{17}-[0-9a-f]{8}\.md$/.test(name))
    .sort()
    .flatMap((name) => {
      const file = path.join(folder, name);
      const text = readIfFit(file, MAX_NOTE_BYTES * 4);
      return text === null || text.trim() === '' ? [] : [{ note: name.replace(/\.md$/, ''), text, file }];
    });
}

/** Once the journal has it. */
export const removeNote = ({ file }: LeftNote): void => rmSync(file, { force: true });
