// Runs a command that is not an agent's CLI under the same guard: own session, time and output limit, no surviving process.

import path from 'node:path';
import type { Ending } from '../../policies/facts/evidence.ts';
import { markEnvironment } from '../../wrappers/processes/marker.ts';
import { type Observer, type Outcome, run } from '../../wrappers/run.ts';
import { recordRoot } from './gate-folder.ts';

interface PlainCommand {
  command: string;
  argv: string[];
  cwd: string;
  /** Without the marker. */
  environment: Record<string, string>;
  /** A private folder for the output files, whose names begin with `name`. */
  folder: string;
  name: string;
  /** The file that it reads as standard input. */
  stdin: string;
  marker: string;
  wallMs: number;
  maxOutputBytes: number;
  stop: AbortSignal;
}

export interface PlainOutcome {
  ending: Ending;
  exitCode: number | null;
  signal: string | null;
  durationMs: number | null;
  /** Why the command was not started. */
  obstacle: string | null;
  stdout: string;
  stderr: string;
}

/** The command reports no events while it runs, so only its limits end it. */
const SILENT = {
  tool: null,
  readEvent: () => [],
  readStderr: null,
  log: null,
  usageFile: null,
  liveUsage: null,
  asksAgain: 'after a wait',
  lingerMs: 0,
} as const;
const NO_LIMITS = { idleMs: null, startMs: null, maxTurns: null };

const observerOf = (folder: string): Observer => ({
  started: (pid) => recordRoot(folder, pid),
  cancelling: async () => {},
});

export async function runPlain(request: PlainCommand): Promise<PlainOutcome> {
  const file = (suffix: string) => path.join(request.folder, `${request.name}.${suffix}`);
  const files = { stdin: request.stdin, stdout: file('stdout'), stderr: file('stderr'), usage: file('usage') };
  try {
    const outcome = await run(
      {
        command: request.command,
        argv: request.argv,
        cwd: request.cwd,
        environment: { ...request.environment, ...markEnvironment(request.marker) },
        files,
        marker: request.marker,
        retries: 'allow',
        limits: { ...NO_LIMITS, wallMs: request.wallMs, maxOutputBytes: request.maxOutputBytes },
        adapter: SILENT,
      },
      observerOf(request.folder),
      request.stop,
    );
    outcome.streams?.close();
    return { ...endOf(outcome), stdout: files.stdout, stderr: files.stderr };
  } catch (error) {
    // A command that is too long or contains a zero byte is refused before the start.
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_INVALID_ARG_VALUE' && !syscall?.startsWith('spawn')) throw error;
    const obstacle = code === 'ERR_INVALID_ARG_VALUE' ? 'it holds a zero byte' : message;
    return { ending: 'not_started', ...NO_END, obstacle, stdout: files.stdout, stderr: files.stderr };
  }
}

const NO_END = { exitCode: null, signal: null, durationMs: null };

const endOf = ({ ending, exitCode, signal, durationMs, spawnError }: Outcome) => ({
  ending,
  exitCode,
  signal,
  durationMs,
  obstacle: spawnError?.message ?? null,
});
