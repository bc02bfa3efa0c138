// Keeps the files of a call out of what tasks are run and judged by, in whatever project, and whatever a flag names.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestsIn, type TaskFolder } from '../../state/task-folder.ts';
import { outputPathMistake, outputPathsOf, placing, type RealPlaceOf, realPlace } from './output-paths.ts';
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

/** What forbids to write a call's files where its flags say: where nothing can lie, and where others' files do; or null. */
export function placesMistake(files: WrapperRequest['files'], guarding: Guarding): string | null {
  const placeOf = placing();
  return outputPathMistake(files, placeOf) ?? guardedMistake(files, guarding, placeOf);
}

/**
 * Which flag names what is a task's own, or the project's; or null. Of the task that pays, its outputs are free. A link or a hard
 * link at the name itself is replaced, and what it leads to stays as it is; one on the way is followed.
 */
function guardedMistake(
  files: WrapperRequest['files'],
  { task, callId, ...states }: Guarding,
  placeOf: RealPlaceOf,
): string | null {
  const own = task === null ? null : realFolderOf(task.root);
  const record = own === null || callId === null ? null : path.join(own, 'state/attempts', callId, 'record.json');
  // Most of a call's files lie in one folder, and what lies above it is looked at once.
  const known = new Map<string, Surroundings>();
  for (const { flag, file } of outputPathsOf(files)) {
    const place = placeOf(file);
    const folder = path.dirname(place);
    const around = known.get(folder) ?? surroundingsOf(folder, states);
    known.set(folder, around);
    const owner = ownerOf(place, around, own);
    if (owner === null || place === record) continue;
    if (owner === own && isBelow(place, path.join(own, 'outputs'))) continue;
    const free = own === null ? '' : `; ${path.join(own, 'outputs')} is free`;
    return `${flag} ${file} lies in ${owner}, which only tollgate itself writes; name another place${free}`;
  }
  return null;
}

/** Whether anything may be written there by a command whose arguments are wrong. */
export function isGuarded(file: string, states: States): boolean {
  const place = realPlace(file);
  return ownerOf(place, surroundingsOf(path.dirname(place), states), null) !== null;
}

/** Whose the place is: a task's folder or a project's state, of this project or another, or the user's register; null where it is free. */
function ownerOf(place: string, { shared, task }: Surroundings, own: string | null): string | null {
  if (own !== null && isBelow(place, own)) return own;
  return shared.find((at) => isBelow(place, at)) ?? task;
}

/** What is not to be written into, as seen from a folder. */
interface Surroundings {
  /** The states of projects, and of the user. */
  shared: readonly string[];
  /** The folder of a task that it lies in. */
  task: string | null;
}

function surroundingsOf(folder: string, { projectState, userState }: States): Surroundings {
  const above = [folder, ...foldersAbove(folder)];
  const projects = [
    realFolderOf(projectState),
    ...above.filter((at) => path.basename(at) === '.tmp' && existsSync(path.join(at, 'task'))),
  ];
  const shared = projects.map((at) => path.join(at, 'state'));
  if (userState !== null) shared.push(realFolderOf(userState));
  const isTask = (at: string) =>
    existsSync(path.join(at, 'state/journal.jsonl')) ||
    (projects.some((project) => path.dirname(at) === path.join(project, 'task')) && manifestsIn(at).length > 0);
  return { shared, task: above.find(isTask) ?? null };
}

function foldersAbove(place: string): string[] {
  const above = path.dirname(place);
  return above === place ? [] : [above, ...foldersAbove(above)];
}

const isBelow = (place: string, folder: string): boolean => place === folder || place.startsWith(folder + path.sep);

/** Where it leads, be it a link itself. */
const realFolderOf = (folder: string): string => path.dirname(realPlace(path.join(folder, 'any')));
