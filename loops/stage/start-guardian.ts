// Starts a guardian as a process of its own session, and says how it ended; that it could not be started is an end, too.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { DISPATCH_FD, type GuardianExit, type StartedGuardian } from '../attempt/dispatch.ts';

/** A guardian that was told to end ends its call within less. */
const OBEYS_MS = 5000;

/** Never throws. Where we die before it is told what to do, what it listens to ends, and so does it. @param argv the script, and what it is given. */
export function startGuardian(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  obeysMs: number = OBEYS_MS,
): StartedGuardian {
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, argv, { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], env });
  } catch (error) {
    const ended = Promise.resolve(unstarted(error as Error));
    return { ...UNSTARTED, ended, gone: ended };
  }
  const line = child.stdio?.[DISPATCH_FD] as Socket | undefined;
  let killing: NodeJS.Timeout | null = null;
  const gone = new Promise<GuardianExit>((resolve) => {
    // Later ones tell of signals that it could not be sent.
    child.on('error', (error) => child.pid === undefined && resolve(unstarted(error)));
    child.once('exit', (code, signal) => {
      if (killing !== null) clearTimeout(killing);
      resolve(signal === null ? exited(code!) : { signal, how: `ended by ${signal}` });
    });
  });
  const killSoon = () => {
    killing ??= setTimeout(() => child.kill('SIGKILL'), obeysMs);
  };
  const told = new Promise<GuardianExit>((resolve) => {
    line?.once('data', (code) => {
      // Only Node is still to end.
      killSoon();
      resolve(exited(Number(code)));
    });
  });
  // One that has ended takes no word: its end tells.
  line?.on('error', () => {});
  const end = () => {
    // A stopped process receives no signal until it is continued.
    if (!child.kill('SIGTERM')) return;
    child.kill('SIGCONT');
    killSoon();
  };
  return {
    pid: child.pid,
    lives: () => child.pid !== undefined && child.exitCode === null && child.signalCode === null,
    send: (dispatch) => line?.end(dispatch),
    end,
    dismiss: () => {
      child.kill('SIGKILL');
      line?.destroy();
      return gone;
    },
    ended: Promise.race([told, gone]),
    gone,
  };
}

const UNSTARTED = { pid: undefined, lives: () => false, send: () => {}, end: () => {}, dismiss: async () => {} };

const exited = (code: number): GuardianExit => ({ signal: null, how: `ended with exit code ${code}` });

const unstarted = ({ message }: Error): GuardianExit => ({ signal: null, how: `could not be started (${message})` });
