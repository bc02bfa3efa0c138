// Starts the process that carries a run, and records if it could not be started.

import { spawn } from 'node:child_process';
import { closeSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { claim, claimOf, end, notBegun, sayingsOf } from '../../../loops/report/carried-run.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import { openRegular } from '../../../state/disk/regular-file.ts';

const { O_APPEND, O_CREAT, O_WRONLY } = constants;

/** Starts it in a separate session: whatever ends the client and this server must not end what is paid for. */
export function startCarrier(folder: string, run: string, self: ProcessIdentity): void {
  const giveUp = (why: string) => {
    if (claimOf(folder, run) === null && claim(folder, run, self)) end(folder, run, notBegun(new Date(), why));
  };
  const output = openRegular(sayingsOf(folder, run), O_APPEND | O_CREAT | O_WRONLY);
  // In the folder of this file, however the command was found.
  const command = path.join(path.dirname(fileURLToPath(import.meta.url)), 'tollgate.cjs');
  try {
    const child = spawn(process.execPath, [command, 'mcp', `--carry=${run}`], {
      ...{ detached: true, stdio: ['ignore', output, output] },
    });
    child.on('error', ({ message }) => giveUp(`its process could not be started (${message})`));
    child.on('exit', (code, signal) => giveUp(`its process ended with ${signal ?? `exit code ${code}`}`));
    child.unref();
  } catch (error) {
    giveUp(`its process could not be started (${(error as Error).message})`);
  } finally {
    closeSync(output);
  }
}
