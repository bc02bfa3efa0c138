// Guards a CLI whose wrapper died, by the limits that it had, and polls for its end, since it is not our child process.

import { setTimeout as pause } from 'node:timers/promises';
import { sleptBetween } from '../policies/facts/deadline.ts';
import type { Ending } from '../policies/facts/evidence.ts';
import type { Requirements } from '../policies/facts/requirements.ts';
import { signallingUnread } from './following/cut.ts';
import { type Guarded, guard, heldUntil } from './guard.ts';
import { describeSurvivors, endTree, hold, membersOf, type Tree, type TreeEnd } from './processes/end-tree.ts';
import { trackMembers } from './processes/member-tracker.ts';
import { writersOf } from './processes/open-files.ts';
import { processTable } from './processes/table.ts';
import { SHORT_MS } from './processes/tree-types.ts';
import { type ReadingAdapter, read, type StreamReading } from './reading.ts';
import type { Invocation, Observer, Outcome } from './run.ts';
import { readClocks } from './steady-clock.ts';

/** What remains of a call whose wrapper died. */
export interface Orphan extends Guarded {
  requires?: Requirements;
  usage?: Invocation['usage'];
  files: { stdout: string; stderr: string; usage: string };
  tree: Tree;
  adapter: Invocation['adapter'];
  /** How long the call has been running, in milliseconds, without the time the machine slept. */
  ageMs: number;
}

interface AdoptionObserver extends Pick<Observer, 'cancelling'> {
  /** The CLI still runs, and is guarded from now on. */
  adopted(): void;
}

/**
 * Guards the rest of a call to its end, and leaves no process of it behind. Its limits continue from where they were. Of a pause
 * between two bytes, only the part after the adoption is known. When `stop` aborts, the call is ended as `cancelled`.
 * @returns the outcome, without the exit code and the duration, which no process observed.
 */
export async function adopt(orphan: Orphan, observer: AdoptionObserver, stop: AbortSignal): Promise<Outcome> {
  try {
    if (await isAtWork(orphan.tree, orphan.files.stdout)) return await attend(orphan, observer, stop);
    const end = await endTree(orphan.tree, undefined, () => signallingUnread(orphan.files));
    return {
      ...(await readOrphan(orphan.files, orphan.adapter, orphan.limits.maxOutputBytes, orphan.requires)),
      ...(await countOf(end)),
    };
  } catch (error) {
    // The error is internal or the system's. Either way the CLI must not keep running after it.
    await endTree(orphan.tree, undefined, () => signallingUnread(orphan.files));
    throw error;
  }
}

/** Reads from the files alone how a call ended whose end no process observed. */
export async function readOrphan(
  files: Orphan['files'],
  adapter: ReadingAdapter,
  maxOutputBytes?: number,
  requires?: Requirements,
): Promise<Outcome> {
  const reading = read(files, adapter, maxOutputBytes, requires);
  try {
    await reading.finish();
    return outcomeOf(reading, endingIn(reading));
  } catch (error) {
    reading.release();
    throw error;
  }
}

async function attend({ tree, ...orphan }: Orphan, observer: AdoptionObserver, stop: AbortSignal): Promise<Outcome> {
  observer.adopted();
  const then = readClocks();
  const reading = read(orphan.files, orphan.adapter, orphan.limits.maxOutputBytes, orphan.requires, orphan.usage);
  const watch = guard(orphan, orphan.ageMs, reading, stop);
  const rest = trackMembers(tree);
  const life = watchLife(tree, orphan.files.stdout);
  const release = () => {
    watch.release();
    life.release();
    rest();
  };
  try {
    const cause = await Promise.race([watch.cause, life.over]);
    release();
    reading.look();
    const silent = reading.bytes() === 0;
    const known = () => ({ silent, sleptMs: sleptBetween(then, readClocks()) });
    if (cause === 'cancelled') await observer.cancelling({ ...outcomeOf(reading, cause), ...known() });
    const until = cause === 'gone' ? null : heldUntil(cause, orphan.adapter.asksAgain);
    const end = await endTree(
      until === null ? life.present() : await hold(life.present(), until),
      undefined,
      reading.signalling,
    );
    await reading.finish(cause === 'gone' ? 'unseen' : 'ended');
    const ending = cause === 'gone' ? endingIn(reading) : cause;
    const cap = watch.cap();
    return {
      ...outcomeOf(reading, ending),
      ...known(),
      ...(cap === null ? {} : { cap }),
      ...(await countOf(end)),
    };
  } catch (error) {
    reading.release();
    throw error;
  } finally {
    release();
  }
}

const countOf = async ({ ended, survivors, container }: TreeEnd) => ({
  orphansKilled: ended,
  survivors: await describeSurvivors(survivors, container),
});

interface Life {
  over: Promise<'gone'>;
  /** Returns the tree in the form that may be ended now. */
  present(): Tree;
  release(): void;
}

function watchLife(tree: Tree, stdout: string): Life {
  let released = false;
  // The system does not reuse the pid so soon after the process was seen alive.
  let seenAt = readClocks().bootMs;
  const glance = async (): Promise<'works' | 'gone' | 'unseen'> => {
    try {
      if (!(await works(tree, stdout))) return 'gone';
      seenAt = readClocks().bootMs;
      return 'works';
    } catch {
      // Without a free descriptor no process can be looked up. The limits stay in force, and the next poll looks again.
      return 'unseen';
    }
  };
  const look = async (): Promise<'gone'> => {
    while (!released && (await glance()) !== 'gone') {
      await pause(tree.root === null ? SCAN_MS : LOOK_MS);
    }
    return 'gone';
  };
  return {
    over: look(),
    present() {
      const held = readClocks().bootMs - seenAt < SHORT_MS;
      return tree.root === null || !held ? tree : { ...tree, root: { ...tree.root, ours: 'child' } };
    },
    release() {
      released = true;
    },
  };
}

/** Reading one process from /proc is fast. ps is slow, and so is a scan of all processes. */
const LOOK_MS = process.platform === 'linux' ? 25 : 250;
const SCAN_MS = 250;

/** A process that started just before its wrapper died does not have the marker yet. */
const BIRTH_MS = 100;

/** Whether the CLI of a call whose wrapper died still works. */
export async function isAtWork(tree: Tree, stdout: string): Promise<boolean> {
  if (await works(tree, stdout)) return true;
  if (tree.root !== null) return false;
  await pause(BIRTH_MS);
  return works(tree, stdout);
}

/**
 * If the CLI's process is known, it alone decides; otherwise the processes that hold its stdout do. What it started beside them, such
 * as a server, does not count as a running call.
 */
async function works(tree: Tree, stdout: string): Promise<boolean> {
  if (tree.root !== null) {
    const row = await processTable.row(tree.root.pid);
    return row !== null && !row.zombie && row.startTime === tree.root.startTime;
  }
  const members = await membersOf(tree);
  return (tree.container == null ? writersOf(members, stdout) : members).length > 0;
}

function endingIn(reading: StreamReading): Ending {
  if (reading.isOversized()) return 'overflowed';
  const { completed, failure } = reading.capture();
  return completed || failure !== null ? 'exited' : 'lost';
}

const outcomeOf = (reading: StreamReading, ending: Ending): Outcome => ({
  ending,
  exitCode: null,
  signal: null,
  durationMs: null,
  sleptMs: 0,
  silent: false,
  capture: reading.capture(),
  errorLines: reading.errorLines(),
  remarks: reading.remarks(),
  stderrBytes: reading.stderrBytes(),
  orphansKilled: 0,
  spawnError: null,
  streams: reading.streams,
});
