// Returns the text of an instruction for a reader, even if its file is lost.

import { keptText } from '../../state/supervise/texts.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

/** Returns the start of the hash if the text is gone. */
export const shownText =
  (task: Pick<TaskFolder, 'state'>) =>
  (sha256: string): string => {
    try {
      return keptText(task, sha256);
    } catch {
      return sha256.slice(0, 12);
    }
  };
