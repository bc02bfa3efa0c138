// Starts the process that carries a run, and is that process, which outlives the server and its client.

import { spawn } from 'node:child_process';
import { closeSync, constants } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  carriedFolder,
  claim,
  claimOf,
  end,
  notBegun,
  RUN_ID,
  sayingsOf,
  startOf,
} from '../../../loops/report/carried-run.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import type { ProcessIdentity } from '../../../policies/facts/process-identity.ts';
import { openRegular, readIfFit } from '../../../state/disk/regular-file.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import { endOf } from '../../command.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { run as batch } from '../batch.ts';
import { run as call } from '../call.ts';
import { run as compare } from '../compare/compare.ts';
import { run as distill } from '../distill/distill.ts';
import { run } from '../run.ts';
import { run as supervise } from '../supervise/supervise.ts';

const { O_APPEND, O_CREAT, O_WRONLY } = constants;

/** Starts it in a separate session: whatever ends the client and this server must not end what is paid for. */
export function startCarrier(folder: string, run: string, self: ProcessIdentity, environment: NodeJS.ProcessEnv): void {
  const giveUp = (why: string) => {
    if (claimOf(folder, run) === null && claim(folder, run, self)) end(folder, run, notBegun(new Date(), why));
  };
  const output = openRegular(sayingsOf(folder, run), O_APPEND | O_CREAT | O_WRONLY);
  // In the folder of this file, however the command was found.
  const command = path.join(path.dirname(fileURLToPath(import.meta.url)), 'tollgate.cjs');
  try {
    const child = spawn(process.execPath, [command, 'mcp', `--carry=${run}`], {
      ...{ detached: true, env: environment, stdio: ['ignore', output, output] },
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

const COMMANDS = { run, call, batch, compare, supervise, distill } as const;

/** Does nothing if another process has the run, or if it has ended. */
export async function carry(id: string): Promise<Ran> {
  if (!RUN_ID.test(id)) return badInputOf('tollgate mcp')(`"${id}" is not an id of a run`);
  const folder = carriedFolder(process.cwd(), process.env);
  const start = startOf(folder, id);
  if (start === null) return badInputOf('tollgate mcp')(`no run ${id} was begun here`);
  if (!claim(folder, id, (await identify(process.pid))!)) return { exit: TOLLGATE_EXIT.ok };
  const [word, ...argv] = start.argv;
  const {
    exit,
    out = '',
    err = '',
  } = await endOf({ run: COMMANDS[word as keyof typeof COMMANDS], failure: TOLLGATE_EXIT.failure }, argv);
  const printed = out === '' ? { state: 'refused', message: err.trim() } : (JSON.parse(out) as Record<string, unknown>);
  const answer = start.files === null ? null : readIfFit(path.join(start.files, 'answer.md'), MAX_ANSWER_BYTES);
  const object = answer === null ? printed : { ...printed, answer };
  end(folder, id, { schema: 1, at: new Date().toISOString(), exit_code: exit, object });
  return { exit, err };
}

/** A larger answer is read only from its file. */
const MAX_ANSWER_BYTES = 1024 ** 2;
