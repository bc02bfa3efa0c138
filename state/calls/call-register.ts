// Registers running calls of the user, a small file for each, to find the processes that outlive a killed wrapper.

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { isProcessIdentity, type ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { isTool, type Tool } from '../../policies/facts/tools.ts';
import { makeFolders } from '../disk/folder.ts';
import { openRegular, readWhole, UnfitFileError } from '../disk/regular-file.ts';
import { replaceText, TEMPORARY } from '../disk/replace-file.ts';
import { isSystemError } from '../system-error.ts';
import { userState } from '../task-folder.ts';

/** A reader that finds a higher number does not touch the file, and reports it. */
export const REGISTER_VERSION = 1;

export interface RegisterEntry {
  v: number;
  call_id: string;
  guardian: ProcessIdentity;
  /** null until it is started, and if it ended at once. */
  cli: ProcessIdentity | null;
  /** `outer/inner`, as in the environment of every process of the call. */
  marker: string;
  /** ISO time at which the guardian ends the call at the latest. */
  deadline_at: string;
  /** The attempt's private folder. */
  attempt: string;
  /** The CLI's own $TMPDIR. */
  temporary: string;
  overlay_folders: string[];
  /** The root of the task that pays; null for a call without a task. */
  task: string | null;
  /** The draft by which a call without a task is classified; that of a task is in its attempt. */
  draft: object | null;
  session?: { tool: Tool; id: string };
}

export type FoundCall =
  | { how: 'read'; file: string; entry: RegisterEntry }
  | { how: 'invalid'; file: string; why: string };

/** @returns null if there is no register. */
export function registerFolder(environment: NodeJS.ProcessEnv): string | null {
  const folder = userState(environment);
  return folder && path.join(folder, 'calls');
}

/** Not synced: no process survives a power loss. @returns its file, or null if none can be written. */
export function writeEntry(folder: string, entry: RegisterEntry): string | null {
  const file = path.join(folder, `${entry.call_id}.json`);
  const write = () => replaceText(file, `${JSON.stringify(entry)}\n`);
  try {
    try {
      write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      makeFolders(folder);
      write();
    }
    return file;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return null;
  }
}

export function removeEntry(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // A later sweep finds that no process of the call remains.
  }
}

/** Called by the process that settles a call. The id may come from a user. */
export function forgetCall(folder: string, callId: string): void {
  if (CALL_ID.test(callId)) removeEntry(path.join(folder, `${callId}.json`));
}

/** Removes the unfinished entries of killed writers; a living writer renames its entry at once. */
export function removeHalves(folder: string, before: Date): void {
  for (const name of namesIn(folder).filter(isHalf)) {
    const half = path.join(folder, name);
    const found = lstatSync(half, { throwIfNoEntry: false });
    if (found?.isFile() && found.mtime < before) removeEntry(half);
  }
}

/** The usable entries, and the unusable ones with the reason. Throws when the folder cannot be read. */
export function readEntries(folder: string): FoundCall[] {
  const names = namesIn(folder).filter((name) => FILE.test(name));
  return names.sort().flatMap((name) => {
    const file = path.join(folder, name);
    try {
      return [readEntry(file)];
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // Its call has ended meanwhile.
      return code === 'ENOENT' ? [] : [{ how: 'invalid', file, why: message }];
    }
  });
}

/** The entry of one call; null if there is no usable one. */
export function entryOf(folder: string, callId: string): RegisterEntry | null {
  if (!CALL_ID.test(callId)) return null;
  try {
    const found = readEntry(path.join(folder, `${callId}.json`));
    return found.how === 'read' ? found.entry : null;
  } catch {
    return null;
  }
}

/** Ids as `newCallId` makes them; we do not own any other file in the folder. */
const CALL_ID = /^\d{14}-[0-9a-f]{8}$/;
const FILE = /^\d{14}-[0-9a-f]{8}\.json$/;
const OLDER_HALF = /^\d{14}-[0-9a-f]{8}\.json\.new$/;

/** The temporary file of an entry, from this version or an earlier one, before it is renamed. */
export const isHalf = (name: string): boolean =>
  FILE.test(TEMPORARY.exec(name)?.groups?.name ?? '') || OLDER_HALF.test(name);

function namesIn(folder: string): string[] {
  let mistake: string | null = null;
  try {
    const { uid, mode } = lstatSync(folder);
    // If others may write there, the content is not trusted.
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) mistake = `${folder} is not ours alone to write`;
    else return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  throw Object.assign(new Error(mistake), { code: 'EACCES' });
}

function readEntry(file: string): FoundCall {
  let entry: Partial<RegisterEntry> | null = null;
  try {
    entry = JSON.parse(ownText(file)) as Partial<RegisterEntry> | null;
  } catch (error) {
    if (error instanceof UnfitFileError) return { how: 'invalid', file, why: `it ${error.why}` };
    if (isSystemError(error)) throw error;
  }
  if (typeof entry !== 'object' || entry === null) return { how: 'invalid', file, why: 'it is not a JSON object' };
  if (typeof entry.v === 'number' && entry.v > REGISTER_VERSION)
    return { how: 'invalid', file, why: `a newer version wrote it (format ${entry.v}, this one reads 1)` };
  const wrong = Object.entries(SHAPE).find(([field, test]) => !test(entry[field as keyof RegisterEntry], entry));
  if (wrong !== undefined) return { how: 'invalid', file, why: `its ${wrong[0]} is missing or wrong` };
  if (`${entry.call_id}.json` !== path.basename(file))
    return { how: 'invalid', file, why: `it tells of another call (${entry.call_id})` };
  return { how: 'read', file, entry: entry as RegisterEntry };
}

function ownText(file: string): string {
  const fd = openRegular(file);
  try {
    if (fstatSync(fd).uid !== process.getuid?.()) throw new UnfitFileError(file, 'EINVAL', 'is not a file of tollgate');
    return readWhole(fd, file, MAX_BYTES).toString('utf8');
  } finally {
    closeSync(fd);
  }
}

/** An entry holds the draft of a call, and no prompt. */
const MAX_BYTES = 4 * 1024 * 1024;

type Test = (value: unknown, entry: Partial<RegisterEntry>) => boolean;

const isText: Test = (value) => typeof value === 'string' && value !== '' && !value.includes('\0');
const isPlace: Test = (value, entry) => isText(value, entry) && path.resolve(value as string) === value;

/** Checks only what a reader relies on. */
const SHAPE: Record<keyof Required<RegisterEntry>, Test> = {
  v: (value) => value === REGISTER_VERSION,
  call_id: (value) => typeof value === 'string' && CALL_ID.test(value),
  guardian: (value) => isProcessIdentity(value),
  cli: (value) => value === null || isProcessIdentity(value),
  marker: (value, { call_id }) => typeof value === 'string' && (value === call_id || value.endsWith(`/${call_id}`)),
  deadline_at: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  attempt: isPlace,
  temporary: isPlace,
  overlay_folders: (value, entry) => Array.isArray(value) && value.every((folder) => isPlace(folder, entry)),
  task: (value, entry) => value === null || isPlace(value, entry),
  draft: (value) => typeof value === 'object' && !Array.isArray(value),
  session: (value) => value === undefined || isSession(value as Partial<RegisterEntry['session']> | null),
};

const isSession = (session: Partial<RegisterEntry['session']> | null): boolean =>
  isTool(session?.tool) && typeof session?.id === 'string';

interface EndedIn {
  tool: Tool;
  id: string;
}

/** So that the next look at the session need not wait. Called once all processes of the call are gone. If the note cannot be written, the next caller only waits. */
export function noteEnded(session: EndedIn, environment: NodeJS.ProcessEnv): void {
  const file = noteOf(session, environment);
  if (file === null) return;
  const folder = path.dirname(file);
  try {
    makeFolders(folder);
    replaceText(file, '');
    for (const name of readdirSync(folder).slice(0, LOOKED_AT)) removeOld(path.join(folder, name));
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** Milliseconds since the epoch, by the clock of file times; null if no call ended lately. */
export function lastEndedMs(session: EndedIn, environment: NodeJS.ProcessEnv): number | null {
  const file = noteOf(session, environment);
  const found = file === null ? undefined : lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? found.mtimeMs : null;
}

/** No caller waits for longer than this. */
const KEPT_MS = 120_000;

const LOOKED_AT = 100;

function noteOf({ tool, id }: EndedIn, environment: NodeJS.ProcessEnv): string | null {
  const state = userState(environment);
  const name = createHash('sha256').update(`${tool}\0${id}`).digest('hex').slice(0, 16);
  return state && path.join(state, 'ended', name);
}

function removeOld(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() && Math.abs(Date.now() - found.mtimeMs) > KEPT_MS) unlinkSync(file);
}
