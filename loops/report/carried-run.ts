// Defines the files of a run that outlives its requester, in the user's state, where a sandboxed agent cannot write.

import { createHash } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ProcessIdentity } from '../../policies/facts/process-identity.ts';
import { readJsonIfFit } from '../../state/disk/regular-file.ts';
import { publishText } from '../../state/disk/replace-file.ts';
import { projectState, userState } from '../../state/task-folder.ts';

/** Written before any process is started. */
export interface CarriedStart {
  schema: 1;
  run_id: string;
  what: 'run' | 'ask';
  task: string | null;
  tool: string | null;
  /** Equal for two requests that are the same. */
  asks: string;
  /** The arguments of tollgate for the run. */
  argv: string[];
  /** The folder with the files of one call; null for a run, whose task contains them. */
  files: string | null;
  at: string;
  /** The process that starts it. */
  by: ProcessIdentity;
}

/** Written when the run is over. */
export interface CarriedEnd {
  schema: 1;
  at: string;
  exit_code: number;
  /** What the command printed with --json. For a call, its answer is beside it. */
  object: Record<string, unknown>;
}

export const RUN_ID = /^(?:run|ask)\.[A-Za-z0-9_][A-Za-z0-9._-]{0,180}\.[1-9]\d{0,8}$/;

/** Returns the folder of a project. Throws a sentence for a user without a home. */
export function carriedFolder(cwd: string, environment: NodeJS.ProcessEnv): string {
  const state = userState(environment);
  if (state === null)
    throw new Error('a run is kept in the state of its user: set HOME, or XDG_STATE_HOME, to a folder that is there');
  const project = createHash('sha256')
    .update(path.resolve(projectState(cwd, environment)))
    .digest('hex')
    .slice(0, 16);
  return path.join(state, 'mcp', project);
}

export const startOf = (folder: string, run: string): CarriedStart | null =>
  readJsonIfFit<CarriedStart>(path.join(folder, run, 'start.json'));

export const claimOf = (folder: string, run: string): ProcessIdentity | null =>
  readJsonIfFit<ProcessIdentity>(path.join(folder, run, 'claim.json'));

const endFileOf = (folder: string, run: string): string => path.join(folder, run, 'end.json');

export const endOfRun = (folder: string, run: string): CarriedEnd | null =>
  readJsonIfFit<CarriedEnd>(endFileOf(folder, run));

/** The file with the command's messages on stderr. */
export const sayingsOf = (folder: string, run: string): string => path.join(folder, run, 'say.log');

/** Claims the run for one process only. The owner carries it out, or reports that no process will. */
export function claim(folder: string, run: string, self: ProcessIdentity): boolean {
  const own = path.join(folder, run, `claim-${self.pid}-${self.start_time}.json`);
  publishText(own, JSON.stringify(self));
  try {
    linkSync(own, path.join(folder, run, 'claim.json'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

export const end = (folder: string, run: string, ended: CarriedEnd): void =>
  publishText(endFileOf(folder, run), `${JSON.stringify(ended)}\n`);
