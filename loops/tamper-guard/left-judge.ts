// What a run that was killed kept of what it was judged by: the next run puts back what the agent changed that outlived it.

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
import { setAside } from '../../state/disk/set-aside.ts';
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
  /** By call: what its gate is to say of it. */
  findings: Map<string, Finding>;
}

type When = 'before' | 'after';

/**
 * @param when `before` anything of the task is read, and again `after` its calls are settled: then what was kept is of no more use.
 */
export async function recoverJudge(recovering: RecoveringJudge, when: When): Promise<RecoveredJudge> {
  const { task, register, clock } = recovering;
  const recovered: RecoveredJudge = { notes: [], findings: new Map() };
  const left = callEntries(register).filter(({ entry }) => entry.task === task.root);
  const self = left.length === 0 ? null : (await identify(process.pid))!;
  let isAnyNeeded = false;
  for (const call of left) {
    if ((await isAlive(call.entry.dispatcher, self!)) !== 'dead') continue;
    let isNeeded = false;
    // Judged, and only the other tasks were not looked at: nothing of its own is to be put back.
    if (isCallOver(call.folder)) {
      if (when === 'before') continue;
    } else if (wasAsked(task, call.entry.call_id)) isNeeded = recoverOne(recovering, call, when, recovered);
    else removeCallEntry(call.folder);
    if (when === 'before') continue;
    const end = endOf(call.entry, register);
    const ended = { ...call, to: end?.at ?? null, toNs: end?.ns ?? null };
    recovered.notes.push(...noteChanges(register, [ended]).values());
    isAnyNeeded ||= isNeeded;
    if (!isNeeded) removeCallEntry(call.folder);
  }
  // Not before, and not while its own are needed: these are of use, however old they are.
  if (when === 'after' && !isAnyNeeded) removeOldCalls(register, clock());
  return recovered;
}

/** Killed before its guardian began: no agent has run, and what is different is a person's work. */
function wasAsked(task: TaskFolder, callId: string): boolean {
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

/** @returns whether the copies in the register are the only ones of something that is otherwise now. */
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
  const left: LeftFile[] = [];
  let isDated = end !== null;
  const isOurs = (file: string, before: KeptFile | null, now: FileLook | null) => {
    if (now === null) isDated &&= isGoneBefore(end, file);
    // To return what was taken away costs nobody anything, whoever took it, and our own putting back may have been cut short.
    if (now === null || isBefore(end, now)) return true;
    if (before === null) return isUnfinished(file, kept.files);
    left.push({ file, before });
    return false;
  };
  const present = () => ownFiles(task).filter((file) => isAddedByNoRun(task, file));
  const tampered = putBack(kept, { present, aside, clock, isOurs });
  vouchFor(register, task, tampered);
  const leftAlone = keepLeft(left, keeping);
  into.notes.push(...leftWords(root, call, leftAlone, when));
  const missing = tampered.map((each) => describe({ root }, each));
  if (forgetEdits(task, end, clock)) missing.push('state/stats.json (modified; set aside, and made anew)');
  if (missing.length > 0) {
    const whose = isDated ? 'before it was over, by its agent or by somebody else' : 'by its agent or by somebody else';
    const where = lookAt(aside) === null ? '' : `; what stood there is in ${aside}`;
    into.notes.push(
      `stage ${stage}: the run that waited for the call ${call_id} was killed, and files that it is judged by were changed since, ${whose}: ${firstOf(missing)}${where}`,
    );
    into.findings.set(call_id, tamperedFinding(missing, aside));
  }
  return leftAlone.why !== null;
}

/** What has no copy is told as the entry goes. */
function leftWords(root: string, { entry, folder }: RegisteredWatch, { told, why }: KeptLeft, when: When): string[] {
  const about = `stage ${entry.stage}: after the call ${entry.call_id} was over`;
  const named = told.flatMap(([file, place]) => {
    if (place === null && when === 'before') return [];
    return [`${path.relative(root, file)} (${place === null ? 'no copy of it is whole' : `as it was: ${place}`})`];
  });
  const words =
    named.length === 0
      ? []
      : [`${about}, files that it is judged by were changed, and left as somebody's work: ${firstOf(named)}`];
  if (why !== null)
    words.push(`${about}, files were changed; how they were cannot be written down (${why}), and stays in ${folder}`);
  return words;
}

const NAMED = 3;

const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ''}`;

/** What was changed after the call was over is a person's work. */
const isBefore = (end: WatchedCallEnd | null, { changedNs }: FileLook): boolean => end === null || changedNs <= end.ns;

/** Of what was taken away the folder tells, unless anything else was done there since. */
function isGoneBefore(end: WatchedCallEnd | null, file: string): boolean {
  let look: FileLook | null = null;
  for (let at = path.dirname(file); look === null && at !== path.dirname(at); at = path.dirname(at)) look = lookAt(at);
  return look === null || isBefore(end, look);
}

/** The runs themselves write elsewhere. */
const isAddedByNoRun = ({ root, inputs }: TaskFolder, file: string): boolean =>
  path.dirname(file) === root ||
  (file.startsWith(inputs + path.sep) && !file.startsWith(path.join(inputs, 'prompt') + path.sep));

/** An edited view would be taken for a person's wish. */
function forgetEdits(task: TaskFolder, end: WatchedCallEnd | null, clock: () => Date): boolean {
  const file = path.join(task.state, 'stats.json');
  const look = lookAt(file);
  if (look === null || !isBefore(end, look)) return false;
  if (isRegular(file) && !hasEdits(openJournal(task.root, clock))) return false;
  setAside(file, clock);
  return true;
}
