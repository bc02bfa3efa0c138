// Rejects output paths inside the state of a task or a project, of any project and for any flag.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { manifestsIn, type TaskFolder } from '../../state/task-folder.ts';
import { outputPathMistake, outputPathsOf, placing, type RealPlaceOf, realPlace } from './output-paths.ts';
import type { WrapperRequest } from './request.ts';

/** The folders that only tollgate writes. */
interface States {
  /** The project's `.tmp`. */
  projectState: string;
  /** null for a user without a home. */
  userState: string | null;
}

/** The protected folders, and the task that pays. */
interface Guarding extends States {
  task: TaskFolder | null;
  /** The id of a dispatcher's call, whose record is in its attempt. */
  callId: string | null;
}

/**
 * Returns why a call's files may not be written where its flags say, or null. A path may be unusable, or may belong to others.
 */
export function placesMistake(files: WrapperRequest['files'], guarding: Guarding): string | null {
  const placeOf = placing();
  return outputPathMistake(files, placeOf) ?? guardedMistake(files, guarding, placeOf);
}

/**
 * Returns which flag names a file of a task or of the project, or null. The outputs of the task that pays are free. A write
 * replaces a link or a hard link at the name itself, and does not change its target. A link in the folder's path is followed.
 */
function guardedMistake(
  files: WrapperRequest['files'],
  { task, callId, ...states }: Guarding,
  placeOf: RealPlaceOf,
): string | null {
  const own = task === null ? null : realFolderOf(task.root);
  const record = own === null || callId === null ? null : path.join(own, 'state/attempts', callId, 'record.json');
  // Most of a call's files are in one folder, so each folder is examined once.
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
    return `${flag} ${file} is in ${owner}, which only tollgate itself writes; name another place${free}`;
  }
  return null;
}

/** Whether the place is protected from a command whose arguments are wrong. */
export function isGuarded(file: string, states: States): boolean {
  const place = realPlace(file);
  return ownerOf(place, surroundingsOf(path.dirname(place), states), null) !== null;
}

/** The owner of the place: a task's folder, the state of any project, or the user's register; null if it is free. */
function ownerOf(place: string, { shared, task }: Surroundings, own: string | null): string | null {
  if (own !== null && isBelow(place, own)) return own;
  return shared.find((at) => isBelow(place, at)) ?? task;
}

/** The protected folders around a folder. */
interface Surroundings {
  /** The states of projects, and of the user. */
  shared: readonly string[];
  /** The task folder that contains it. */
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

/** The target of the folder, even if it is a link itself. */
const realFolderOf = (folder: string): string => path.dirname(realPlace(path.join(folder, 'any')));
