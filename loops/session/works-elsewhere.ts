// Would a session be gone on with in another folder than the one that is worked in? A CLI may then work in the wrong tree.

import type { Tool } from '../../policies/facts/tools.ts';
import { isSameFolder } from '../../state/disk/real-path.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import type { Lookup } from '../../wrappers/sessions/store.ts';
import { findSession } from './own-files.ts';

/** That folder; null where the session is good here, or where nobody can say. */
export async function worksElsewhere(tool: Tool, id: string, lookup: Lookup): Promise<string | null> {
  const { boundToCwd } = await adapterOf(tool).sessions();
  if (!boundToCwd) return null;
  const cwd = (await findSession(tool, id, lookup))?.cwd ?? null;
  return cwd === null || isSameFolder(cwd, lookup.cwd) ? null : cwd;
}

/** A whole sentence but for its full stop. */
export const elsewhereMistake = (tool: Tool, id: string, there: string, here: string): string =>
  `${tool} session ${id} works in ${there}, and this is ${here}: run it there, or begin a session of this folder`;
