// Runs one CLI: gives it files for its output, enforces our deadlines, and ends every process of it. The first cause wins.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type MachineClocks, sleptBetween } from '../policies/facts/deadline.ts';
import type { EngineEvent } from '../policies/facts/engine-event.ts';
import type { Ending } from '../policies/facts/evidence.ts';
import type { Requirements } from '../policies/facts/requirements.ts';
import type { CapReached } from '../policies/limits/caps.ts';
import type { Adapter } from './adapter.ts';
import { type Capture, createCapture } from './capture.ts';
import type { UsageSource } from './following/usage-log.ts';
import { type GuardLimits, guard, heldUntil } from './guard.ts';
import type { Container } from './prefix.ts';
import { makeGroup, moveInto, notExecuted, removeGroup, startWithin } from './processes/cgroup.ts';
import { describeSurvivors, endTree, hold, type Tree, type TreeEnd } from './processes/end-tree.ts';
import { identifyChild } from './processes/identity.ts';
import { trackMembers } from './processes/member-tracker.ts';
import { isRoot } from './processes/tree.ts';
import { type ReadingAdapter, read, type StreamReading, type Streams } from './reading.ts';
import { nowMs, readClocks } from './steady-clock.ts';

export interface Invocation {
  /** Absolute path of the binary. */
  command: string;
  argv: readonly string[];
  /** Makes the words after the command from `argv`, if the CLI is started through a prefix. */
  through?: (argv: readonly string[]) => string[];
  /** What ends with the CLI's processes. */
  container?: Container;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** The attempt's private files; stdout and stderr are in one folder. */
  files: { stdin: string; stdout: string; stderr: string; usage: string; log?: string };
  marker: string;
  /** Folders that only the call writes to. A process that writes there and has no living parent is ended with the call. */
  folders?: readonly string[];
  retries: 'cut' | 'allow';
  requires?: Requirements;
  /** Where its requests are counted while it runs; absent if no cap needs that, or only its stream counts them. */
  usage?: UsageSource;
  limits: GuardLimits;
  adapter: ReadingAdapter & Pick<Adapter, 'asksAgain' | 'lingerMs' | 'liveUsage'>;
}

export interface Outcome {
  ending: Ending;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Without the time the machine slept; null for a call that no process timed. */
  durationMs: number | null;
  /** How long the machine slept during the call, in milliseconds. */
  sleptMs: number;
  /** The CLI was ended before it had written a single byte. */
  silent: boolean;
  capture: Capture;
  /** Error-bearing lines of stderr. */
  errorLines: string[];
  /** Notices and messages about retries, used if stderr has nothing better. */
  remarks: string[];
  stderrBytes: number;
  orphansKilled: number;
  /** Processes of the call that could not be ended. */
  survivors?: readonly string[];
  /** Why the operating system did not start the CLI. */
  spawnError: NodeJS.ErrnoException | null;
  /** The cap that ended it; absent if none did. */
  cap?: CapReached;
  /** The caller closes them after use; absent if nothing was opened. */
  streams?: Streams;
}

export interface Observer {
  started(pid: number): Promise<void>;
  /** A stop was requested. The observer records what is known before any process is killed. */
  cancelling(soFar: Outcome): Promise<void>;
  /** Receives each event as it is read; absent if no one watches the call. */
  observed?(event: EngineEvent, capture: () => Capture): void;
}

/** Runs the CLI to its end, and leaves no process behind. An aborted `stop` ends it as `cancelled`. */
export async function run(
  invocation: Invocation,
  observer: Observer,
  stop: AbortSignal,
  clocks: () => MachineClocks = readClocks,
): Promise<Outcome> {
  if (stop.aborted) return { ...notStarted(null), ending: 'cancelled', silent: true };
  const began = nowMs();
  // Our own steps that can fail come before the CLI can cost anything.
  const files = openFiles(invocation);
  if (files instanceof Error) return notStarted(files);
  const group = makeGroup(invocation.marker);
  const child = start(invocation, files.descriptors, group);
  if (child instanceof Error) {
    if (group !== null) removeGroup(group);
    files.reading.release();
    return notStarted(child);
  }
  const exited = exitOf(child, group, invocation.files.stderr);
  const tree = await treeOf(child, invocation, group, began).catch((error) => {
    files.reading.release();
    // No process can be looked up. But the CLI was started just now, so the pid is still its own.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    throw error;
  });
  const rest = trackMembers(tree);
  try {
    return await attend(invocation, { child, exited, tree, began, clocks, reading: files.reading }, observer, stop);
  } catch (error) {
    // Ours or the system's: the CLI must not outlive it.
    await endTree(tree, undefined, files.reading.signalling);
    files.reading.release();
    throw error;
  } finally {
    rest();
    // A child that could not be ended must not keep this process alive.
    child.unref();
  }
}

interface Running {
  child: ChildProcess;
  exited: Promise<Exit>;
  tree: Tree;
  began: number;
  reading: StreamReading;
  clocks: () => MachineClocks;
}

async function attend(
  invocation: Invocation,
  running: Running,
  observer: Observer,
  stop: AbortSignal,
): Promise<Outcome> {
  const { child, exited, tree, began, clocks, reading } = running;
  const then = clocks();
  const started = child.pid === undefined ? null : observer.started(child.pid);
  // `started` is awaited after the CLI has ended. Its rejection must not end this process before that.
  started?.catch(() => {});
  let silent = false;
  let survivors: string[] = [];
  let cap: CapReached | null = null;
  const outcome = (ending: Ending, exit: Exit, end: TreeEnd): Outcome => ({
    ending,
    ...exit,
    durationMs: Math.round(nowMs() - began),
    sleptMs: sleptBetween(then, clocks()),
    silent,
    capture: reading.capture(),
    errorLines: reading.errorLines(),
    remarks: reading.remarks(),
    stderrBytes: reading.stderrBytes(),
    orphansKilled: end.ended,
    survivors,
    ...(cap === null ? {} : { cap }),
    streams: reading.streams,
  });

  const watch = guard(invocation, 0, observedBy(observer, reading), stop);
  const first = await Promise.race([watch.cause, exited]);
  watch.release();
  cap = watch.cap();
  let end: TreeEnd = { ended: 0, survivors: [] };
  if (typeof first === 'string') {
    const until = heldUntil(first, invocation.adapter.asksAgain);
    const held = until === null ? tree : await hold(tree, until);
    reading.look();
    // Output that the CLI writes because it is ended does not count.
    silent = reading.bytes() === 0;
    if (first === 'cancelled') await observer.cancelling(outcome(first, NO_EXIT, end));
    end = await endTree(held, undefined, reading.signalling);
  }
  const exit = end.survivors.some((row) => isRoot(row, tree.root)) ? NO_EXIT : await exited;
  // If we end the CLI, its exit code says nothing about its answer.
  await reading.finish(typeof first === 'string' ? 'ended' : (exit.exitCode ?? 'ended'));
  await started;
  // The CLI may have abandoned children that no process waits for.
  if (typeof first !== 'string' && tree.root !== null)
    end = await endTree(tree, undefined, exit.signal === null ? undefined : reading.signalling);
  survivors = await describeSurvivors(end.survivors, end.container);
  const ending = typeof first === 'string' ? first : endingOf(exit);
  return outcome(reading.isOversized() ? 'overflowed' : ending, exit, end);
}

function observedBy({ observed }: Observer, reading: StreamReading): StreamReading {
  if (observed === undefined) return reading;
  const watch: StreamReading['watch'] = (onEvent, onGrowth) =>
    reading.watch((event) => {
      onEvent(event);
      observed(event, reading.capture);
    }, onGrowth);
  return { ...reading, watch };
}

interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  spawnError: NodeJS.ErrnoException | null;
}

const NO_EXIT: Exit = { exitCode: null, signal: null, spawnError: null };

function endingOf(exit: Exit): Ending {
  if (exit.spawnError !== null) return 'not_started';
  return exit.signal === null ? 'exited' : 'signalled';
}

type Descriptors = [stdin: number, stdout: number, stderr: number];

/** Opens descriptors, not pipes: the CLIs truncate their output at a pipe and still exit 0, and our memory would grow with it. */
function openFiles({
  files,
  adapter,
  limits,
  requires,
  usage,
}: Invocation): { descriptors: Descriptors; reading: StreamReading } | Error {
  const opened: number[] = [];
  try {
    if (files.log !== undefined) closeSync(openSync(files.log, 'a', 0o600));
    opened.push(openSync(files.stdin, 'r'), openSync(files.stdout, 'a', 0o600), openSync(files.stderr, 'a', 0o600));
    return {
      descriptors: opened as Descriptors,
      reading: read(files, adapter, limits.maxOutputBytes, requires, usage),
    };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    return ofSystem(error);
  }
}

/** A full disk or too many open files is reported like a CLI that the system did not start. */
const notStarted = (spawnError: NodeJS.ErrnoException | null): Outcome => ({
  ending: 'not_started',
  ...NO_EXIT,
  spawnError,
  durationMs: 0,
  sleptMs: 0,
  silent: false,
  capture: createCapture().result(),
  errorLines: [],
  remarks: [],
  stderrBytes: 0,
  orphansKilled: 0,
  survivors: [],
});

function ofSystem(error: unknown): Error {
  if (error instanceof Error && 'syscall' in error) return error;
  throw error;
}

/** The system reports most refusals later, as an event. It reports some at once, such as arguments that are too long. */
function start(
  { command, argv, through, cwd, environment }: Invocation,
  descriptors: Descriptors,
  group: string | null,
): ChildProcess | Error {
  const words = [command, ...(through?.(argv) ?? argv)];
  const within = group === null ? words : startWithin(group, words, environment);
  const [file, ...rest] = within ?? words;
  try {
    const child = spawn(file!, rest, { cwd, env: environment, detached: true, stdio: descriptors });
    if (group !== null && within === null && child.pid !== undefined) moveInto(group, child.pid);
    return child;
  } catch (error) {
    return ofSystem(error);
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

function exitOf(child: ChildProcess, group: string | null, stderr: string): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => {
      const why = group === null ? null : notExecuted(group, exitCode, stderr);
      resolve(why === null ? { exitCode, signal, spawnError: null } : { ...NO_EXIT, spawnError: new Error(why) });
    });
    child.once('error', (spawnError) => resolve({ ...NO_EXIT, spawnError }));
  });
}

async function treeOf(
  child: ChildProcess,
  { marker, folders = [], container }: Invocation,
  group: string | null,
  sinceMs: number,
): Promise<Tree> {
  if (child.pid === undefined) {
    if (group !== null) removeGroup(group);
    return { root: null, marker };
  }
  const startTime = (await identifyChild(child.pid))?.start_time ?? null;
  return {
    root: { pid: child.pid, startTime, sinceMs, ours: 'child' },
    marker,
    group,
    folders,
    ...(container && { container }),
  };
}
