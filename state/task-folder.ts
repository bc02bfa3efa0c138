// Locates the state of a project, a task and its parts, and the state of the user.

import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../policies/facts/tools.ts';
import { tried } from '../policies/text/tried.ts';
import { entriesIfAny } from './disk/folder.ts';
import { realFolder } from './disk/real-folder.ts';
import { isFolder, kindOf } from './disk/regular-file.ts';
import { isSetAside } from './disk/replace-file.ts';

export interface TaskFolder {
  id: string;
  root: string;
  manifest: string | null;
  inputs: string;
  outputs: string;
  state: string;
  done: string;
  attempts: string;
}

export const TASK_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** It becomes a part of file names, of flags and of what users type; older journals have others. */
export const STAGE_ID = /^[a-z][a-z0-9_-]{0,127}$/;
export const STAGE_ID_MUST = 'must be 1 to 128 of a-z 0-9 _ - and begin with a letter';

type LocatedTask = { how: 'found'; folder: TaskFolder } | { how: 'invalid'; message: string };

/** A word that contains a `/` is a path, otherwise the id of a task of this project. */
export function locateTask(word: string, cwd: string, environment: NodeJS.ProcessEnv): LocatedTask {
  if (word.includes('/')) return located(path.resolve(cwd, word));
  const mistake = checkTaskId(word);
  if (mistake !== null) return { how: 'invalid', message: mistake };
  const state = projectState(cwd, environment);
  const tasks = path.join(state, 'task');
  const stray = strayState(state, environment) ?? findEscapingLink(state, ['task']) ?? findEscapingLink(tasks, [word]);
  return stray === null ? located(path.join(tasks, word)) : { how: 'invalid', message: stray };
}

/** Why this is not a task id, or null. */
export function checkTaskId(id: string): string | null {
  if (TASK_ID.test(id) && id !== '.' && id !== '..') return null;
  return `"${id}" is not a task id: it is 1 to 128 of A-Z a-z 0-9 . _ - and never a path (a path to a task folder holds a "/")`;
}

/** The project's `.tmp`: of TOLLGATE_STATE, else in the git root, else in the nearest folder above with one. */
export function projectState(cwd: string, environment: NodeJS.ProcessEnv): string {
  if (environment.TOLLGATE_STATE) return path.resolve(cwd, environment.TOLLGATE_STATE);
  return path.join(projectRoot(cwd), '.tmp');
}

/**
 * Why nothing may be written to the state of the project, or null: `.tmp`, or a folder in it, is a link that leads away. A
 * checkout may contain such a link; the user chooses another place by TOLLGATE_STATE.
 * @param state as `projectState` returns it.
 */
export function strayState(state: string, environment: NodeJS.ProcessEnv): string | null {
  if (environment.TOLLGATE_STATE) return null;
  // A link that was moved aside is never followed.
  const links = entriesIfAny(state).filter((entry) => entry.isSymbolicLink() && !isSetAside(entry.name));
  const stray =
    findEscapingLink(path.dirname(state), [path.basename(state)]) ??
    findEscapingLink(
      state,
      links.map(({ name }) => name),
    );
  return stray === null ? null : `${stray}, or choose another place by TOLLGATE_STATE`;
}

export function projectRoot(cwd: string): string {
  return above(cwd, '.git') ?? above(cwd, '.tmp') ?? cwd;
}

function above(folder: string, name: string): string | null {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (existsSync(`${at}/${name}`)) return at;
    if (at === path.dirname(at)) return null;
  }
}

/** Absolute, in order of precedence; a run accepts only one. */
export const manifestsIn = (root: string): string[] =>
  ['manifest.yaml', 'manifest.yml', 'manifest.json']
    .map((name) => path.join(root, name))
    .filter((file) => kindOf(file) !== null);

/** The folders to which something is written. */
const PARTS = ['inputs', 'inputs/prompt', 'outputs', 'state', 'state/attempts', 'state/baseline', 'done'];

/** Why no task can be there, or null. @param parts The parts to check, parents first; none may be a link that leads away. */
export function checkTaskRoot(root: string, parts: readonly string[] = PARTS): string | null {
  const id = path.basename(root);
  const mistake = checkTaskId(id);
  if (mistake !== null) return `${root}: ${mistake}`;
  if (isTooDeep(root))
    return `the path of the task ${id} has ${Buffer.byteLength(root)} bytes, which leaves no room for its files; put it into a folder with a shorter path`;
  return findEscapingLink(root, parts);
}

function located(root: string): LocatedTask {
  const id = path.basename(root);
  const mistake = checkTaskRoot(root);
  if (mistake !== null) return { how: 'invalid', message: mistake };
  const manifest = manifestsIn(root)[0];
  const state = path.join(root, 'state');
  return {
    how: 'found',
    folder: {
      id,
      root,
      manifest: manifest ?? null,
      inputs: path.join(root, 'inputs'),
      outputs: path.join(root, 'outputs'),
      state,
      done: path.join(root, 'done'),
      attempts: path.join(state, 'attempts'),
    },
  };
}

/** Without links: the task, the folders that it writes, and the project's states. One that leads out keeps its name. */
export function taskFolders({ root }: { root: string }): string[] {
  const home = realFolder(root);
  const state = path.dirname(path.dirname(home));
  const shared = path.basename(path.dirname(home)) === 'task' ? [state, path.join(state, 'state')] : [];
  const own = PARTS.map((part) => {
    const real = realFolder(path.join(home, part));
    return real.startsWith(home + path.sep) ? real : path.join(home, part);
  });
  return [...shared, home, ...own];
}

/** As deep as our own files below it, with names as long as theirs. */
const ROOM = `${'x'.repeat(200)}/${'x'.repeat(200)}`;

/** Every system accepts paths of this many bytes. */
const SHORT = 1000;

function isTooDeep(root: string): boolean {
  if (Buffer.byteLength(root) + ROOM.length < SHORT) return false;
  try {
    lstatSync(path.join(root, ROOM), { throwIfNoEntry: false });
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG';
  }
}

export function outputsOf(task: { outputs: string }, { name, tool }: { name: string; tool: Tool }) {
  const base = path.join(task.outputs, `${name}.${tool}`);
  return { out: `${base}.out`, err: `${base}.err`, raw: `${base}.raw`, record: `${base}.call.json` };
}

/**
 * Finds a folder of ours that is a symbolic link out of its proper place: what we write would go there.
 * @param parts relative to `folder`, parents first.
 * @returns a sentence about the first one that leads out of `folder`, or null.
 */
export function findEscapingLink(folder: string, parts: readonly string[]): string | null {
  for (const part of parts) {
    const place = `${folder}${path.sep}${part}`;
    if (!isLink(place)) continue;
    const real = realOf(place);
    const home = realOf(folder);
    if (real !== null && home !== null && real.startsWith(home + path.sep)) continue;
    const where = real === null ? 'nowhere' : `out of ${folder}, to ${real}`;
    return `${place} is a symbolic link that leads ${where}; nothing is written there. Put a folder in its place`;
  }
  return null;
}

/** An exception costs more than the look. */
const ABSENT = { throwIfNoEntry: false } as const;

/** If the place cannot be looked at, the next write there fails and reports it. */
const isLink = (place: string): boolean => tried(() => lstatSync(place, ABSENT)?.isSymbolicLink() === true) ?? false;

const realOf = (place: string): string | null => tried(() => realpathSync.native(place));

/**
 * What belongs to the user and to no project: running calls, limits, and the edits of conversations.
 * @returns null for a user without a home, or whose home is missing: we must not make it.
 */
export function userState({ XDG_STATE_HOME, HOME }: NodeJS.ProcessEnv): string | null {
  const base = XDG_STATE_HOME || (HOME ? path.join(HOME, '.local/state') : '');
  if (!path.isAbsolute(base)) return null;
  const isInHome = HOME !== undefined && path.isAbsolute(HOME) && base.startsWith(`${path.resolve(HOME)}/`);
  return isFolder(isInHome ? HOME : path.dirname(base)) ? path.join(base, 'tollgate') : null;
}
