// Runs a command of dist/ in the test's own process: a separate process would cost 0.1 s of CPU each time.

import { createRequire } from 'node:module';
import path from 'node:path';
import { Writable } from 'node:stream';
import { endOf } from '../../bin/command.ts';
import type { Ran } from '../../bin/ran.ts';
import { EXIT_BY_SIGNAL, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { CommandOptions, CommandResult } from './running-command.ts';

const DIST = path.resolve(import.meta.dirname, '../../dist');
const load = createRequire(path.join(DIST, 'here.cjs'));

/** A running command takes over this process's environment, working folder and streams, so only one can run at a time. */
let isTaken = false;

/** Whether the command can run here; what controls Node itself, or how a process is loaded, needs a separate process. */
export function canRunHere(command: string, [word]: readonly string[], { stdin, env }: CommandOptions): boolean {
  if (isTaken || command !== 'tollgate' || word === undefined || !HERE.has(word)) return false;
  return stdin === undefined && !NEEDS_PROCESS.some((name) => name in env);
}

const NEEDS_PROCESS = ['LD_PRELOAD', 'NODE_OPTIONS', '_'];

/** Returns the `code`, `stdout` and `stderr` that the separate process would have. */
export async function runHere(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const [word, ...rest] = argv;
  const run = async (given: string[]) => (await loadersOf()[word!]!.load()).run(given);
  return endHere({ run, failure: TOLLGATE_EXIT.failure }, rest, options);
}

/** The same of any command's function. */
export async function endHere(
  command: Parameters<typeof endOf>[0],
  argv: readonly string[],
  { cwd, env, limitMs = 200_000 }: CommandOptions,
): Promise<CommandResult> {
  const streams = { stdout: new Collected(), stderr: new Collected() };
  const giveBack = become(cwd, env, streams);
  try {
    const { exit, out = '', err = '' } = await inTime(endOf(command, [...argv]), limitMs, argv);
    return { code: exit, signal: null, stdout: streams.stdout.text + out, stderr: streams.stderr.text + err };
  } finally {
    giveBack();
  }
}

/** The commands that keep nothing of the environment in which they were loaded, and end no process. */
const HERE = new Set([
  ...['accounts', 'answer', 'archive', 'batch', 'budget', 'call', 'compare', 'completion', 'distill', 'doctor'],
  ...['explain', 'fleet', 'history', 'init', 'logs', 'preflight', 'recover', 'report', 'run', 'scope', 'sessions'],
  ...['signature', 'status', 'submit', 'supervise', 'tools', 'trace', 'triage', 'trust', 'undo', 'watch'],
]);

type Loaders = Record<string, { load(): Promise<{ run(argv: string[]): Promise<Ran> }> }>;

const loadersOf = () => (load('./subcommands.cjs') as { SUBCOMMANDS: Loaders }).SUBCOMMANDS;

class Collected extends Writable {
  readonly isTTY = false;
  text = '';
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

function become(cwd: string, env: Record<string, string>, streams: Record<'stdout' | 'stderr', Writable>): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const ours = {
    stdout: Object.getOwnPropertyDescriptor(process, 'stdout')!,
    stderr: Object.getOwnPropertyDescriptor(process, 'stderr')!,
  };
  const signals = Object.keys(EXIT_BY_SIGNAL);
  const listening = signals.map((name) => process.listeners(name as NodeJS.Signals));
  isTaken = true;
  process.chdir(cwd);
  takeEnvironment(env);
  for (const [name, stream] of Object.entries(streams))
    Object.defineProperty(process, name, { value: stream, configurable: true });
  return () => {
    for (const [at, name] of signals.entries())
      for (const listener of process.listeners(name as NodeJS.Signals))
        if (!listening[at]!.includes(listener)) process.removeListener(name, listener as () => void);
    Object.defineProperties(process, ours);
    takeEnvironment(before.env);
    process.chdir(before.cwd);
    isTaken = false;
  };
}

function takeEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** A command that hangs cannot be ended here: its test fails, and the process of its test file ends after the same limit. */
async function inTime(running: Promise<Ran>, limitMs: number, argv: readonly string[]): Promise<Ran> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${argv.join(' ')} still ran after ${limitMs} ms`));
      setTimeout(() => process.exit(1), limitMs).unref();
    }, limitMs);
  });
  return Promise.race([running, late]).finally(() => clearTimeout(timer));
}
