// Keeps the files of a call out of what tasks are run and judged by, whatever a flag names.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestsIn, type TaskFolder } from '../../state/task-folder.ts';
import { placesOf, realPlace } from './places.ts';
import type { WrapperRequest } from './request.ts';

/** The project's `.tmp`, and the task that pays. */
export interface Guarding {
  projectState: string;
  task: TaskFolder | null;
  /** Of a dispatcher's call, whose record lies in its attempt. */
  callId: string | null;
}

/**
 * Which flag names what is a task's own, or the project's; or null. Of the task that pays, its outputs are free. A link or a hard
 * link at the name itself is replaced, and what it leads to stays as it is; one on the way is followed.
 */
export function guardedMistake(
  files: WrapperRequest['files'],
  { projectState, task, callId }: Guarding,
): string | null {
  const own = task === null ? null : realFolderOf(task.root);
  const record = own === null || callId === null ? null : path.join(own, 'state/attempts', callId, 'record.json');
  for (const { flag, file } of placesOf(files)) {
    const place = realPlace(file);
    const owner = ownerOf(place, realFolderOf(projectState), own);
    if (owner === null || place === record) continue;
    if (owner === own && isBelow(place, path.join(own, 'outputs'))) continue;
    const free = own === null ? '' : `; ${path.join(own, 'outputs')} is free`;
    return `${flag} ${file} lies in ${owner}, which only tollgate itself writes; name another place${free}`;
  }
  return null;
}

/** Whether anything may be written there by a command whose arguments are wrong. */
export const isGuarded = (file: string, projectState: string): boolean =>
  ownerOf(realPlace(file), realFolderOf(projectState), null) !== null;

/** The task's folder, or the project's state, that the place is of; null where it is free. */
function ownerOf(place: string, projectState: string, own: string | null): string | null {
  if (own !== null && isBelow(place, own)) return own;
  const shared = path.join(projectState, 'state');
  if (isBelow(place, shared)) return shared;
  const tasks = path.join(projectState, 'task');
  for (let at = path.dirname(place); at !== path.dirname(at); at = path.dirname(at)) {
    if (existsSync(path.join(at, 'state/journal.jsonl'))) return at;
    if (path.dirname(at) === tasks) return manifestsIn(at).length > 0 ? at : null;
  }
  return null;
}

const isBelow = (place: string, folder: string): boolean => place === folder || place.startsWith(folder + path.sep);

/** Where it leads, be it a link itself. */
const realFolderOf = (folder: string): string => path.dirname(realPlace(path.join(folder, 'any')));
