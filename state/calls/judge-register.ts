// Registers the calls that runs wait for, copies of their judge files, and changes found in other tasks meanwhile.

// Judge files are the files by which a stage is judged: the project's, the templates in use, the task's own, and earlier answers.

import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  lstatSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isProcessIdentity, type ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { isOwnFolder, makeFolders, namesIfAny } from '../disk/folder.ts';
import { isRegular, readJsonIfFit } from '../disk/regular-file.ts';
import { replaceText, TEMPORARY } from '../disk/replace-file.ts';
import { userState } from '../task-folder.ts';

const VERSION = 1;

/** A call that a run waits for. Its file time is when the call began; files beside it are copies of judge files. */
export interface CallEntry {
  v: number;
  task: string;
  task_id: string;
  stage: string;
  call_id: string;
  dispatcher: ProcessIdentity;
  /** ISO time at which it has ended at the latest. */
  until: string;
  /** The project's `.tmp`, and the ids of the tasks that were in it. */
  state_folder: string;
  tasks: string[];
  /** By task id: its folders when the call began. */
  names?: Record<string, FolderNames>;
}

/** By the folder, relative to the task's: a hash of the names in it. */
export type FolderNames = Readonly<Record<string, string>>;

/** @returns undefined if the entry has none: an older version wrote it, or there were too many. */
export function namesIn({ names }: CallEntry, id: string): FolderNames | undefined {
  const found = typeof names === 'object' && names !== null && Object.hasOwn(names, id) ? names[id] : null;
  return typeof found === 'object' && found !== null ? found : undefined;
}

/** A change of one task, during one call of another. */
export interface ChangeEntry {
  v: number;
  task: string;
  by: { task_id: string; stage: string; call_id: string; from: string; to: string | null };
  /** Relative to the task's folder. */
  files: string[];
}

export interface RegisteredWatch {
  entry: CallEntry;
  /** Its own folder in the register. */
  folder: string;
  /** Nanoseconds since 1970, by the clock of the disk. */
  beganNs: bigint;
}

/** Outside the project if the user has a home. An agent of the same user can still write there. */
export const judgeRegister = (environment: NodeJS.ProcessEnv, stateFolder: string): string =>
  path.join(userState(environment) ?? path.join(stateFolder, 'state'), 'judges');

/** The folder of a call's entry. Throws what the operating system throws. */
export function openCallFolder(register: string, callId: string): string {
  const folder = path.join(register, 'calls', callId);
  makeFolders(folder);
  return folder;
}

/** From now on the call counts as running. */
export function writeCallEntry(
  folder: string,
  about: Omit<CallEntry, 'v' | 'tasks' | 'names'>,
  others: Pick<CallEntry, 'tasks' | 'names'>,
): RegisteredWatch {
  const file = path.join(folder, 'call.json');
  replaceText(file, `${jsonWith({ v: VERSION, ...about }, others)}\n`);
  const { ctimeNs } = lstatSync(file, { bigint: true });
  const written = { entry: { v: VERSION, ...about, ...others }, folder, beganNs: ctimeNs };
  own.set(folder, written);
  return written;
}

/** Entries that this process wrote and has not removed. Even if an agent changes the files, they are known. */
const own = new Map<string, RegisteredWatch>();

/** The call was classified. Its entry stays, without copies of judge files, until the other tasks were checked. */
export function endCallEntry(folder: string): void {
  const copies = namesIfAny(folder)
    .filter((name) => !KEPT_OF_OVER.includes(name))
    .sort();
  const [first, ...others] = copies.map((name) => path.join(folder, name));
  // One of the copies becomes the mark, because creating a file costs more than everything else here.
  if (first !== undefined && isRegular(first)) renameSync(first, path.join(folder, OVER));
  else writeFileSync(path.join(folder, OVER), '', { mode: 0o600 });
  for (const file of others) rmSync(file, { force: true });
}

const OVER = 'over';
const KEPT_OF_OVER = [OVER, 'call.json'];

export const isCallOver = (folder: string): boolean => isRegular(path.join(folder, OVER));

export function removeCallEntry(folder: string): void {
  // Removes file by file: a recursive removal takes five times as long for these two or three.
  for (const name of namesIfAny(folder)) if (!isOwnFolder(path.join(folder, name))) unlinkSync(path.join(folder, name));
  own.delete(folder);
  try {
    rmdirSync(folder);
  } catch {
    // Another process made a folder in it, or removed it.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The readable entries, and our own even if their folders were removed. */
export function callEntries(register: string): RegisteredWatch[] {
  const calls = path.join(register, 'calls');
  const folders = new Set(listed(calls).map((name) => `${calls}${path.sep}${name}`));
  for (const folder of own.keys()) if (path.dirname(folder) === calls) folders.add(folder);
  return [...folders].flatMap((folder) => {
    const found = entryIn(folder);
    return found === null || found.entry.call_id !== path.basename(folder) || !isCallEntry(found.entry) ? [] : [found];
  });
}

/** An entry is written once and may name thousands of tasks. Without this cache, every check would read it again. */
const read = new Map<string, { stamp: string; entry: CallEntry | null }>();
const MOST_READ = 64;

/** @returns null if there is no readable entry; the call may have ended meanwhile. */
function entryIn(folder: string): RegisteredWatch | null {
  const written = own.get(folder);
  if (written !== undefined) return written;
  const file = path.join(folder, 'call.json');
  let look: BigIntStats;
  try {
    look = lstatSync(file, { bigint: true });
  } catch {
    return null;
  }
  const stamp = `${look.ino} ${look.ctimeNs}`;
  const known = read.get(folder);
  const entry = known?.stamp === stamp ? known.entry : readEntry<CallEntry>(file);
  if (known?.stamp !== stamp) {
    if (read.size >= MOST_READ) read.clear();
    read.set(folder, { stamp, entry });
  }
  return entry === null ? null : { entry, folder, beganNs: look.ctimeNs };
}

const HALF_MS = 24 * 3_600_000;
const OLD_MS = 30 * HALF_MS;

/** Removes entries of runs killed while writing one, and of tasks that never ran again, which no run would remove. */
export function removeOldCalls(register: string, now: Date): void {
  const calls = path.join(register, 'calls');
  for (const name of listed(calls)) {
    const folder = path.join(calls, name);
    const entry = entryIn(folder)?.entry ?? null;
    const age = now.getTime() - (entry === null ? madeAt(folder) : Date.parse(entry.until));
    if (age > (entry === null ? HALF_MS : OLD_MS)) removeCallEntry(folder);
  }
}

const madeAt = (folder: string): number => lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.NaN;

const isCallEntry = ({ task, task_id, stage, dispatcher, until, state_folder, tasks }: CallEntry): boolean =>
  [task, task_id, stage, until, state_folder].every((text) => typeof text === 'string') &&
  isProcessIdentity(dispatcher) &&
  Array.isArray(tasks);

export function noteChange(register: string, change: Omit<ChangeEntry, 'v'>): void {
  const folder = path.join(register, 'changed');
  makeFolders(folder);
  writeEntry(path.join(folder, `${taskKey(change.task)}-${change.by.call_id}.json`), { v: VERSION, ...change });
}

export function changesOf(register: string, task: string): ChangeEntry[] {
  return changeFiles(register, task).flatMap((file) => {
    const entry = readEntry<ChangeEntry>(file);
    return entry === null || typeof entry.by?.call_id !== 'string' || !Array.isArray(entry.files) ? [] : [entry];
  });
}

/** Called after a user has seen the changes. */
export function forgetChanges(register: string, task: string): void {
  for (const file of changeFiles(register, task)) rmSync(file, { force: true });
}

function changeFiles(register: string, task: string): string[] {
  const folder = path.join(register, 'changed');
  const names = listed(folder);
  if (names.length === 0) return [];
  const key = taskKey(task);
  return names.filter((name) => name.startsWith(`${key}-`)).map((name) => path.join(folder, name));
}

/** A task's files, by stamp, that a run restored or a user accepted. In whose call they were changed no longer matters. */
export type Vouched = Readonly<Record<string, string>>;

export function vouchedIn(register: string, task: string): Vouched {
  const read = readEntry<{ v: number; files: Vouched }>(vouchedFile(register, task));
  return typeof read?.files === 'object' && read.files !== null ? read.files : {};
}

export function vouch(register: string, task: string, files: Vouched): void {
  const file = vouchedFile(register, task);
  makeFolders(path.dirname(file));
  writeEntry(file, { v: VERSION, task, files: { ...vouchedIn(register, task), ...files } });
}

const vouchedFile = (register: string, task: string) => path.join(register, 'vouched', `${taskKey(task)}.json`);

/** A key of a task's folder, wherever it is, for data that is kept elsewhere. */
export function taskKey(task: string): string {
  let real = task;
  try {
    real = realpathSync.native(task);
  } catch {
    // It is gone; its name is still a valid key.
  }
  return createHash('sha256').update(real).digest('hex').slice(0, 16);
}

/** Not synced: after a power loss no agent runs either. */
const writeEntry = (file: string, value: object): void => replaceText(file, `${JSON.stringify(value)}\n`);

const MAX_BYTES = 4 * 1024 * 1024;

/** @returns null if the file is missing, not ours, or from a newer version. */
function readEntry<T extends { v: number }>(file: string): T | null {
  const read = readJsonIfFit<T>(file, MAX_BYTES);
  return read?.v === VERSION ? read : null;
}

/** Excludes temporary files. */
const listed = (folder: string): string[] =>
  namesIfAny(folder).filter((name) => !TEMPORARY.test(name) && !name.endsWith('.new'));

/** Cached JSON of large objects that many entries share: the entries of a batch's calls name all its tasks. */
const texts = new WeakMap<object, string>();

/** The JSON of both together. @param common must not be changed, since it is serialised once. */
export function jsonWith(own: object, common: object): string {
  const text = texts.get(common) ?? JSON.stringify(common);
  texts.set(common, text);
  return `${JSON.stringify(own).slice(0, -1)},${text.slice(1)}`;
}
