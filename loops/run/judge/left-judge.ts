// What a run that was killed kept of what it was judged by: the next run puts back what the agent changed that outlived it.

import path from 'node:path';
import type { Finding } from '../../../policies/gate.ts';
import { isRegular } from '../../../state/disk/regular-file.ts';
import { setAside } from '../../../state/disk/set-aside.ts';
import { JournalError, openJournal } from '../../../state/journal.ts';
import { callEntries, type Registered, removeCallEntry, removeOldCalls } from '../../../state/judge-register.ts';
import { hasEdits } from '../../../state/stats.ts';
import { isSystemError } from '../../../state/system-error.ts';
import type { TaskFolder } from '../../../state/task-folder.ts';
import { identify, isAlive } from '../../../wrappers/processes/identity.ts';
import { type CallEnd, endOf } from './call-end.ts';
import { type Look, lookAt } from './file-look.ts';
import { describe, tamperedFinding } from './judge.ts';
import { ownFiles } from './judge-files.ts';
import type { KeptFile } from './kept-files.ts';
import { putBack } from './put-back.ts';
import { isUnfinished } from './restored-file.ts';
import { loadJudge } from './saved-judge.ts';
import { noteChanges, vouchFor } from './watched-call.ts';

export interface Recovering {
  task: TaskFolder;
  /** The project's root. */
  root: string;
  register: string;
  clock: () => Date;
}

export interface Recovered {
  notes: string[];
  /** By call: what its gate is to say of it. */
  findings: Map<string, Finding>;
}

/**
 * @param when `before` anything of the task is read, and again `after` its calls are settled: then what was kept is of no more use.
 */
export async function recoverJudge(recovering: Recovering, when: 'before' | 'after'): Promise<Recovered> {
  const { task, register } = recovering;
  const recovered: Recovered = { notes: [], findings: new Map() };
  removeOldCalls(register, recovering.clock());
  const left = callEntries(register).filter(({ entry }) => entry.task === task.root);
  if (left.length === 0) return recovered;
  const self = (await identify(process.pid))!;
  for (const call of left) {
    if ((await isAlive(call.entry.dispatcher, self)) !== 'dead') continue;
    if (wasAsked(task, call.entry.call_id)) recoverOne(recovering, call, recovered);
    else removeCallEntry(call.folder);
    if (when === 'before') continue;
    const end = endOf(call.entry, register);
    recovered.notes.push(...noteChanges(register, call, end?.at ?? null, end?.ns ?? null));
    removeCallEntry(call.folder);
  }
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

function recoverOne({ task, root, register, clock }: Recovering, call: Registered, into: Recovered): void {
  const { call_id, stage } = call.entry;
  const kept = loadJudge(call.folder);
  if (kept === null) {
    into.notes.push(`stage ${stage}: what the call ${call_id} was judged by cannot be read any more (${call.folder})`);
    return;
  }
  const end = endOf(call.entry, register);
  const aside = path.join(task.attempts, call_id, 'changed-by-agent');
  // To return what was taken away costs nobody anything, and our own putting back may have been cut short.
  const isOurs = (file: string, before: KeptFile | null, now: Look | null) =>
    now === null || isBefore(end, file, now) || (before === null && isUnfinished(file, kept.files));
  const present = () => ownFiles(task).filter((file) => isAddedByNoRun(task, file));
  const tampered = putBack(kept, { present, aside, clock, isOurs });
  vouchFor(register, task, tampered);
  const missing = tampered.map((each) => describe({ root }, each));
  if (forgetEdits(task, end, clock)) missing.push('state/stats.json (modified; set aside, and made anew)');
  if (missing.length === 0) return;
  const whose =
    end === null ? 'by its agent or by somebody else' : 'before it was over, by its agent or by somebody else';
  into.notes.push(
    `stage ${stage}: the run that waited for the call ${call_id} was killed, and files that it is judged by were changed since, ${whose}: ${missing.slice(0, NAMED).join(', ')}${missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''}; what stood there is in ${aside}`,
  );
  into.findings.set(call_id, tamperedFinding(missing, aside));
}

const NAMED = 3;

/** What was changed after the call was over is a person's work; of what was taken away the folder tells. */
function isBefore(end: CallEnd | null, file: string, now: Look | null): boolean {
  if (end === null) return true;
  let look = now;
  for (let at = path.dirname(file); look === null && at !== path.dirname(at); at = path.dirname(at)) look = lookAt(at);
  return look === null || look.changedNs <= end.ns;
}

/** The runs themselves write elsewhere. */
const isAddedByNoRun = ({ root, inputs }: TaskFolder, file: string): boolean =>
  path.dirname(file) === root ||
  (file.startsWith(inputs + path.sep) && !file.startsWith(path.join(inputs, 'prompt') + path.sep));

/** An edited view would be taken for a person's wish. */
function forgetEdits(task: TaskFolder, end: CallEnd | null, clock: () => Date): boolean {
  const file = path.join(task.state, 'stats.json');
  const look = lookAt(file);
  if (look === null || !isBefore(end, file, look)) return false;
  if (isRegular(file) && !hasEdits(openJournal(task.root, clock))) return false;
  setAside(file, clock);
  return true;
}
