// Runs one CLI: files for its output, our own deadlines, the first cause of an ending wins, and nobody survives.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Ending } from '../policies/ending.ts';
import { type MachineClocks, sleptBetween } from '../policies/machine-clocks.ts';
import type { Adapter } from './adapter.ts';
import type { Capture } from './capture.ts';
import { guard, type Limits } from './guard.ts';
import { endTree, type Tree } from './processes/end-tree.ts';
import { identifyChild } from './processes/identity.ts';
import { read } from './reading.ts';
import { nowMs, readClocks } from './steady-clock.ts';

export interface Invocation {
  /** Absolute path of the binary. */
  command: string;
  argv: string[];
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** The attempt's private files; stdout and stderr lie in one folder. */
  files: { stdin: string; stdout: string; stderr: string; usage: string };
  marker: string;
  retries: 'cut' | 'allow';
  limits: Limits;
  adapter: Pick<Adapter, 'readEvent' | 'readStderr' | 'usageFile' | 'lingerMs'>;
}

export interface Outcome {
  ending: Ending;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** Of the machine awake; null for a call that nobody timed. */
  durationMs: number | null;
  /** For how long the machine slept meanwhile, in milliseconds. */
  sleptMs: number;
  /** It was ended before it had written a single byte. */
  silent: boolean;
  capture: Capture;
  /** Error-bearing lines of stderr. */
  errorLines: string[];
  /** Notices and words about retries, where stderr says nothing better. */
  remarks: string[];
  stderrBytes: number;
  orphansKilled: number;
  /** Why the operating system did not start the CLI. */
  spawnError: NodeJS.ErrnoException | null;
}

export interface Observer {
  started(pid: number): Promise<void>;
  /** We were told to stop: what is known is written before anything is killed. */
  cancelling(soFar: Outcome): Promise<void>;
}

/** Runs to the end, and leaves nothing behind whatever happens. When `stop` resolves it is ended as `cancelled`. */
export async function run(
  invocation: Invocation,
  observer: Observer,
  stop: Promise<void>,
  clocks: () => MachineClocks = readClocks,
): Promise<Outcome> {
  const began = nowMs();
  const child = start(invocation);
  const exited = exitOf(child);
  const tree = await treeOf(child, invocation.marker, began);
  try {
    return await attend(invocation, { child, exited, tree, began, clocks }, observer, stop);
  } catch (error) {
    // Ours or the system's: the CLI must not outlive it.
    await endTree(tree);
    throw error;
  }
}

interface Running {
  child: ChildProcess;
  exited: Promise<Exit>;
  tree: Tree;
  began: number;
  clocks: () => MachineClocks;
}

async function attend(
  invocation: Invocation,
  running: Running,
  observer: Observer,
  stop: Promise<void>,
): Promise<Outcome> {
  const { child, exited, tree, began, clocks } = running;
  const then = clocks();
  const started = child.pid === undefined ? null : observer.started(child.pid);
  const reading = read(invocation.files, invocation.adapter);
  let silent = false;
  const outcome = (ending: Ending, exit: Exit, orphansKilled: number): Outcome => ({
    ending,
    ...exit,
    durationMs: Math.round(nowMs() - began),
    sleptMs: sleptBetween(then, clocks()),
    silent,
    capture: reading.capture(),
    errorLines: reading.errorLines(),
    remarks: reading.remarks(),
    stderrBytes: reading.stderrBytes(),
    orphansKilled,
  });

  const watch = guard(invocation, 0, reading, stop);
  const first = await Promise.race([watch.cause, exited]);
  watch.release();
  let orphans = 0;
  if (typeof first === 'string') {
    reading.look();
    // What it says when it is told to end does not count.
    silent = reading.bytes() === 0;
    if (first === 'cancelled') await observer.cancelling(outcome(first, NO_EXIT, 0));
    orphans = await endTree(tree);
  }
  const exit = await exited;
  await reading.finish();
  await started;
  // The CLI may have left children behind that nobody waits for.
  if (typeof first !== 'string' && exit.spawnError === null) orphans = await endTree(tree);
  return outcome(typeof first === 'string' ? first : endingOf(exit), exit, orphans);
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

/** Descriptors, not pipes: the CLIs cut their output at a pipe and still exit 0, and our memory would grow with it. */
function start({ command, argv, cwd, environment, files }: Invocation): ChildProcess {
  const descriptors = [
    openSync(files.stdin, 'r'),
    openSync(files.stdout, 'a', 0o600),
    openSync(files.stderr, 'a', 0o600),
  ];
  try {
    return spawn(command, argv, {
      cwd,
      env: environment,
      detached: true,
      stdio: descriptors as [number, number, number],
    });
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal, spawnError: null }));
    child.once('error', (spawnError) => resolve({ ...NO_EXIT, spawnError }));
  });
}

async function treeOf(child: ChildProcess, marker: string, sinceMs: number): Promise<Tree> {
  if (child.pid === undefined) return { root: null, marker };
  const startTime = (await identifyChild(child.pid))?.start_time ?? null;
  return { root: { pid: child.pid, startTime, sinceMs, ours: 'child' }, marker };
}
