// The text of an instruction for a reader, whatever became of its file.

import { keptText } from '../../state/supervise/kept-texts.ts';
import type { TaskFolder } from '../../state/task-folder.ts';

/** Of an instruction whose text is gone its hash is left. */
export const shownText =
  (task: Pick<TaskFolder, 'state'>) =>
  (sha256: string): string => {
    try {
      return keptText(task, sha256);
    } catch {
      return sha256.slice(0, 12);
    }
  };
