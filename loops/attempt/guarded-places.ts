// Keeps the files of a call out of what tasks are run and judged by, in whatever project, and whatever a flag names.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestsIn, type TaskFolder } from '../../state/task-folder.ts';
import { outputPathsOf, realPlace } from './output-paths.ts';
import type { WrapperRequest } from './request.ts';

/** What only we write. */
interface States {
  /** The project's `.tmp`. */
  projectState: string;
  /** null for a user without a home. */
  userState: string | null;
}

/** For whom, and the task that pays. */
interface Guarding extends States {
  task: TaskFolder | null;
  /** Of a dispatcher's call, whose record lies in its attempt. */
  callId: string | null;
}

/**
 * Which flag names what is a task's own, or the project's; or null. Of the task that pays, its outputs are free. A link or a hard
 * link at the name itself is replaced, and what it leads to stays as it is; one on the way is followed.
 */
export function guardedMistake(files: WrapperRequest['files'], { task, callId, ...states }: Guarding): string | null {
  const own = task === null ? null : realFolderOf(task.root);
  const record = own === null || callId === null ? null : path.join(own, 'state/attempts', callId, 'record.json');
  for (const { flag, file } of outputPathsOf(files)) {
    const place = realPlace(file);
    const owner = ownerOf(place, states, own);
    if (owner === null || place === record) continue;
    if (owner === own && isBelow(place, path.join(own, 'outputs'))) continue;
    const free = own === null ? '' : `; ${path.join(own, 'outputs')} is free`;
    return `${flag} ${file} lies in ${owner}, which only tollgate itself writes; name another place${free}`;
  }
  return null;
}

/** Whether anything may be written there by a command whose arguments are wrong. */
export const isGuarded = (file: string, states: States): boolean => ownerOf(realPlace(file), states, null) !== null;

/** Whose the place is: a task's folder or a project's state, of this project or another, or the user's register; null where it is free. */
function ownerOf(place: string, { projectState, userState }: States, own: string | null): string | null {
  if (own !== null && isBelow(place, own)) return own;
  const above = foldersAbove(place);
  const projects = [
    realFolderOf(projectState),
    ...above.filter((at) => path.basename(at) === '.tmp' && existsSync(path.join(at, 'task'))),
  ];
  const shared = projects.map((at) => path.join(at, 'state'));
  if (userState !== null) shared.push(realFolderOf(userState));
  const isTask = (at: string) =>
    existsSync(path.join(at, 'state/journal.jsonl')) ||
    (projects.some((project) => path.dirname(at) === path.join(project, 'task')) && manifestsIn(at).length > 0);
  return shared.find((at) => isBelow(place, at)) ?? above.find(isTask) ?? null;
}

function foldersAbove(place: string): string[] {
  const above = path.dirname(place);
  return above === place ? [] : [above, ...foldersAbove(above)];
}

const isBelow = (place: string, folder: string): boolean => place === folder || place.startsWith(folder + path.sep);

/** Where it leads, be it a link itself. */
const realFolderOf = (folder: string): string => path.dirname(realPlace(path.join(folder, 'any')));
