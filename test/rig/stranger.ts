// Starts processes that no call has started: they must survive, whatever a record claims about them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const strangers: ChildProcess[] = [];

/**
 * Starts a process that sleeps, in a separate session.
 * @returns its pid.
 */
export function startStranger(environment: NodeJS.ProcessEnv = {}): number {
  const stranger = spawn('sleep', ['600'], {
    env: { ...process.env, ...environment },
    detached: true,
    stdio: 'ignore',
  });
  strangers.push(stranger);
  return stranger.pid!;
}

export async function endStrangers(): Promise<void> {
  for (const stranger of strangers.splice(0)) {
    if (stranger.exitCode !== null || stranger.signalCode !== null) continue;
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  }
}
