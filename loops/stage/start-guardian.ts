// Starts a guardian as a process of its own session, and says how it ended; that it could not be started is an end, too.

import { type ChildProcess, spawn } from 'node:child_process';

interface StartedGuardian {
  /** undefined where it could not be started. */
  pid: number | undefined;
  /** Asks it to end; a stopped one hears it, too, and one that does not obey is killed. */
  end(): void;
  ended: Promise<GuardianExit>;
}

interface GuardianExit {
  /** The signal that ended it; null where none did. */
  signal: NodeJS.Signals | null;
  /** In words that follow "the wrapper". */
  how: string;
}

/** A guardian that was told to end ends its call within less. */
const OBEYS_MS = 5000;

/** Never throws. @param argv the script, and what it is given. */
export function startGuardian(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  obeysMs: number = OBEYS_MS,
): StartedGuardian {
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, argv, { detached: true, stdio: 'ignore', env });
  } catch (error) {
    return { pid: undefined, end: () => {}, ended: Promise.resolve(unstarted(error as Error)) };
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
  const end = () => {
    // A stopped process receives no signal until it is continued.
    if (!child.kill('SIGTERM')) return;
    child.kill('SIGCONT');
    killing ??= setTimeout(() => child.kill('SIGKILL'), obeysMs);
  };
  return { pid: child.pid, end, ended };
}

const unstarted = ({ message }: Error): GuardianExit => ({ signal: null, how: `could not be started (${message})` });
