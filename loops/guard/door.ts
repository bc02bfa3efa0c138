// Keeps a task closed until the user has checked its judge files, if they changed while another task's agent ran.

import path from 'node:path';
import {
  type CallEntry,
  type ChangeEntry,
  callEntries,
  changesOf,
  forgetChanges,
  judgeRegister,
  namesIn,
  type RegisteredWatch,
  vouch,
  vouchedIn,
} from '../../state/calls/judge-register.ts';
import { locateTask, projectState, type TaskFolder } from '../../state/task-folder.ts';
import { type FoundTask, rootOf } from '../task/task.ts';
import { endOf } from './call-end.ts';
import { lookAt } from './file-look.ts';
import { lookAtJudged } from './folder-names.ts';
import { changesIn, judgedBy } from './other-tasks.ts';
import { hasYounger } from './younger-files.ts';

interface TaskDoor {
  task: Pick<TaskFolder, 'id' | 'root'>;
  /** The user's register, in which runs record the changes that they saw. */
  register: string;
  /** The project's `.tmp`. */
  stateFolder: string;
}

type Found = FoundTask & TaskDoor;

export interface JudgedTask {
  /** The task: an id or a path. */
  word: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
}

/** Returns null for a missing task. The caller that opens the task reports that. */
export function doorOf({ word, cwd, environment }: JudgedTask): Found | null {
  const located = locateTask(word, cwd, environment);
  if (located.how === 'invalid') return null;
  const task = located.folder;
  const root = rootOf(task, cwd, environment);
  const stateFolder = projectState(root, environment);
  return { task, root, stateFolder, register: judgeRegister(environment, stateFolder) };
}

/** Returns why the task is closed, whose call changed it and how to open it; null if it is open. */
export function closedBy(door: TaskDoor): string | null {
  const { task, register, stateFolder } = door;
  const vouched = vouchedIn(register, task.root);
  const stampOf = (file: string) => lookAtJudged(task.root, path.join(task.root, file))?.stamp ?? '';
  const isVouched = (file: string) => vouched[file] === stampOf(file);
  // A file may be missing because a run put back its folder, or a file in the place of its folder. That is not a change.
  const isStill = (file: string) => !isVouched(file) && !(stampOf(file) === '' && waysTo(file).some(isVouched));
  const noted = changesOf(register, task.root)
    .map((change) => ({ ...change, files: change.files.filter(isStill) }))
    .filter(({ files }) => files.length > 0);
  const others =
    task.root === path.join(stateFolder, 'task', task.id)
      ? callEntries(register).filter(({ entry }) => isOfOther(entry, task, stateFolder))
      : [];
  const running = meanwhile(door, others);
  const all = [...noted, ...running];
  if (all.length === 0) return null;
  const files = [...new Set(all.flatMap((change) => change.files))].sort();
  const calls = all.slice(0, NAMED).map(callWords).join('; ');
  return `files that ${task.id} is judged by were changed while another task's agent ran: ${files.slice(0, NAMED).join(', ')}${files.length > NAMED ? ` and ${files.length - NAMED} more` : ''} (${calls}). Nothing was started. Look at them in ${task.root}; if they are as you want them: tollgate run ${task.id} --accept-changes`;
}

const NAMED = 5;

/** `a/b/c` is in `a/b` and in `a`. */
function waysTo(file: string): string[] {
  const folder = path.dirname(file);
  return folder === '.' ? [] : [folder, ...waysTo(folder)];
}

const callWords = ({ by }: Pick<ChangeEntry, 'by'>): string =>
  `task ${by.task_id}, stage ${by.stage}, call ${by.call_id}, ${by.from} to ${by.to ?? 'now'}`;

/** A task that was made during the call had no judge files before it. */
const isOfOther = (entry: CallEntry, { id, root }: TaskDoor['task'], stateFolder: string): boolean =>
  entry.state_folder === stateFolder && entry.task !== root && namesTask(entry, id);

/** Cached, because all calls of a batch name the same thousand tasks, and each door checks each call. */
const idsOf = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Returns whether a task of that id existed when the call began. */
function namesTask({ tasks }: CallEntry, id: string): boolean {
  const ids = idsOf.get(tasks) ?? new Set(tasks);
  idsOf.set(tasks, ids);
  return ids.has(id);
}

/** Looks at the task once for all calls, because few of many calls have changed anything. */
function meanwhile(
  { task, register }: TaskDoor,
  calls: readonly RegisteredWatch[],
): Pick<ChangeEntry, 'by' | 'files'>[] {
  const beganMs = Math.min(...calls.map(({ beganNs }) => Number(beganNs / 1_000_000n)));
  if (calls.length === 0 || !hasYounger(task.root, beganMs)) return [];
  const changed = changesIn(task.root);
  const vouched = vouchedIn(register, task.root);
  return calls.flatMap(({ entry, beganNs }) => {
    const known = { vouched, names: namesIn(entry, task.id) };
    // The end of the call is only needed if anything has changed since its beginning.
    if (changed({ fromNs: beganNs, toNs: null }, known).length === 0) return [];
    const end = endOf(entry, register);
    const files = changed({ fromNs: beganNs, toNs: end?.ns ?? null }, known);
    if (files.length === 0) return [];
    const { task_id, stage, call_id } = entry;
    const from = new Date(Number(beganNs / 1_000_000n)).toISOString();
    return [{ by: { task_id, stage, call_id, from, to: end?.at ?? null }, files }];
  });
}

/** Applies the user's acceptance: the present state counts, and the recorded changes are deleted. */
export function acceptChanges({ task, register }: TaskDoor): void {
  const files = [...judgedBy(task.root)].map(([file, { stamp }]) => [path.relative(task.root, file), stamp] as const);
  const stats = lookAtJudged(task.root, path.join(task.root, STATS));
  const noted = changesOf(register, task.root).flatMap((change) => change.files);
  const gone = [...noted, 'inputs']
    .filter((file) => lookAt(path.join(task.root, file)) === null)
    .map((file) => [file, ''] as const);
  const all = [...files, ...gone, ...(stats === null ? [] : [[STATS, stats.stamp] as const])];
  vouch(register, task.root, Object.fromEntries(all));
  forgetChanges(register, task.root);
}

const STATS = 'state/stats.json';
