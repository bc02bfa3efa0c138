// Finds out whether a session would be resumed in another folder than the current one, so that its CLI works in the wrong tree.

import type { Tool } from '../../policies/facts/tools.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { Lookup } from '../../wrappers/sessions/store.ts';
import { findSession } from './own-files.ts';

/** Returns that folder; null if the session is valid here, or if it is not known. */
export async function worksElsewhere(tool: Tool, id: string, lookup: Lookup): Promise<string | null> {
  const { boundToCwd } = await adapterOf(tool).sessions();
  if (!boundToCwd) return null;
  const cwd = (await findSession(tool, id, lookup))?.cwd ?? null;
  return cwd === null || isSameFolder(cwd, lookup.cwd) ? null : cwd;
}

/** Returns a full sentence without its full stop. */
export const elsewhereMistake = (tool: Tool, id: string, there: string, here: string): string =>
  `${tool} session ${id} works in ${there}, and this is ${here}: run it there, or begin a session of this folder`;
