// Locates the folder of a distillation, `.tmp/distill/<name>/`, and what it holds.

import path from 'node:path';
import { namesIn } from '../disk/folder.ts';
import { checkTaskId, findEscapingLink, projectState } from '../task-folder.ts';

export interface DistillFolder {
  name: string;
  root: string;
  /** The checkpoint: the request parameters for the book. */
  checkpoint: string;
  /** The system instruction, byte for byte as at the start of the run. */
  prompt: string;
  turns: string;
  wishes: string;
  trace: string;
}

type LocatedDistill = { how: 'found'; folder: DistillFolder } | { how: 'invalid'; message: string };

/** Located by name only: a distillation belongs to a project. */
export function locateDistill(name: string, cwd: string, environment: NodeJS.ProcessEnv): LocatedDistill {
  if (checkTaskId(name) !== null)
    return {
      how: 'invalid',
      message: `"${name}" is not a name of a distillation: it is 1 to 128 of A-Z a-z 0-9 . _ - and never a path`,
    };
  const state = projectState(cwd, environment);
  const root = path.join(state, 'distill', name);
  const stray =
    findEscapingLink(path.dirname(state), [path.basename(state)]) ??
    findEscapingLink(state, ['distill', `distill/${name}`, 'distill-sessions', `distill-sessions/${name}`]) ??
    findEscapingLink(path.join(state, 'distill-sessions', name), ['book']) ??
    findEscapingLink(root, ['turns', 'wishes', 'state', 'exports']);
  return stray === null ? { how: 'found', folder: folderAt(root, name) } : { how: 'invalid', message: stray };
}

const folderAt = (root: string, name: string): DistillFolder => ({
  name,
  root,
  checkpoint: path.join(root, 'run.json'),
  prompt: path.join(root, 'prompt.md'),
  turns: path.join(root, 'turns'),
  wishes: path.join(root, 'wishes'),
  trace: path.join(root, 'trace.jsonl'),
});

/** All distillations of a project, by name. */
export const distillNames = (cwd: string, environment: NodeJS.ProcessEnv): string[] =>
  namesIn(path.join(projectState(cwd, environment), 'distill'))
    .filter((name) => checkTaskId(name) === null)
    .sort();
