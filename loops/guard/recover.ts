// Recovers the guarded files that a killed run had kept: puts back what its agent changed after the run was killed.

import { renameSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../policies/facts/gate-record.ts';
import { firstNames } from '../../policies/text/display.ts';
import {
  callEntries,
  isCallOver,
  type RegisteredWatch,
  removeCallEntry,
  removeOldCalls,
} from '../../state/calls/judge-register.ts';
import { makeFolders } from '../../state/disk/folder.ts';
import { isRegular } from '../../state/disk/regular-file.ts';
import { setAside } from '../../state/disk/replace-file.ts';
import { ledgerIfAny, openJournal } from '../../state/journal/journal.ts';
import { hasEdits } from '../../state/journal/stats.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { type FileLook, lookAt } from './file-look.ts';
import { approveRestored, describe, tamperedFinding } from './guard-call.ts';
import { ownFiles } from './guarded-files.ts';
import { isSame, isWhole, type KeptFile, loadKept } from './kept-files.ts';
import { endOf, noteChanges } from './other-tasks.ts';
import { isUnfinished, putBack, restore } from './put-back.ts';

interface Recovering {
  task: TaskFolder;
  root: string;
  register: string;
  clock: () => Date;
}

export interface Recovered {
  notes: string[];
  /** By call: the finding for its gate. */
  findings: Map<string, Finding>;
}

type When = 'before' | 'after';

/** @param when `before` anything of the task is read; `after` its calls are settled, which ends the kept state. */
export async function recoverFiles(recovering: Recovering, when: When): Promise<Recovered> {
  const { task, register, clock } = recovering;
  const recovered: Recovered = { notes: [], findings: new Map() };
  const entries = callEntries(register).filter(({ entry }) => entry.task === task.root);
  const self = entries.length === 0 ? null : (await identify(process.pid))!;
  let isAnyNeeded = false;
  for (const call of entries) {
    if ((await isAlive(call.entry.dispatcher, self!)) !== 'dead') continue;
    let isNeeded = false;
    // The call was checked, except for the other tasks. None of its own files has to be put back.
    if (isCallOver(call.folder)) {
      if (when === 'before') continue;
    } else if (hasBegun(task, call.entry.call_id)) isNeeded = recoverCall(recovering, call, when, recovered);
    else removeCallEntry(call.folder);
    if (when === 'before') continue;
    recovered.notes.push(...noteChanges(register, [{ ...call, ...endOf(call.entry, register) }]).values());
    isAnyNeeded ||= isNeeded;
    if (!isNeeded) removeCallEntry(call.folder);
  }
  // Not earlier, and not while this task's own entries are needed: those remain useful at any age.
  if (when === 'after' && !isAnyNeeded) removeOldCalls(register, clock());
  return recovered;
}

/** If the run was killed before the call's guardian began, no agent has run. Then any difference is the user's work. */
const hasBegun = (task: TaskFolder, callId: string): boolean =>
  lookAt(path.join(task.attempts, callId)) !== null || (ledgerIfAny(task.root)?.calls.has(callId) ?? true);

/** @returns whether the register has the only copies of something that has changed. */
function recoverCall(
  { task, root, register, clock }: Recovering,
  call: RegisteredWatch,
  when: When,
  into: Recovered,
): boolean {
  const { call_id, stage } = call.entry;
  const attempt = path.join(task.attempts, call_id);
  const kept = loadKept(call.folder);
  if (kept === null) {
    const place = when === 'before' ? call.folder : moveEntry(call.folder, path.join(attempt, 'kept'), clock);
    into.notes.push(`stage ${stage}: what the call ${call_id} was judged by can no longer be read (${place})`);
    return place === call.folder;
  }
  const end = endOf(call.entry, register);
  const aside = path.join(attempt, 'changed-by-agent');
  const ofUser: ChangedFile[] = [];
  let isDated = end.toNs !== null;
  const isOurs = (file: string, before: KeptFile | null, now: FileLook | null) => {
    if (now === null) isDated &&= isGoneBefore(end, file);
    // A restored file does no harm, whoever removed the original. Our own restore may also have been interrupted.
    if (now === null || isBefore(end, now)) return true;
    if (before === null) return isUnfinished(file, kept.files);
    ofUser.push({ file, before });
    return false;
  };
  const present = () => ownFiles(task).filter((file) => isAddedByNoRun(task, file));
  const tampered = putBack(kept, { present, aside, clock, isOurs });
  approveRestored(register, task.root, tampered);
  const copied = copyEarlier(ofUser, path.join(attempt, 'kept'), clock);
  into.notes.push(...copiedNotes(root, call, copied, when));
  const missing = tampered.map((each) => describe(root, each));
  if (forgetEdits(task, end, clock)) missing.push('state/stats.json (modified; set aside, and made again)');
  if (missing.length > 0) {
    const whose = isDated
      ? 'before it was over, by its agent or by another process'
      : 'by its agent or by another process';
    const where = lookAt(aside) === null ? '' : `; the changed files are in ${aside}`;
    into.notes.push(
      `stage ${stage}: the run that waited for the call ${call_id} was killed, and files that it is judged by were changed since, ${whose}: ${firstNames(missing, 3)}${where}`,
    );
    into.findings.set(call_id, tamperedFinding(missing, aside));
  }
  return copied.why !== null;
}

/** A change after the end of the call is the user's work. */
const isBefore = ({ toNs }: ReturnType<typeof endOf>, { changedNs }: FileLook): boolean =>
  toNs === null || changedNs <= toNs;

/** For a removed file, uses the time of its folder. Another change in that folder since then hides it. */
function isGoneBefore(end: ReturnType<typeof endOf>, file: string): boolean {
  let look: FileLook | null = null;
  for (let at = path.dirname(file); look === null && at !== path.dirname(at); at = path.dirname(at)) look = lookAt(at);
  return look === null || isBefore(end, look);
}

/** Runs write only to other places. */
const isAddedByNoRun = ({ root, inputs }: TaskFolder, file: string): boolean =>
  path.dirname(file) === root ||
  (file.startsWith(inputs + path.sep) && !file.startsWith(path.join(inputs, 'prompt') + path.sep));

/** An edited view would be taken for the user's request. */
function forgetEdits(task: TaskFolder, end: ReturnType<typeof endOf>, clock: () => Date): boolean {
  const file = path.join(task.state, 'stats.json');
  const look = lookAt(file);
  if (look === null || !isBefore(end, look)) return false;
  if (isRegular(file) && !hasEdits(openJournal(task.root, clock))) return false;
  setAside(file, clock);
  return true;
}

interface ChangedFile {
  file: string;
  before: KeptFile;
}

interface CopiedEarlier {
  /** Each file with the place of its earlier version, null without a complete copy. Omits those reported before. */
  copies: [file: string, place: string | null][];
  /** Why the register must keep its copies; null if nothing is lost without them. */
  why: string | null;
}

/**
 * Saves the earlier version of files that stay as the user changed them. Writes each file once, under its own name. Writes it
 * again only if that file no longer has the kept content.
 */
function copyEarlier(changed: readonly ChangedFile[], place: string, clock: () => Date): CopiedEarlier {
  const copied: CopiedEarlier = { copies: [], why: null };
  const taken = new Set<string>();
  for (const { file, before } of changed) {
    try {
      if (!isWhole(before)) {
        copied.copies.push([file, null]);
        continue;
      }
      makeReal(place, clock);
      const copy = nameFor(path.join(place, path.basename(file)), before, taken);
      taken.add(copy);
      if (lookAt(copy) !== null) continue;
      restore(copy, before, () => {});
      copied.copies.push([file, copy]);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      copied.why = error.message;
    }
  }
  return copied;
}

/** Returns the first name that is free or that already has the same content. */
function nameFor(wanted: string, before: KeptFile, taken: ReadonlySet<string>): string {
  for (let n = 0; ; n++) {
    const name = n === 0 ? wanted : `${wanted}.${n}`;
    const now = lookAt(name);
    if (!taken.has(name) && (now === null || isSame(name, before, now))) return name;
  }
}

/** A file without a copy is reported when the entry is removed. */
function copiedNotes(
  root: string,
  { entry, folder }: RegisteredWatch,
  { copies, why }: CopiedEarlier,
  when: When,
): string[] {
  const about = `stage ${entry.stage}: after the call ${entry.call_id} was over`;
  const named = copies
    .filter(([, place]) => place !== null || when === 'after')
    .map(
      ([file, place]) =>
        `${path.relative(root, file)} (${place === null ? 'no copy of it is whole' : `as it was: ${place}`})`,
    );
  return [
    ...(named.length === 0
      ? []
      : [
          `${about}, files that it is judged by were changed by another process, and not put back: ${firstNames(named, 3)}`,
        ]),
    ...(why === null
      ? []
      : [`${about}, files were changed; how they were cannot be written down (${why}), and stays in ${folder}`]),
  ];
}

/** Saves the whole entry of a call, if the index of its copies cannot be read. @returns where it is now. */
function moveEntry(entry: string, place: string, clock: () => Date): string {
  try {
    makeReal(path.dirname(place), clock);
    if (lookAt(place) !== null) setAside(place, clock);
    renameSync(entry, place);
    return place;
  } catch (error) {
    // The place is on another disk, or the disk is full.
    if (!isSystemError(error)) throw error;
    return entry;
  }
}

/** Makes a real folder, and follows no link. */
function makeReal(folder: string, clock: () => Date): void {
  const now = lookAt(folder);
  if (now !== null && now.kind !== 'folder') setAside(folder, clock);
  makeFolders(folder);
}
