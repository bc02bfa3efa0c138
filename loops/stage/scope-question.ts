// Answers whether a task may touch a path, before the path is touched.

import { readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { askScope, type Scope } from '../../policies/gate/scope.ts';
import { tried } from '../../policies/text/tried.ts';
import { projectState } from '../../state/task-folder.ts';
import { readPassed } from '../../wrappers/processes/passed-variables.ts';
import { readTask, treeOf } from '../task/task.ts';
import { scopeOf } from '../tree/task-tree.ts';

interface ScopeAnswer {
  /** Relative to the tree's root; unchanged from the request if it is outside of the tree. */
  path: string;
  allowed: boolean;
  /** The glob that decides, or another reason. */
  why: string;
}

/** The variable in a call's environment with the tree of its scope, since a task may have its own worktree. */
export const TREE = 'TOLLGATE_TREE';

type ScopeQuestion = { how: 'answered'; taskId: string; answers: ScopeAnswer[] } | { how: 'invalid'; message: string };

/** `word` names the task as for `tollgate run`; paths are relative to `cwd`. Only reads. */
export async function askTask(
  word: string,
  paths: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<ScopeQuestion> {
  // Trust in the workspace does not affect its scope.
  const read = await readTask({ word, cwd, environment, trustWorkspace: true });
  if (read.how === 'invalid') return read;
  const { task, manifest } = read;
  const tree = readPassed(TREE, environment);
  const root = tree !== undefined && readPassed('TOLLGATE_TASK', environment) === task.root ? tree : treeOf(read);
  // The task's worktree is in our state folder. An agent may not touch the rest of that folder.
  const own = [projectState(read.root, environment), task.root].filter((folder) => !liesIn(root, folder));
  return {
    how: 'answered',
    taskId: task.id,
    answers: paths.map((requested) => answer(requested, cwd, { root, own, lists: scopeOf(manifest) })),
  };
}

interface Tree {
  root: string;
  /** Our own folders, which an agent may not touch. */
  own: readonly string[];
  lists: Scope;
}

/** A write to a symlink goes to its target, so both must be allowed. */
function answer(requested: string, cwd: string, { root, own, lists }: Tree): ScopeAnswer {
  const place = path.resolve(cwd, requested);
  const [top, above, leadsTo] = [endOf(root), endOf(path.dirname(place)), endOf(place)];
  const no = (why: string, name = requested): ScopeAnswer => ({ path: name, allowed: false, why });
  if (top === null || above === null || leadsTo === null) return no('its symlinks lead round in a circle');
  const resolved = place === path.dirname(place) ? place : path.join(above, path.basename(place));
  if (endOf(place) === top) return no('this is the root of the tree; ask about a path in it');
  if (!liesIn(resolved, top)) return no(`it is outside of the tree ${root}`);
  const name = path.relative(top, resolved);
  if (!liesIn(leadsTo, top)) return no(`it leads out of the tree, to ${leadsTo}`, name);
  const ours = own.some((folder) =>
    [resolved, leadsTo].some((at) => at === endOf(folder) || liesIn(at, endOf(folder)!)),
  );
  if (ours) return no('Tollgate keeps its own state there', name);
  const judged = askScope(name, lists);
  if (!judged.allowed || leadsTo === resolved) return { path: name, ...judged };
  const target = path.relative(top, leadsTo);
  const { allowed, why } = askScope(target, lists);
  return { path: name, allowed, why: `it leads to ${target}: ${why}` };
}

const liesIn = (place: string, folder: string): boolean => place.startsWith(folder === '/' ? folder : `${folder}/`);

/** Returns where a path ends after all symlinks, whether or not it exists; null if the symlinks form a circle. */
function endOf(place: string, hops = 0): string | null {
  try {
    return realpathSync.native(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP' || hops > MAX_HOPS) return null;
  }
  if (place === path.dirname(place)) return place;
  const above = endOf(path.dirname(place), hops + 1);
  if (above === null) return null;
  const target = targetOf(place);
  return target === null ? path.join(above, path.basename(place)) : endOf(path.resolve(above, target), hops + 1);
}

const MAX_HOPS = 4_096;

const targetOf = (place: string): string | null => tried(() => readlinkSync(place));
