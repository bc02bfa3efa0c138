// The door of a task: closed where files that it is judged by were changed while another task's agent ran, until a person has looked.

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
  /** Of the user, where runs note what they saw. */
  register: string;
  /** The project's `.tmp`. */
  stateFolder: string;
}

type Found = FoundTask & TaskDoor;

export interface JudgedTask {
  /** The task: an id, or a path. */
  word: string;
  cwd: string;
  environment: NodeJS.ProcessEnv;
}

/** null for a task that is not there; whoever opens it says so. */
export function doorOf({ word, cwd, environment }: JudgedTask): Found | null {
  const located = locateTask(word, cwd, environment);
  if (located.how === 'invalid') return null;
  const task = located.folder;
  const root = rootOf(task, cwd, environment);
  const stateFolder = projectState(root, environment);
  return { task, root, stateFolder, register: judgeRegister(environment, stateFolder) };
}

/** Why it is closed, with whose call it was and the way out; null where it is open. */
export function closedBy(door: TaskDoor): string | null {
  const { task, register, stateFolder } = door;
  const vouched = vouchedIn(register, task.root);
  const stampOf = (file: string) => lookAtJudged(task.root, path.join(task.root, file))?.stamp ?? '';
  const isVouched = (file: string) => vouched[file] === stampOf(file);
  // What is gone from a folder, or from the place of a file, that a run put back went with that.
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

/** `a/b/c` lies in `a/b` and in `a`. */
function waysTo(file: string): string[] {
  const folder = path.dirname(file);
  return folder === '.' ? [] : [folder, ...waysTo(folder)];
}

const callWords = ({ by }: Pick<ChangeEntry, 'by'>): string =>
  `task ${by.task_id}, stage ${by.stage}, call ${by.call_id}, ${by.from} to ${by.to ?? 'now'}`;

/** One that was made meanwhile was judged by nothing before. */
const isOfOther = (entry: CallEntry, { id, root }: TaskDoor['task'], stateFolder: string): boolean =>
  entry.state_folder === stateFolder && entry.task !== root && namesTask(entry, id);

/** The calls of a batch name the same thousand tasks, and each door asks each of them. */
const idsOf = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Was a task of that id there when the call began? */
function namesTask({ tasks }: CallEntry, id: string): boolean {
  const ids = idsOf.get(tasks) ?? new Set(tasks);
  idsOf.set(tasks, ids);
  return ids.has(id);
}

/** One look for all of them: of many that are over since a moment few changed anything. */
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
    // When it was over is asked only where anything has changed since it began.
    if (changed({ fromNs: beganNs, toNs: null }, known).length === 0) return [];
    const end = endOf(entry, register);
    const files = changed({ fromNs: beganNs, toNs: end?.ns ?? null }, known);
    if (files.length === 0) return [];
    const { task_id, stage, call_id } = entry;
    const from = new Date(Number(beganNs / 1_000_000n)).toISOString();
    return [{ by: { task_id, stage, call_id, from, to: end?.at ?? null }, files }];
  });
}

/** A person has looked: what is there now counts, whatever was noted. */
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
