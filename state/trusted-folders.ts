// Stores the permanently trusted folders, one file each in the user's state, so that two commands never undo each other.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, lstatSync, realpathSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { tried } from '../policies/text/tried.ts';
import { namesIfAny } from './disk/folder.ts';
import { isWithin, realOr } from './disk/real-folder.ts';
import { openRegular, readWhole } from './disk/regular-file.ts';
import { publishText } from './disk/replace-file.ts';
import { projectRoot, userState } from './task-folder.ts';

/** A folder as it was when it was trusted. One with another inode or time of birth has replaced it. */
interface TrustedFolder {
  /** Its real path, behind every link. */
  folder: string;
  inode: string;
  /** In nanoseconds; null on a file system that does not record it. */
  born: string | null;
  trusted_at: string;
}

/** `replaced`: another folder has that name now. */
interface ListedFolder extends TrustedFolder {
  state: 'trusted' | 'replaced' | 'missing';
}

/** `message` is a whole sentence. */
type Changed = { how: 'changed'; folder: string } | { how: 'refused'; message: string };

/**
 * A trusted folder covers the folders below it, up to the root of another git repository, whose content comes from elsewhere. A
 * list that is kept in the checkout itself does not count.
 */
export function isTrustedFolder(folder: string, environment: NodeJS.ProcessEnv): boolean {
  const place = placeOf(environment);
  const trusted = place === null ? [] : readAll(place);
  const real = trusted.length === 0 ? null : realOrNull(folder);
  if (real === null || isInCheckout(place!, real)) return false;
  for (let at = real; ; at = path.dirname(at)) {
    const entry = trusted.find((one) => one.folder === at);
    if (entry !== undefined && stateOf(entry) === 'trusted') return unfit(at, place!) === null;
    if (hasRepository(at) || at === path.dirname(at)) return false;
  }
}

/** Is all of a project trusted, with the settings in its root? @param folder where a command runs, or a task is. */
export const isTrustedProject = (folder: string, environment: NodeJS.ProcessEnv): boolean =>
  [folder, projectRoot(folder)].every((one) => isTrustedFolder(one, environment));

/** The same for tasks, each an id of the project here or the path of one that may belong to another project. */
export const areTrustedTasks = (tasks: readonly string[], cwd: string, environment: NodeJS.ProcessEnv): boolean =>
  ['.', ...tasks.filter((task) => task.includes('/'))].every((place) =>
    isTrustedProject(path.resolve(cwd, place), environment),
  );

export function trustFolder(folder: string, environment: NodeJS.ProcessEnv, now: Date): Changed {
  const place = placeOf(environment);
  if (place === null) return refused('there is no home folder to keep the list of trusted folders in: set HOME');
  const real = realOrNull(folder);
  if (real === null || !statSync(real).isDirectory()) return refused(`${folder} is not a folder that can be read`);
  const mistake = unfit(real, place);
  if (mistake !== null) return refused(`${real} ${mistake}`);
  const entry: TrustedFolder = { folder: real, ...identityOf(real), trusted_at: now.toISOString() };
  publishText(fileOf(place, real), `${JSON.stringify(entry, null, 2)}\n`);
  // A list that others may write, or that belongs to another user, would be stored and never used.
  if (isTrustedFolder(real, environment)) return { how: 'changed', folder: real };
  rmSync(fileOf(place, real), { force: true });
  return refused(`${place} must be your own folder, and no other user may write to it`);
}

export function revokeFolder(folder: string, environment: NodeJS.ProcessEnv): Changed {
  const place = placeOf(environment);
  const real = realOr(folder);
  const entry = place === null ? undefined : readAll(place).find((one) => one.folder === real);
  if (entry === undefined) {
    const covers = isTrustedFolder(real, environment) ? '; a folder above it is: see tollgate trust --list' : '';
    return refused(`${real} is not in the list of trusted folders${covers}`);
  }
  rmSync(fileOf(place!, real), { force: true });
  return { how: 'changed', folder: real };
}

export function listTrusted(environment: NodeJS.ProcessEnv): ListedFolder[] {
  const place = placeOf(environment);
  return (place === null ? [] : readAll(place))
    .map((entry) => ({ ...entry, state: stateOf(entry) }))
    .sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

/** By its real path: a link of the state folder may lead into a checkout. */
function placeOf(environment: NodeJS.ProcessEnv): string | null {
  const folder = userState(environment);
  return folder === null ? null : path.join(realBelow(folder), 'trusted');
}

/** Resolves the deepest existing folder; folders yet to be made below it cannot be links. */
function realBelow(folder: string): string {
  const real = realOrNull(folder);
  if (real !== null || folder === path.dirname(folder)) return real ?? folder;
  return path.join(realBelow(path.dirname(folder)), path.basename(folder));
}

const fileOf = (place: string, real: string): string =>
  path.join(place, `${createHash('sha256').update(real).digest('hex')}.json`);

function readAll(place: string): TrustedFolder[] {
  if (!isOurs(place) || !isOurs(path.dirname(place))) return [];
  return namesIfAny(place).flatMap((name) => (name.endsWith('.json') ? readOne(path.join(place, name)) : []));
}

const MAX_BYTES = 64 * 1024;

function readOne(file: string): TrustedFolder[] {
  try {
    const fd = openRegular(file);
    try {
      const { uid, mode } = fstatSync(fd);
      if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return [];
      const entry = JSON.parse(readWhole(fd, file, MAX_BYTES).toString('utf8')) as Partial<TrustedFolder> | null;
      const { folder, inode, born, trusted_at } = entry ?? {};
      const isWhole = [folder, inode, trusted_at].every((part) => typeof part === 'string') && born !== undefined;
      return isWhole ? [entry as TrustedFolder] : [];
    } finally {
      closeSync(fd);
    }
  } catch {
    // A file that cannot be read trusts nothing.
    return [];
  }
}

function isOurs(place: string): boolean {
  try {
    const { uid, mode } = lstatSync(place);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Why a folder cannot be trusted permanently, as a sentence without its subject; or null. */
function unfit(real: string, place: string): string | null {
  const { uid, mode } = statSync(real);
  const user = process.getuid?.() ?? uid;
  if (real === path.dirname(real)) return 'is the root of the file system: name the folder of one project';
  if (isWithin(real, place) || isInCheckout(place, real))
    return `holds the list of trusted folders itself (${place}), so a checkout there could trust itself; name the folder of one project, or point XDG_STATE_HOME elsewhere`;
  if ((mode & 0o002) !== 0) return 'can be written by every user of this machine: chmod o-w it, then trust it';
  if (user !== 0 && uid !== user && uid !== 0) return 'belongs to another user, who may change it at any time';
  return null;
}

const isInCheckout = (place: string, real: string): boolean => isWithin(repositoryOf(real) ?? real, place);

/** The nearest folder upwards that git accepts as the root of a repository. */
export function repositoryOf(real: string): string | null {
  if (hasRepository(real)) return real;
  return real === path.dirname(real) ? null : repositoryOf(path.dirname(real));
}

/** A folder that cannot be looked at may be one. */
const hasRepository = (folder: string): boolean =>
  tried(() => lstatSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) ?? true;

function stateOf(entry: TrustedFolder): ListedFolder['state'] {
  try {
    const { inode, born } = identityOf(entry.folder);
    const isSame = inode === entry.inode && (entry.born === null || born === entry.born);
    return isSame && realOrNull(entry.folder) === entry.folder ? 'trusted' : 'replaced';
  } catch {
    return 'missing';
  }
}

/** Without its device: the number of a disk may change with each start of the machine. */
function identityOf(folder: string): { inode: string; born: string | null } {
  const { ino, birthtimeNs, ctimeNs } = lstatSync(folder, { bigint: true });
  // If no birth is recorded, Node returns 0 or the time of the last change.
  return { inode: `${ino}`, born: birthtimeNs === 0n || birthtimeNs === ctimeNs ? null : `${birthtimeNs}` };
}

const realOrNull = (folder: string): string | null => tried(() => realpathSync.native(folder));

const refused = (message: string): Changed => ({ how: 'refused', message });
