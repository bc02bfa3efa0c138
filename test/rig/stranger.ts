// Processes that no call has started: whatever a record says of them, they must live on.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const strangers: ChildProcess[] = [];

/** One that sleeps, in a session of its own. @returns its number. */
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
