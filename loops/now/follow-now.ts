// Follows what runs now: folders are watched, and whoever asks is given each step with what became otherwise.

import path from 'node:path';
import { setImmediate as breathe, setTimeout as delay } from 'node:timers/promises';
import { queueFolder } from '../../state/queue/tickets.ts';
import { userState } from '../../state/user-state.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { sessionLines } from '../session/change-sessions.ts';
import { type WaitingTicket, waitingIn } from '../status/waiting.ts';
import { changesOf } from './changes.ts';
import { createFolderWatch } from './folder-watch.ts';
import type { NowChange, NowTask, NowWait, RunsNow } from './now.ts';
import { foldersOf, type NowPlaces } from './places.ts';
import { type TaskNow, taskNow } from './task-now.ts';

interface FollowingNow {
  places: NowPlaces;
  environment: NodeJS.ProcessEnv;
  /** Ends it, after one last step. */
  stop: AbortSignal;
  clock: () => Date;
}

/** `changes` is empty of a step in which nothing did, which comes now and then all the same. */
interface NowStep {
  now: RunsNow;
  changes: NowChange[];
}

/** A death and a file system without events show at the next sweep. */
const SWEEP_MS = 2000;
/** What comes in a row is one step. */
const GATHER_MS = 80;
/** Of tasks at rest no more folders than these are watched: the system has a bound, and the sweep sees the others. */
const MOST_RESTING = 1000;

interface Followed {
  task: TaskNow;
  /** As it was at the last look. */
  seen: NowTask | null;
  /** Whether it was named, or at work since it is followed: then its tokens are told too. */
  detail: boolean;
  /** Where it stood in line at the last look. */
  line: string;
  /** In which the next change shows. */
  folders: string[];
}

/** After so many looks whoever else works in this process has a turn. */
const LOOKS_A_BREATH = 20;

/** The first step is how it stands; nothing is written anywhere. */
export async function* followNow({ places, environment, stop, clock }: FollowingNow): AsyncGenerator<NowStep> {
  const self = (await identify(process.pid))!;
  const stateFolder = path.dirname(places.folder);
  const lines = linesOf(stateFolder, environment);
  const watched = createFolderWatch();
  const followed = new Map<string, Followed>();
  let waiting: WaitingTicket[] = [];
  let isFirst = true;
  let sweptAt = 0;
  let looks = 0;
  try {
    for (;;) {
      const moved = watched.take();
      const now = clock();
      // What comes and goes in the folder of the tasks is a reason to look around, too.
      const isSweep = isFirst || moved.has(places.folder) || performance.now() - sweptAt >= SWEEP_MS;
      if (isSweep) sweptAt = performance.now();
      if (isSweep || lines.some((folder) => moved.has(folder)))
        waiting = await waitingIn(stateFolder, environment, { self, clock });
      if (isSweep) takeUp(followed, places);
      const changes: NowChange[] = [];
      for (const [root, each] of followed) {
        const { task, seen } = each;
        const waits = waitOf(waiting, root);
        const line = JSON.stringify(waits);
        const isDue =
          seen === null ||
          each.folders.some((folder) => moved.has(folder)) ||
          task.isBehind() ||
          line !== each.line ||
          (isSweep && (seen.state === 'running' || places.named !== null || task.hasMoved()));
        if (!isDue) continue;
        looks += 1;
        if (looks % LOOKS_A_BREATH === 0) await breathe();
        const after = await task.look({ self, now, waits, detail: each.detail });
        changes.push(...changesOf(isFirst ? null : (seen ?? NEVER(after)), after, now.toISOString()));
        const detail = each.detail || after.state === 'running';
        Object.assign(each, { seen: after, detail, line, folders: task.folders() } satisfies Partial<Followed>);
        // Nobody has to see again that it is gone.
        if (after.state === 'gone' && places.named === null) close(followed, root);
        if (stop.aborted) break;
      }
      yield { now: snapshot(followed, places, now), changes };
      if (stop.aborted) return;
      isFirst = false;
      watched.keep(new Set([...lines, places.folder, ...foldersIn(followed)]));
      const isBehind = [...followed.values()].some(({ task }) => task.isBehind());
      if (!isBehind) await watched.change(SWEEP_MS, stop);
      await delay(GATHER_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    watched.close();
    for (const root of [...followed.keys()]) close(followed, root);
  }
}

function takeUp(followed: Map<string, Followed>, places: NowPlaces): void {
  for (const root of foldersOf(places))
    if (!followed.has(root)) {
      const task = taskNow(root);
      followed.set(root, { task, seen: null, detail: places.named !== null, line: 'null', folders: [] });
    }
}

function close(followed: Map<string, Followed>, root: string): void {
  followed.get(root)?.task.close();
  followed.delete(root);
}

/** One that came while we looked has begun from nothing. */
const NEVER = (task: NowTask): NowTask => ({
  ...task,
  state: 'never_run',
  since: null,
  running: [],
  waits: null,
  message: null,
});

/** Those at work first: of the others only so many. */
function foldersIn(followed: ReadonlyMap<string, Followed>): string[] {
  const all = [...followed.values()];
  const isBusy = ({ seen }: Followed) => seen?.state === 'running';
  const resting = all.filter((each) => !isBusy(each)).slice(-MOST_RESTING);
  return [...all.filter(isBusy), ...resting].flatMap(({ folders }) => folders);
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

/** Not by the language of the machine, so that everybody sees one order. */
const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
