// Finds out whether a session can be resumed here: it may be deleted, or its CLI would work in another folder.

import type { Tool } from '../../policies/facts/tools.ts';
import { WHOLE_ID } from '../../policies/session/session-entry.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { isPublished } from '../../wrappers/cli-version.ts';
import type { Lookup } from '../../wrappers/sessions/store.ts';
import { findSession, quietly } from './own-files.ts';

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

/** Checks only an id that the CLI could not read as a name or an index, and only if its files could be read. */
export async function isDeleted(
  { packageName, entries, sessions }: Adapter,
  binary: string,
  id: string,
  lookup: Lookup,
): Promise<boolean> {
  if (!WHOLE_ID.test(id) || !isPublished(binary, packageName, entries)) return false;
  const store = await sessions();
  const found = await quietly(async () => ({ file: await store.find(id, lookup) }));
  return store.isLocal && found !== null && found.file === null;
}
