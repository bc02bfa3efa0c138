// Saves the tree at the beginning of the task's first run, as git objects in the task's own state, outside the repository.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeAtomic } from '../../state/atomic-file.ts';
import { readRegularOrNull } from '../../state/disk/regular-file.ts';
import { invalid, withApart } from './apart.ts';
import { complaintOf } from './run-git.ts';
import { type TakenIn, type TreeRules, takeIn } from './take-in.ts';

interface Start {
  tree: string;
  /** The folder with the objects that the repository does not have. */
  objects: string;
}

const placesOf = (task: string) => ({
  name: path.join(task, 'start', 'tree'),
  objects: path.join(task, 'start', 'objects'),
});

/**
 * @returns null before the first run that needs it.
 * @param task the task's state
 */
export function startOf(task: string): Start | null {
  const { name, objects } = placesOf(task);
  const tree = readRegularOrNull(name)?.trim() ?? null;
  return tree === null ? null : { tree, objects };
}

/** After this, the next run saves a new start. */
export const forgetStart = (task: string): void => rmSync(path.join(task, 'start'), { recursive: true, force: true });

/** Saves only the first time. */
export async function keepStart(
  task: string,
  rules: TreeRules & { environment: NodeJS.ProcessEnv; halt?: AbortSignal },
): Promise<TakenIn> {
  if (startOf(task) !== null) return { how: 'taken', forbidden: [], warnings: [] };
  const { name, objects } = placesOf(task);
  return withApart({ ...rules, objects }, async (apart): Promise<TakenIn> => {
    const taken = await takeIn(apart, rules);
    if (taken.how === 'invalid') return taken;
    const written = await apart.git(['write-tree', '--missing-ok']);
    if (written.code !== 0) return invalid(`the tree could not be kept as it is: ${complaintOf(written)}`);
    await writeAtomic(name, written.stdout);
    return taken;
  });
}
