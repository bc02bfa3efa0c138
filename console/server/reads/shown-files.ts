// Which files of a task may be shown: prompts, answers, what CLIs said beside them, records. A name that is asked for is only compared with these.

import path from 'node:path';
import { namesIfAny } from '../../../state/disk/folder.ts';
import { lookAt } from '../../../state/disk/regular-file.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';

interface ShownFile {
  /** Below the task's folder. */
  name: string;
  what: 'prompt' | 'answer' | 'stderr' | 'record';
  bytes: number;
  file: string;
}

/** By what is published of them, and redacted before: never what lies in state/. */
const SHOWN: readonly [folder: string, suffix: string, what: ShownFile['what']][] = [
  ['inputs/prompt', '.md', 'prompt'],
  ['outputs', '.out', 'answer'],
  ['outputs', '.err', 'stderr'],
  ['outputs', '.call.json', 'record'],
  ['outputs', '.gate.json', 'record'],
];

export function shownFiles({ root }: TaskFolder): ShownFile[] {
  return SHOWN.flatMap(([folder, suffix, what]) =>
    namesIfAny(path.join(root, folder))
      .filter((name) => name.endsWith(suffix) && !name.startsWith('.'))
      .sort()
      .flatMap((name) => {
        const file = path.join(root, folder, name);
        const found = lookAt(file);
        return found?.isFile() ? [{ name: `${folder}/${name}`, what, bytes: found.size, file }] : [];
      }),
  );
}
