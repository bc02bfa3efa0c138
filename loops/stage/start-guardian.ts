// Starts a guardian as a process of its own session, and says how it ended; that it could not be started is an end, too.

import { type ChildProcess, spawn } from 'node:child_process';
import type { GuardianExit, StartedGuardian } from '../attempt/dispatch.ts';

/** A guardian that was told to end ends its call within less. */
const OBEYS_MS = 5000;

/** Never throws. Where we die before it is told what to do, its stdin ends, and so does it. @param argv the script, and what it is given. */
export function startGuardian(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  obeysMs: number = OBEYS_MS,
): StartedGuardian {
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, argv, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env });
  } catch (error) {
    return { ...UNSTARTED, ended: Promise.resolve(unstarted(error as Error)) };
  }
  let killing: NodeJS.Timeout | null = null;
  const ended = new Promise<GuardianExit>((resolve) => {
    // Later ones tell of signals that it could not be sent.
    child.on('error', (error) => child.pid === undefined && resolve(unstarted(error)));
    child.once('exit', (code, signal) => {
      if (killing !== null) clearTimeout(killing);
      resolve({ signal, how: signal === null ? `ended with exit code ${code}` : `ended by ${signal}` });
    });
  });
  // One that has ended takes no word: its end tells.
  child.stdin?.on('error', () => {});
  const end = () => {
    // A stopped process receives no signal until it is continued.
    if (!child.kill('SIGTERM')) return;
    child.kill('SIGCONT');
    killing ??= setTimeout(() => child.kill('SIGKILL'), obeysMs);
  };
  return {
    pid: child.pid,
    lives: () => child.pid !== undefined && child.exitCode === null && child.signalCode === null,
    send: (line) => child.stdin?.end(line),
    end,
    dismiss: () => {
      child.kill('SIGKILL');
      child.stdin?.destroy();
      return ended;
    },
    ended,
  };
}

const UNSTARTED = { pid: undefined, lives: () => false, send: () => {}, end: () => {}, dismiss: async () => {} };

const unstarted = ({ message }: Error): GuardianExit => ({ signal: null, how: `could not be started (${message})` });
