// Finds the guarded files of a task that changed during calls of other tasks, and records them for the next run of that task.

import { hash } from 'node:crypto';
import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import {
  type CallEntry,
  type ChangeEntry,
  type FolderNames,
  namesIn,
  noteChange,
  type Vouched,
  vouch,
  vouchedIn,
} from '../../state/calls/judge-register.ts';
import { ledgerIfAny, openJournal } from '../../state/journal/journal.ts';
import { hasEdits } from '../../state/journal/stats.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { UnseenCall } from '../task/run-context.ts';
import { type FileLook, lookAt } from './file-look.ts';
import { isLitter } from './guarded-files.ts';

/** Examines the tasks that existed when a call began, each once for all calls. @returns a sentence for each change. */
export function noteChanges(register: string, calls: readonly UnseenCall[]): Map<UnseenCall, string> {
  const changed = new Map<UnseenCall, string[]>();
  for (const [root, those] of rootsOf(calls)) {
    const during = changesDuring(register, root);
    for (const call of those) {
      const change = during(call);
      if (change === null) continue;
      noteChange(register, { task: root, ...change });
      const words = `${path.basename(root)} (${change.files.slice(0, NAMED).join(', ')})`;
      changed.set(call, [...(changed.get(call) ?? []), words]);
    }
  }
  return new Map([...changed].map(([call, tasks]) => [call, sentenceOf(tasks)]));
}

const sentenceOf = (tasks: readonly string[]): string =>
  `files that other tasks are judged by were changed while this call ran: ${tasks.slice(0, NAMED).join('; ')}; a run of such a task stops and says so`;

const NAMED = 3;

/** Returns each task with the calls of other tasks that might have changed it. */
function rootsOf(calls: readonly UnseenCall[]): Map<string, UnseenCall[]> {
  const roots = new Map<string, UnseenCall[]>();
  for (const call of calls) {
    const folder = path.join(call.entry.state_folder, 'task');
    for (const id of call.entry.tasks) {
      const root = `${folder}${path.sep}${id}`;
      if (root === call.entry.task) continue;
      const those = roots.get(root);
      if (those === undefined) roots.set(root, [call]);
      else those.push(call);
    }
  }
  return roots;
}

/** Examines the task once. The returned function returns what changed in it during a call; null for nothing. */
export function changesDuring(
  register: string,
  root: string,
): (call: UnseenCall) => Omit<ChangeEntry, 'v' | 'task'> | null {
  const changed = changesIn(root);
  let vouched: Vouched | null = null;
  return ({ entry, beganNs, to, toNs }) => {
    const [span, names] = [{ fromNs: beganNs, toNs }, namesIn(entry, path.basename(root))];
    // Nearly all tasks are unchanged, so the approved files are rarely needed.
    if (changed(span, { names }).length === 0) return null;
    vouched ??= vouchedIn(register, root);
    const files = changed(span, { names, vouched });
    if (files.length === 0) return null;
    const { task_id, stage, call_id } = entry;
    const from = new Date(Number(beganNs / 1_000_000n)).toISOString();
    return { by: { task_id, stage, call_id, from, to }, files };
  };
}

interface TimeSpan {
  fromNs: bigint;
  /** null: until now. */
  toNs: bigint | null;
}

/** What does not count as a change. */
interface KnownChanges {
  /** Files that a run put back, or that the user accepted. */
  vouched?: Vouched;
  /** The names in its folders when the call began. Without them, any write in a folder counts as a change. */
  names?: FolderNames | undefined;
}

/**
 * Examines the task once. The returned function lists the changed files for any time span, relative and sorted. Outputs, markers,
 * prompts and the journal are not examined, because runs write them.
 * @param root the folder of a task.
 */
export function changesIn(root: string): (span: TimeSpan, known?: KnownChanges) => string[] {
  const guarded = guardedIn(root);
  const stats = lookAt(path.join(root, STATS));
  // If a whole folder is gone, only the folder above shows when. That time is not earlier than the removal.
  const goneNs = guarded.has(INPUTS) ? null : (lookAt(root)?.changedNs ?? 0n);
  let edited: boolean | null = null;
  const isEdited = () => {
    edited ??= hasEdits(openJournal(root, () => new Date()));
    return edited;
  };
  return ({ fromNs, toNs }, { vouched = {}, names } = {}) => {
    const isChanged = (name: string, { changedNs, stamp, kind }: FileLook) => {
      if (changedNs <= fromNs || (toNs !== null && changedNs > toNs) || vouched[name] === stamp) return false;
      return kind !== 'folder' || names === undefined || (names[name] ?? NAMELESS) !== stamp;
    };
    const found = [...guarded].filter(([name, look]) => isChanged(name, look)).map(([name]) => name);
    if (stats !== null && isChanged(STATS, stats) && isEdited()) found.push(STATS);
    if (goneNs !== null && goneNs > fromNs && names?.[INPUTS] !== undefined && vouched[INPUTS] !== '')
      found.push(INPUTS);
    return found.sort();
  };
}

const STATS = 'state/stats.json';
const INPUTS = 'inputs';
const ATTACHMENTS = 'inputs/attachments';

/** When a call ended; null while it may run. */
type CallEnd = { to: string | null; toNs: bigint | null };

/** A verdict counts only once its guardian has removed the register's entry, which an agent cannot do. */
export function endOf({ task, call_id, until }: CallEntry, register: string): CallEnd {
  const isRegistered = lookAt(path.join(path.dirname(register), 'calls', `${call_id}.json`)) !== null;
  const verdict = isRegistered ? null : (ledgerIfAny(task)?.calls.get(call_id)?.verdict ?? null);
  if (verdict === null && Date.parse(until) >= Date.now()) return { to: null, toNs: null };
  const to = verdict?.at ?? until;
  // The disk's clock is behind ours by one tick.
  return { to, toNs: BigInt(Date.parse(to)) * 1_000_000n };
}

/** Records the present state of files of a task, so that no call of another task is blamed for it. */
export function approveFiles(register: string, root: string, names: Iterable<string>): void {
  vouch(register, root, Object.fromEntries([...names].map((name) => [name, stampIn(root, name)])));
}

/** Accepts the present state of all files of a task that a call of another task can have changed. */
export const approveAll = (register: string, root: string, changed: readonly string[]): void =>
  approveFiles(register, root, new Set([...guardedIn(root).keys(), STATS, INPUTS, ...changed]));

/** Returns '' for a missing file. */
export const stampIn = (root: string, name: string): string => lookIn(root, name)?.stamp ?? '';

/** Lists the manifest and the inputs with their folders, relative: a removed file changes the names in its folder. */
export function guardedIn(root: string): Map<string, FileLook> {
  const found = new Map<string, FileLook>(inputsOf(root, INPUTS));
  for (const name of ['manifest.yaml', 'manifest.yml', 'manifest.json']) {
    const look = lookIn(root, name);
    if (look !== null) found.set(name, look);
  }
  return found;
}

/** Reads the names of each task when a call begins. Omits a task if its folders do not fit into the entry. */
export function namesOfTasks(stateFolder: string, ids: readonly string[]): NonNullable<CallEntry['names']> {
  let room = MAX_CHARACTERS;
  const kept = ids.flatMap((id) => {
    const names = folderNames(path.join(stateFolder, 'task', id));
    if (names === null) return [];
    const size = Object.keys(names).reduce((sum, name) => sum + name.length + OVERHEAD, id.length + OVERHEAD);
    if (size > room) return [];
    room -= size;
    return [[id, names] as const];
  });
  return Object.fromEntries(kept);
}

/** An entry of more than 4 MiB is not read, and one character may take six bytes. */
const MAX_CHARACTERS = 512 * 1024;
const OVERHEAD = 32;

/** Returns null if a folder cannot be read, for example because its path is too long. */
function folderNames(root: string): FolderNames | null {
  try {
    const folders = [...inputsOf(root, INPUTS, 'folders')].filter(
      ([, { kind, stamp }]) => kind === 'folder' && stamp !== NAMELESS,
    );
    return Object.fromEntries(folders.map(([name, { stamp }]) => [name, stamp]));
  } catch (error) {
    if (isSystemError(error)) return null;
    throw error;
  }
}

interface InputLook extends FileLook {
  /** Of a folder. */
  entries: readonly Dirent[];
}

/** Returns each file, link and folder of the inputs, and `inputs` itself. Skips prompts, because runs compose them. */
function* inputsOf(root: string, name: string, kinds: 'all' | 'folders' = 'all'): Generator<[string, InputLook]> {
  const look = lookIn(root, name);
  if (look === null) return;
  yield [name, look];
  for (const entry of look.entries)
    if (kinds === 'all' || entry.isDirectory()) yield* inputsOf(root, `${name}/${entry.name}`, kinds);
}

/** Like `lookAt`, but a folder's stamp has only its inode and names: an editor's temporary files are no change. */
function lookIn(root: string, name: string): InputLook | null {
  const look = lookAt(path.join(root, name));
  if (look?.kind !== 'folder') return look && { ...look, entries: [] };
  const entries = entriesOf(root, name);
  return { ...look, stamp: folderStamp(look, entries), entries };
}

/** The stamp of an empty folder. It equals that of a missing one, because the folder above shows whether it exists. */
const NAMELESS = '-';

/** Contains the inode, because another folder with the same names may have other files. */
function folderStamp({ stamp }: FileLook, entries: readonly Dirent[]): string {
  if (entries.length === 0) return NAMELESS;
  const names = entries.map(({ name }) => name).sort();
  const inode = stamp.slice(0, stamp.indexOf(' '));
  return hash('sha256', `${inode}/${names.join('/')}`).slice(0, 16);
}

function entriesOf(root: string, folder: string): Dirent[] {
  const isAttached = folder === ATTACHMENTS || folder.startsWith(`${ATTACHMENTS}/`);
  try {
    return readdirSync(path.join(root, folder), { withFileTypes: true }).filter(({ name }) => {
      // A visible attachment goes into a prompt, whatever its name is.
      if (isLitter(name)) return isAttached && !name.startsWith('.');
      return name !== 'prompt' || folder !== INPUTS;
    });
  } catch {
    return [];
  }
}
