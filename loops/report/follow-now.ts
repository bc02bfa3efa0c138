// Follows what runs now, in named tasks or all tasks of a folder: watches folders, and yields each step with its changes.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises';
import { byText } from '../../policies/text/display.ts';
import { readEntries, registerFolder } from '../../state/calls/call-register.ts';
import { isFolder } from '../../state/disk/regular-file.ts';
import { createFolderWatch, mostAtRest } from '../../state/folder-watch.ts';
import { missingTask } from '../../state/missing-task.ts';
import { queueFolder } from '../../state/queue/tickets.ts';
import { locateTask, projectState, TASK_ID, userState } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { sessionLines } from '../session/change-sessions.ts';
import type { NowChange, NowTask, NowWait, RunsNow } from './now.ts';
import { stampOf, stateFolderOf, taskNow } from './task-now.ts';
import { type WaitingTicket, waitingIn } from './waiting.ts';

interface NowPlaces {
  /** The folder that holds the tasks. */
  folder: string;
  /** The folder of each named task; null for all. */
  named: string[] | null;
}

/** @param words tasks, each an id or a path; none for all of the project of `cwd`. */
export function placesOf(
  words: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
): { how: 'found'; places: NowPlaces } | { how: 'invalid'; message: string } {
  const folder = path.join(projectState(cwd, environment), 'task');
  if (words.length === 0) return { how: 'found', places: { folder, named: null } };
  const named = new Set<string>();
  for (const word of words) {
    const located = locateTask(word, cwd, environment);
    if (located.how === 'invalid') return located;
    const { root } = located.folder;
    if (!isFolder(root)) return { how: 'invalid', message: missingTask(root) };
    named.add(root);
  }
  const [first] = named;
  return { how: 'found', places: { folder: path.dirname(first!), named: [...named] } };
}

export function foldersOf({ folder, named }: NowPlaces): string[] {
  if (named !== null) return named;
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && TASK_ID.test(entry.name))
      .map(({ name }) => path.join(folder, name));
  } catch {
    // The folder is gone or not made yet, so it has no tasks.
    return [];
  }
}

interface FollowingNow {
  places: NowPlaces;
  environment: NodeJS.ProcessEnv;
  /** Ends the iteration, after one last step. */
  stop: AbortSignal;
  clock: () => Date;
  /** Tests use other values. */
  bounds?: FollowBounds;
}

interface FollowBounds {
  /** The time between two full checks, which find a death and changes on a file system without events. */
  sweepMs: number;
  /** How many tasks at rest have watched folders. The others are checked at registered calls and sweeps. */
  atRest: number;
}

const boundsHere = (): FollowBounds => ({ sweepMs: 2000, atRest: mostAtRest() });

/** A step may also come without a change; then both lists are empty. */
interface NowStep {
  now: RunsNow;
  changes: NowChange[];
  /** Folders of the tasks that differ from the previous step; at the first step, of all tasks. */
  moved: string[];
}

/** Changes in quick succession become one step; after a quiet time, a change is reported sooner. */
const GATHER_MS = { inARow: 80, afterRest: 20 };

const REST_MS = 500;

interface Followed {
  /** null for a task at rest; there may be very many. */
  task: ReturnType<typeof taskNow> | null;
  /** The state at the last look. */
  seen: NowTask | null;
  /** The stamp of the journal at the last look, and the folder in which its next change appears. */
  stamp: string;
  folder: string;
  /** Whether the task was named, or has been running since it is followed: then its tokens are counted too. */
  detail: boolean;
  /** Its place in the queue at the last look. */
  line: string;
}

/** After this number of looks, other work in this process gets a turn. */
const LOOKS_A_BREATH = 20;

/** The first step is the current state. Writes nothing. */
export async function* followNow(following: FollowingNow): AsyncGenerator<NowStep> {
  const { places, environment, stop, clock, bounds: { sweepMs, atRest } = boundsHere() } = following;
  const self = (await identify(process.pid))!;
  const stateFolder = path.dirname(places.folder);
  const lines = linesOf(stateFolder, environment);
  const register = registerFolder(environment);
  const others = [...lines, places.folder, ...(register === null ? [] : [register])];
  const watched = createFolderWatch();
  const followed = new Map<string, Followed>();
  let owners: ReadonlyMap<string, string> = new Map();
  let last: RunsNow | null = null;
  let waiting: WaitingTicket[] = [];
  let isFirst = true;
  let sweptAt = 0;
  let looks = 0;
  try {
    for (;;) {
      const changedFolders = watched.take();
      const now = clock();
      // A task that appears or disappears in the folder of the tasks also triggers a sweep.
      const isSweep = isFirst || changedFolders.has(places.folder) || performance.now() - sweptAt >= sweepMs;
      if (isSweep) sweptAt = performance.now();
      if (isSweep || lines.some((folder) => changedFolders.has(folder)))
        waiting = await waitingIn(stateFolder, environment, { self, clock });
      if (isSweep) takeUp(followed, places);
      const stirred = new Set([...changedFolders.keys()].flatMap((folder) => owners.get(folder) ?? []));
      // A task at rest may not be watched, but its call is registered.
      if (register !== null && changedFolders.has(register)) for (const root of calledIn(register)) stirred.add(root);
      const changes: NowChange[] = [];
      const moved: string[] = [];
      const looked = new Set(others);
      for (const [root, each] of followed) {
        const { task, seen } = each;
        const waits = waitOf(waiting, root);
        const line = JSON.stringify(waits);
        const isDue =
          seen === null ||
          stirred.has(root) ||
          task?.isBehind() === true ||
          line !== each.line ||
          (isSweep && (seen.state === 'running' || places.named !== null || stampOf(root) !== each.stamp));
        if (!isDue) continue;
        looks += 1;
        if (looks % LOOKS_A_BREATH === 0) await breathe();
        const stamp = stampOf(root);
        const looking = task ?? taskNow(root);
        const after = await looking.look({ self, now, waits, detail: each.detail });
        // A task that has never run has only its manifest.
        const isRewritten = after.state === 'never_run' && stamp !== each.stamp;
        if (seen === null || isRewritten || JSON.stringify(after) !== JSON.stringify(seen)) moved.push(root);
        changes.push(...changesOf(isFirst ? null : (seen ?? NEVER(after)), after, now.toISOString()));
        const detail = each.detail || after.state === 'running';
        if (!detail) looking.close();
        const folder = stateFolderOf(root);
        looked.add(folder);
        followed.set(root, { task: detail ? looking : null, seen: after, stamp, folder, detail, line });
        // A task that is gone is reported only once.
        if (after.state === 'gone' && places.named === null) close(followed, root);
        if (stop.aborted) break;
      }
      const isSame: boolean = last !== null && looked.size === others.length;
      last = isSame ? { ...last!, at: now.toISOString() } : snapshot(followed, places, now);
      yield { now: last, changes, moved };
      if (stop.aborted) return;
      isFirst = false;
      if (!isSame) owners = ownersIn(followed, atRest);
      watched.keep(new Set([...others, ...owners.keys()]), looked);
      const isBehind = [...followed.values()].some(({ task }) => task?.isBehind() === true);
      const since = performance.now();
      if (!isBehind) await watched.change(sweepMs, stop);
      const gatherMs = performance.now() - since < REST_MS ? GATHER_MS.inARow : GATHER_MS.afterRest;
      await delay(gatherMs, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    watched.close();
    for (const root of [...followed.keys()]) close(followed, root);
  }
}

function takeUp(followed: Map<string, Followed>, places: NowPlaces): void {
  for (const root of foldersOf(places))
    if (!followed.has(root))
      followed.set(root, {
        task: null,
        seen: null,
        stamp: '',
        folder: '',
        detail: places.named !== null,
        line: 'null',
      });
}

/** Returns the tasks with a call in progress. */
function calledIn(register: string): string[] {
  try {
    return readEntries(register).flatMap((call) => (call.how === 'read' ? (call.entry.task ?? []) : []));
  } catch {
    // The register may not be readable, or other users may write to it: the sweep must find the calls.
    return [];
  }
}

function close(followed: Map<string, Followed>, root: string): void {
  followed.get(root)?.task?.close();
  followed.delete(root);
}

/** A task that appeared during the watch began without a state. */
const NEVER = (task: NowTask): NowTask => ({
  ...task,
  state: 'never_run',
  since: null,
  running: [],
  waits: null,
  message: null,
});

/** Maps each watched folder to its task: of running tasks all folders, of the others the last `mostResting`. */
function ownersIn(followed: ReadonlyMap<string, Followed>, mostResting: number): Map<string, string> {
  const owners = new Map<string, string>();
  const isBusy = ({ seen }: Followed) => seen?.state === 'running';
  let resting = 0;
  for (const [root, each] of followed) {
    if (!isBusy(each)) resting += 1;
    else for (const folder of [each.folder, ...(each.task?.folders() ?? [])]) owners.set(folder, root);
  }
  let skipped = Math.max(0, resting - mostResting);
  for (const [root, each] of followed) if (!isBusy(each) && skipped-- <= 0) owners.set(each.folder, root);
  return owners;
}

function linesOf(stateFolder: string, environment: NodeJS.ProcessEnv): string[] {
  const own = userState(environment);
  return [queueFolder(stateFolder), sessionLines(stateFolder), ...(own === null ? [] : [path.join(own, 'sessions')])];
}

function waitOf(waiting: readonly WaitingTicket[], root: string): NowWait | null {
  const found = waiting.find(({ task_id }) => task_id === path.basename(root));
  return found === undefined ? null : { what: found.what, behind: found.behind, stage: found.stage };
}

function snapshot(followed: ReadonlyMap<string, Followed>, { folder }: NowPlaces, at: Date): RunsNow {
  const tasks = [...followed.values()].flatMap(({ seen }) => (seen === null ? [] : [seen]));
  const totals: RunsNow['totals'] = { tasks: tasks.length, ...NONE };
  for (const { state } of tasks) totals[state] += 1;
  return { schema: 1, at: at.toISOString(), folder, totals, tasks: tasks.sort(byWork) };
}

const NONE: Omit<RunsNow['totals'], 'tasks'> = {
  running: 0,
  done: 0,
  failed: 0,
  interrupted: 0,
  refused: 0,
  parked: 0,
  never_run: 0,
  unreadable: 0,
  gone: 0,
};

function byWork(a: NowTask, b: NowTask): number {
  const [aWorks, bWorks] = [a.state === 'running', b.state === 'running'];
  if (aWorks !== bWorks) return aWorks ? -1 : 1;
  const order = byText(a.since ?? '', b.since ?? '');
  return (aWorks ? order : -order) || byText(a.task_id, b.task_id);
}

/** @param before null for a task without an earlier look: only what is in progress counts as a change. */
export function changesOf(before: NowTask | null, after: NowTask, at: string): NowChange[] {
  const { task_id, folder, state, running, waits } = after;
  const head = { at, task_id, folder };
  if (state === 'gone') return before === null || before.state === 'gone' ? [] : [{ ...head, change: 'gone' }];
  if (state === 'unreadable')
    return before?.message === after.message ? [] : [{ ...head, change: 'unreadable', message: after.message ?? '' }];
  const changes: NowChange[] = [];
  if (state === 'running' && before?.state !== 'running') changes.push({ ...head, change: 'began' });
  const known = new Map((before?.running ?? []).map((call) => [call.call_id, call]));
  const still = new Set(running.map(({ call_id }) => call_id));
  for (const call of known.values())
    if (!still.has(call.call_id)) changes.push({ ...head, change: 'call_ended', call });
  for (const call of running) {
    const earlier = known.get(call.call_id);
    if (earlier === undefined) changes.push({ ...head, change: 'called', call });
    if (call.last !== null && call.last !== (earlier?.last ?? null)) changes.push({ ...head, change: 'said', call });
  }
  if (waits !== null && JSON.stringify(waits) !== JSON.stringify(before?.waits ?? null))
    changes.push({ ...head, change: 'waits', waits });
  if (hasEnded(before, after)) {
    const { stage, class: errorClass, reason } = after;
    changes.push({ ...head, change: 'ended', state, stage, class: errorClass, reason });
  }
  return changes;
}

/** Also detects a run that began and ended between two looks. */
function hasEnded(before: NowTask | null, { state, since }: NowTask): boolean {
  if (before === null || state === 'running' || state === 'never_run') return false;
  return before.state !== state || before.since !== since;
}
