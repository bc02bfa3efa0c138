// Restores guarded files after a killed run; keeps a task closed that a fleet has, or that another task's agent changed.

import path from 'node:path';
import { firstNames } from '../../policies/text/display.ts';
import {
  type CallEntry,
  type ChangeEntry,
  callEntries,
  changesOf,
  forgetChanges,
  judgeRegister,
  vouchedIn,
} from '../../state/calls/judge-register.ts';
import { locateTask, projectState } from '../../state/task-folder.ts';
import { submittedMistake } from '../task/claim.ts';
import type { RunContext } from '../task/run-context.ts';
import type { RunOptions } from '../task/run-options.ts';
import { type FoundTask, rootOf } from '../task/task.ts';
import { approveAll, changesDuring, endOf, stampIn } from './other-tasks.ts';
import { type Recovered, recoverFiles } from './recover.ts';

interface GuardedTask {
  task: { id: string; root: string };
  /** The user's register, in which runs record the changes that they saw. */
  register: string;
  /** The project's `.tmp`. */
  stateFolder: string;
}

interface Inspecting extends RunOptions {
  /** The task: an id or a path. */
  word: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
}

/** `found`: the task, if it is still as it was found; null if the caller must find it itself. */
type Inspected = { how: 'open'; found: FoundTask | null } | { how: 'invalid'; message: string };

type Entered = Inspected & ({ how: 'open'; recovered: Recovered } | { how: 'invalid' });

/** Before a run reads its task or pays. Returns `invalid` if the task is closed until the user has checked it. */
export async function enterTask(entering: Inspecting & RunContext): Promise<Entered> {
  const { otherChanges, clock, say } = entering;
  const found = findTask(entering);
  const submitted = found === null ? null : submittedMistake(found.task, entering);
  if (submitted !== null) return { how: 'invalid', message: submitted };
  const recovered: Recovered =
    found === null ? { notes: [], findings: new Map() } : await recoverFiles({ ...found, clock }, 'before');
  // The caller that opens the task reports why it was not found.
  if (found === null) return { how: 'open', recovered, found };
  for (const note of recovered.notes) say(note);
  if (otherChanges === 'accepted') acceptChanges(found);
  const closed = closedBy(found);
  if (closed !== null) return { how: 'invalid', message: closed };
  // One of the restored files may be the manifest.
  const isAsFound = recovered.notes.length === 0 && recovered.findings.size === 0;
  return { how: 'open', recovered, found: isAsFound ? found : null };
}

/** For a caller that only reads the task. Returns `invalid` with the reason why a run would not begin. */
export function inspectTask(inspecting: Inspecting): Inspected {
  const found = findTask(inspecting);
  const submitted = found === null ? null : submittedMistake(found.task, inspecting);
  if (submitted !== null) return { how: 'invalid', message: submitted };
  const closed = found === null || inspecting.otherChanges === 'accepted' ? null : closedBy(found);
  return closed === null ? { how: 'open', found } : { how: 'invalid', message: closed };
}

/** Returns null for a missing task. The caller that opens the task reports that. */
function findTask({ word, cwd, environment }: Inspecting): (FoundTask & GuardedTask) | null {
  const located = locateTask(word, cwd, environment);
  if (located.how === 'invalid') return null;
  const task = located.folder;
  const root = rootOf(task, cwd, environment);
  const stateFolder = projectState(root, environment);
  return { task, root, stateFolder, register: judgeRegister(environment, stateFolder) };
}

/** Returns why the task is closed, whose call changed it and how to open it; null if it is open. */
export function closedBy(guarded: GuardedTask): string | null {
  const { task, register } = guarded;
  const vouched = vouchedIn(register, task.root);
  const isVouched = (file: string) => vouched[file] === stampIn(task.root, file);
  // A file may be missing because a run put back its folder, or a file in the place of its folder. That is not a change.
  const isStill = (file: string) =>
    !isVouched(file) && !(stampIn(task.root, file) === '' && foldersAbove(file).some(isVouched));
  const noted = changesOf(register, task.root)
    .map(({ by, files }) => ({ by, files: files.filter(isStill) }))
    .filter(({ files }) => files.length > 0);
  const all = [...noted, ...changesMeanwhile(guarded)];
  if (all.length === 0) return null;
  const files = [...new Set(all.flatMap((change) => change.files))].sort();
  const calls = all.slice(0, NAMED).map(callWords).join('; ');
  return `files that ${task.id} is judged by were changed while another task's agent ran: ${firstNames(files, NAMED)} (${calls}). Nothing was started. Look at them in ${task.root}; if they are as you want them: tollgate run ${task.id} --accept-changes`;
}

const NAMED = 5;

/** `a/b/c` is in `a/b` and in `a`. */
function foldersAbove(file: string): string[] {
  const folder = path.dirname(file);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

type Change = Pick<ChangeEntry, 'by' | 'files'>;

const callWords = ({ by }: Change): string =>
  `task ${by.task_id}, stage ${by.stage}, call ${by.call_id}, ${by.from} to ${by.to ?? 'now'}`;

/** Looks at the task once for all calls of other tasks that run, or that nobody has examined yet. */
function changesMeanwhile({ task, register, stateFolder }: GuardedTask): Change[] {
  // A task that was made during the call had no guarded files before it.
  const isOfOther = (entry: CallEntry) =>
    entry.state_folder === stateFolder && entry.task !== task.root && entry.tasks.includes(task.id);
  if (task.root !== path.join(stateFolder, 'task', task.id)) return [];
  const calls = callEntries(register).filter(({ entry }) => isOfOther(entry));
  if (calls.length === 0) return [];
  const during = changesDuring(register, task.root);
  return calls.flatMap((call) => {
    // The end of the call is only needed if anything has changed since its beginning.
    if (during({ ...call, to: null, toNs: null }) === null) return [];
    return during({ ...call, ...endOf(call.entry, register) }) ?? [];
  });
}

/** Applies the user's acceptance: the present state counts, and the recorded changes are deleted. */
function acceptChanges({ task, register }: GuardedTask): void {
  const changed = changesOf(register, task.root).flatMap(({ files }) => files);
  approveAll(register, task.root, changed);
  forgetChanges(register, task.root);
}
