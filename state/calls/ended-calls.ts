// Records when a call that resumed a session ended, so that the next look at that session need not wait for it.

import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { makeFolders } from '../disk/folder.ts';
import { replaceText } from '../disk/replace-file.ts';
import { isSystemError } from '../system-error.ts';
import { userState } from '../user-state.ts';

interface EndedIn {
  tool: Tool;
  /** The id of the session. */
  id: string;
}

/** Called once all of its processes are gone. If the note cannot be written, the next caller only waits. */
export function noteEnded(session: EndedIn, environment: NodeJS.ProcessEnv): void {
  const file = noteOf(session, environment);
  if (file === null) return;
  const folder = path.dirname(file);
  try {
    makeFolders(folder);
    replaceText(file, '');
    for (const name of readdirSync(folder).slice(0, LOOKED_AT)) removeOld(path.join(folder, name));
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

/** Milliseconds since the epoch, by the clock of file times; null if no call ended lately. */
export function lastEndedMs(session: EndedIn, environment: NodeJS.ProcessEnv): number | null {
  const file = noteOf(session, environment);
  const found = file === null ? undefined : lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? found.mtimeMs : null;
}

/** No caller waits for longer than this. */
const KEPT_MS = 120_000;
const LOOKED_AT = 100;

function noteOf({ tool, id }: EndedIn, environment: NodeJS.ProcessEnv): string | null {
  const state = userState(environment);
  const name = createHash('sha256').update(`${tool}\0${id}`).digest('hex').slice(0, 16);
  return state && path.join(state, 'ended', name);
}

function removeOld(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() && Math.abs(Date.now() - found.mtimeMs) > KEPT_MS) unlinkSync(file);
}
