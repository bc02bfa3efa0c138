// Recovers the judge files that a killed run had kept: puts back what its agent changed after the run was killed.

import path from 'node:path';
import type { Finding } from '../../policies/facts/gate-record.ts';
import {
  callEntries,
  isCallOver,
  type RegisteredWatch,
  removeCallEntry,
  removeOldCalls,
} from '../../state/calls/judge-register.ts';
import { isRegular } from '../../state/disk/regular-file.ts';
import { setAside } from '../../state/disk/replace-file.ts';
import { JournalError, openJournal } from '../../state/journal/journal.ts';
import { hasEdits } from '../../state/journal/stats.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { endOf, type WatchedCallEnd } from './call-end.ts';
import { type FileLook, lookAt } from './file-look.ts';
import { describe, tamperedFinding } from './judge.ts';
import { ownFiles } from './judge-files.ts';
import type { KeptFile } from './kept-files.ts';
import { type KeptLeft, keepEntry, keepLeft, type LeftFile } from './left-files.ts';
import { noteChanges } from './note-changes.ts';
import { putBack } from './put-back.ts';
import { isUnfinished } from './restored-file.ts';
import { loadJudge } from './saved-judge.ts';
import { vouchFor } from './watched-call.ts';

interface RecoveringJudge {
  task: TaskFolder;
  /** The project's root. */
  root: string;
  register: string;
  clock: () => Date;
}

export interface RecoveredJudge {
  notes: string[];
  /** By call: the finding for its gate. */
  findings: Map<string, Finding>;
}

type When = 'before' | 'after';

/**
 * @param when `before`: before anything of the task is read. `after`: after its calls are settled, when the kept state is no
 * longer needed.
 */
export async function recoverJudge(recovering: RecoveringJudge, when: When): Promise<RecoveredJudge> {
  const { task, register, clock } = recovering;
  const recovered: RecoveredJudge = { notes: [], findings: new Map() };
  const entries = callEntries(register).filter(({ entry }) => entry.task === task.root);
  const self = entries.length === 0 ? null : (await identify(process.pid))!;
  let isAnyNeeded = false;
  for (const call of entries) {
    if ((await isAlive(call.entry.dispatcher, self!)) !== 'dead') continue;
    let isNeeded = false;
    // The call was checked, except for the other tasks. None of its own files has to be put back.
    if (isCallOver(call.folder)) {
      if (when === 'before') continue;
    } else if (hasBegun(task, call.entry.call_id)) isNeeded = recoverOne(recovering, call, when, recovered);
    else removeCallEntry(call.folder);
    if (when === 'before') continue;
    const end = endOf(call.entry, register);
    const ended = { ...call, to: end?.at ?? null, toNs: end?.ns ?? null };
    recovered.notes.push(...noteChanges(register, [ended]).values());
    isAnyNeeded ||= isNeeded;
    if (!isNeeded) removeCallEntry(call.folder);
  }
  // Not earlier, and not while this task's own entries are needed: those remain useful at any age.
  if (when === 'after' && !isAnyNeeded) removeOldCalls(register, clock());
  return recovered;
}

/** If the run was killed before the call's guardian began, no agent has run. Then any difference is the user's work. */
function hasBegun(task: TaskFolder, callId: string): boolean {
  if (lookAt(path.join(task.attempts, callId)) !== null) return true;
  try {
    return openJournal(task.root, () => new Date())
      .read()
      .ledger.calls.has(callId);
  } catch (error) {
    if (error instanceof JournalError || isSystemError(error)) return true;
    throw error;
  }
}

/** @returns whether the register has the only copies of something that has changed. */
function recoverOne(
  { task, root, register, clock }: RecoveringJudge,
  call: RegisteredWatch,
  when: When,
  into: RecoveredJudge,
): boolean {
  const { call_id, stage } = call.entry;
  const keeping = { entry: call.folder, place: path.join(task.attempts, call_id, 'kept'), clock };
  const kept = loadJudge(call.folder);
  if (kept === null) {
    const place = when === 'before' ? call.folder : keepEntry(keeping);
    into.notes.push(`stage ${stage}: what the call ${call_id} was judged by cannot be read any more (${place})`);
    return place === call.folder;
  }
  const end = endOf(call.entry, register);
  const aside = path.join(task.attempts, call_id, 'changed-by-agent');
  const leftovers: LeftFile[] = [];
  let isDated = end !== null;
  const isOurs = (file: string, before: KeptFile | null, now: FileLook | null) => {
    if (now === null) isDated &&= isGoneBefore(end, file);
    // A restored file does no harm, whoever removed the original. Our own restore may also have been interrupted.
    if (now === null || isBefore(end, now)) return true;
    if (before === null) return isUnfinished(file, kept.files);
    leftovers.push({ file, before });
    return false;
  };
  const present = () => ownFiles(task).filter((file) => isAddedByNoRun(task, file));
  const tampered = putBack(kept, { present, aside, clock, isOurs });
  vouchFor(register, task, tampered);
  const leftAlone = keepLeft(leftovers, keeping);
  into.notes.push(...leftWords(root, call, leftAlone, when));
  const missing = tampered.map((each) => describe({ root }, each));
  if (forgetEdits(task, end, clock)) missing.push('state/stats.json (modified; set aside, and made again)');
  if (missing.length > 0) {
    const whose = isDated
      ? 'before it was over, by its agent or by another process'
      : 'by its agent or by another process';
    const where = lookAt(aside) === null ? '' : `; the changed files are in ${aside}`;
    into.notes.push(
      `stage ${stage}: the run that waited for the call ${call_id} was killed, and files that it is judged by were changed since, ${whose}: ${firstOf(missing)}${where}`,
    );
    into.findings.set(call_id, tamperedFinding(missing, aside));
  }
  return leftAlone.why !== null;
}

/** A file without a copy is reported when the entry is removed. */
function leftWords(root: string, { entry, folder }: RegisteredWatch, { copies, why }: KeptLeft, when: When): string[] {
  const about = `stage ${entry.stage}: after the call ${entry.call_id} was over`;
  const named = copies.flatMap(([file, place]) => {
    if (place === null && when === 'before') return [];
    return [`${path.relative(root, file)} (${place === null ? 'no copy of it is whole' : `as it was: ${place}`})`];
  });
  const words =
    named.length === 0
      ? []
      : [`${about}, files that it is judged by were changed by another process, and not put back: ${firstOf(named)}`];
  if (why !== null)
    words.push(`${about}, files were changed; how they were cannot be written down (${why}), and stays in ${folder}`);
  return words;
}

const NAMED = 3;

const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`;

/** A change after the end of the call is the user's work. */
const isBefore = (end: WatchedCallEnd | null, { changedNs }: FileLook): boolean => end === null || changedNs <= end.ns;

/** For a removed file, uses the time of its folder. Another change in that folder since then hides it. */
function isGoneBefore(end: WatchedCallEnd | null, file: string): boolean {
  let look: FileLook | null = null;
  for (let at = path.dirname(file); look === null && at !== path.dirname(at); at = path.dirname(at)) look = lookAt(at);
  return look === null || isBefore(end, look);
}

/** Runs write only to other places. */
const isAddedByNoRun = ({ root, inputs }: TaskFolder, file: string): boolean =>
  path.dirname(file) === root ||
  (file.startsWith(inputs + path.sep) && !file.startsWith(path.join(inputs, 'prompt') + path.sep));

/** An edited view would be taken for the user's request. */
function forgetEdits(task: TaskFolder, end: WatchedCallEnd | null, clock: () => Date): boolean {
  const file = path.join(task.state, 'stats.json');
  const look = lookAt(file);
  if (look === null || !isBefore(end, look)) return false;
  if (isRegular(file) && !hasEdits(openJournal(task.root, clock))) return false;
  setAside(file, clock);
  return true;
}
