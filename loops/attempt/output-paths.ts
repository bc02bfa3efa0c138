// Checks the output paths of a call: each file has its own, none replaces a device, and none is in the state of a task or project.

import { type BigIntStats, existsSync, lstatSync, type Stats, statSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { rawOf } from '../../policies/facts/file-names.ts';
import { realFolder } from '../../state/disk/real-folder.ts';
import { temporaryPrefix } from '../../state/disk/replace-file.ts';
import { manifestsIn, type TaskFolder } from '../../state/task-folder.ts';
import type { WrapperRequest } from './request.ts';

interface OutputPath {
  /** The flag that names the file, as used in messages. */
  flag: string;
  file: string;
}

/** Lists every file that a call writes, including the event stream beside the answer. */
export function outputPathsOf({
  out,
  err,
  result,
  sessionIdOut,
  doneMarker,
  pidFile,
}: WrapperRequest['files']): OutputPath[] {
  const named = {
    '--out': out,
    'the event stream beside --out': rawOf(out),
    '--err': err,
    '--result': result,
    '--session-id-out': sessionIdOut,
    '--done-marker': doneMarker,
    '--pid-file': pidFile,
  };
  return Object.entries(named).flatMap(([flag, file]) => (file === null ? [] : [{ flag, file }]));
}

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

/** Returns why a call's files may not be written where its flags say, or null: unusable, or of others. */
export function placesMistake(files: WrapperRequest['files'], guarding: Guarding): string | null {
  return outputPathMistake(files) ?? guardedMistake(files, guarding);
}

/** Whether the place is protected from a command whose arguments are wrong. */
export function isGuarded(file: string, states: States): boolean {
  const place = realPlace(file);
  return ownerOf(place, surroundingsOf(path.dirname(place), states), null) !== null;
}

/** Returns what forbids any write to these paths, even of the record of a refusal; or null. */
export function outputPathMistake(files: WrapperRequest['files']): string | null {
  const places = outputPathsOf(files);
  for (const place of places) {
    const { flag, file } = place;
    const length = lengthMistake(place);
    if (length !== null) return length;
    const kind = kindOf(file);
    if (kind !== null)
      return `${flag} ${file} ${kind}; name a file (to throw it away, let it be written and delete it)`;
  }
  return collision(files.prompt, places);
}

/** Finds a name that is too long, also for its temporary file, which would otherwise fail after the call is paid. */
function lengthMistake({ flag, file }: OutputPath): string | null {
  const name = path.basename(file);
  const longest = `${temporaryPrefix(file, LONGEST_PID)}${MOST_HALVES}`;
  const bytes = Buffer.byteLength(name);
  const most = MOST_NAME_BYTES - (Buffer.byteLength(longest) - bytes);
  if (bytes > most)
    return `${flag} ${file}: its name has ${bytes} bytes, and at most ${most} leave room for what is written beside it; give it a shorter one`;
  const half = path.join(path.dirname(path.resolve(file)), longest);
  if (!isTooLong(half)) return null;
  return `${flag} ${file}: its path has ${Buffer.byteLength(path.resolve(file))} bytes, which leaves no room for what is written beside it; name a shorter one`;
}

const MOST_NAME_BYTES = 255;
const LONGEST_PID = 4_194_304;
const MOST_HALVES = 9_999;

/** Asks the system, which knows how long a path may be here. */
function isTooLong(file: string): boolean {
  try {
    lstatSync(file, { throwIfNoEntry: false });
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENAMETOOLONG';
  }
}

/** Finds two flags for one file: the later write would replace the other file, or the prompt permanently. */
function collision(prompt: string, places: readonly OutputPath[]): string | null {
  const taken = new Map([[realPlace(prompt), '--prompt-file']]);
  const promptStat = look(() => statSync(prompt, EXACT));
  for (const { flag, file } of places) {
    const place = realPlace(file);
    const other = taken.get(place) ?? (isEntryOf(file, promptStat) ? '--prompt-file' : undefined);
    if (other !== undefined) return `${other} and ${flag} are one file, ${file}; give each its own`;
    taken.set(place, flag);
  }
  return null;
}

/** Whether the name itself, not a symlink's target, is that file. It may differ in case, or be a link's target. */
function isEntryOf(file: string, found: BigIntStats | undefined): boolean {
  const entry = look(() => lstatSync(file, EXACT));
  return entry !== undefined && entry.ino === found?.ino && entry.dev === found.dev;
}

const EXACT = { bigint: true, throwIfNoEntry: false } as const;

/** A symlink counts as its target: a user who names a link to a device means the device. */
function kindOf(file: string): string | null {
  const found = lookAt(file);
  if (found?.isFIFO()) return 'is a FIFO';
  if (found?.isSocket()) return 'is a socket';
  if (found?.isCharacterDevice() || found?.isBlockDevice()) return 'is a device';
  // /dev/stdout may lead to a regular file, but the name must not be replaced.
  return SYSTEM_FOLDER.test(path.dirname(realPlace(file))) ? 'is in a folder of the system' : null;
}

const SYSTEM_FOLDER = /^\/(?:dev(?:\/fd)?|(?:proc|sys)(?:\/.*)?)$/;

/**
 * Returns which flag names a file of a task or of the project, or null. The outputs of the task that pays are free. A write
 * replaces a link or a hard link at the name itself, and does not change its target. A link in the folder's path is followed.
 */
function guardedMistake(files: WrapperRequest['files'], { task, callId, ...states }: Guarding): string | null {
  const own = task === null ? null : realFolderOf(task.root);
  const record = own === null || callId === null ? null : path.join(own, 'state/attempts', callId, 'record.json');
  // Most of a call's files are in one folder, so each folder is examined once.
  const known = new Map<string, Surroundings>();
  for (const { flag, file } of outputPathsOf(files)) {
    const place = realPlace(file);
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

/** Gives each place one name. A write replaces a symlink at the name itself, so only the path of its folder is resolved. */
export function realPlace(file: string): string {
  const { dir, base } = path.parse(path.resolve(file));
  return path.join(realFolder(dir), base);
}

/** Follows symlinks. */
export const lookAt = (file: string): Stats | undefined => look(() => statSync(file, { throwIfNoEntry: false }));

/** A loop of symlinks, or a folder without access, counts as missing. The write to it is tried elsewhere. */
function look<S>(at: () => S | undefined): S | undefined {
  try {
    return at();
  } catch {
    return undefined;
  }
}

/** Removes an earlier call's files, so that they are not taken for this one's; if it cannot, they are replaced. */
export function removeStale({ out, err, result, sessionIdOut }: WrapperRequest['files']): void {
  for (const file of [out, rawOf(out), err, result, sessionIdOut])
    if (file !== null && existsSync(file)) tryUnlink(file);
}

function tryUnlink(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // The folder was writable a moment ago. The call itself can be made in any case.
  }
}
