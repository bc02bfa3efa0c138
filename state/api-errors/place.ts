// Locates the logs of service failures in the project's own state, and stores failed requests beside them.

import path from 'node:path';
import { isFolder } from '../disk/regular-file.ts';
import { publishText } from '../disk/replace-file.ts';
import { findEscapingLink, projectState, type TaskFolder } from '../task-folder.ts';

type LogPlace = { how: 'found'; folder: string } | { how: 'none' } | { how: 'invalid'; message: string };

/** @returns the folder that holds the log; `none` for a call without a task in a project that has no state yet. */
export function logPlace(task: TaskFolder | null, cwd: string, environment: NodeJS.ProcessEnv): LogPlace {
  const base = task === null ? projectState(cwd, environment) : stateAround(task, environment);
  const folder = path.join(base, 'state');
  if (task === null && !isFolder(folder)) return { how: 'none' };
  const stray = findEscapingLink(path.dirname(base), [path.basename(base)]) ?? findEscapingLink(base, ['state']);
  return stray === null ? { how: 'found', folder } : { how: 'invalid', message: stray };
}

/** The state folder that contains the task, which need not be that of the folder in which its CLI works. */
function stateAround({ root }: TaskFolder, environment: NodeJS.ProcessEnv): string {
  const tasks = path.dirname(root);
  return path.basename(tasks) === 'task' ? path.dirname(tasks) : projectState(root, environment);
}

export const LOG_NAME = 'api_errors';

/** One log for each session and day. An id that cannot be a file name is reduced to the permitted characters. */
export function sessionLog(at: string, tool: string, session: string | null): string {
  const name = (session ?? 'no-session').replace(/[^\w-]+/g, '_').slice(0, 100);
  return path.join(LOG_NAME, `${at.slice(0, 10)}.${tool}.${name}.log`);
}

/** `name.log`, and the names to which it was rotated when it grew too large. */
export const isLogOf = (name: string, file: string): boolean =>
  file === `${name}.log` || (file.startsWith(`${name}.`) && ROTATED.test(file.slice(name.length)));

const ROTATED = /^\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.log$/;

/** Stores a request that failed. Throws what the operating system throws; then no part of the file is there. @returns the file. */
export function writeRequest(folder: string, at: Date, tool: string, callId: string, text: string): string {
  const stray = findEscapingLink(folder, [LOG_NAME]);
  if (stray !== null) throw new Error(stray);
  const file = path.join(folder, LOG_NAME, `${at.toISOString().slice(0, 10)}.${tool}.${callId}.request.json`);
  publishText(file, text, 'set_aside');
  return file;
}
