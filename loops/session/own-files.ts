// Reads facts about a session from its CLI's own files, and whether it can be resumed here; its errors never cause a failure.

import type { Tool } from '../../policies/facts/tools.ts';
import { WHOLE_ID } from '../../policies/session/session-entry.ts';
import { isSameFolder } from '../../state/disk/real-folder.ts';
import { isSystemError } from '../../state/system-error.ts';
import type { Adapter } from '../../wrappers/adapter.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { isPublished } from '../../wrappers/cli-version.ts';
import { type Conversation, isSessionFileError, type Lookup, type SessionFile } from '../../wrappers/sessions/store.ts';

export interface Counted {
  /** null is unknown. */
  context_tokens: number | null;
  total_tokens: number | null;
}

const UNCOUNTED: Counted = { context_tokens: null, total_tokens: null };

/** Counts the tokens of a session; null for each unknown figure. Never throws. */
export async function countTokens(tool: Tool, id: string, lookup: Lookup): Promise<Counted> {
  const session = await findSession(tool, id, lookup);
  return (session && (await lookInto(tool, session, countIn))) ?? UNCOUNTED;
}

export function countIn(conversation: Conversation): Counted {
  const context = conversation.contextTokens();
  return {
    context_tokens: context && context.input + context.output,
    total_tokens: conversation.totalTokens(),
  };
}

/** @returns null if there is no readable session file. */
export async function findSession(tool: Tool, id: string, lookup: Lookup): Promise<SessionFile | null> {
  return quietly(async () => (await adapterOf(tool).sessions()).find(id, lookup));
}

/** Returns the result of `look`; null if the file cannot be read. */
export const lookInto = <T>(
  tool: Tool,
  session: SessionFile,
  look: (conversation: Conversation) => T,
): Promise<T | null> => quietly(async () => look((await adapterOf(tool).sessions()).open(session)));

/** Returns null for a file that is unreadable, foreign or of an unknown newer format. */
export async function quietly<T>(look: () => T | Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (isSessionFileError(error) || isSystemError(error)) return null;
    throw error;
  }
}

/** Returns the other folder in which a session would be resumed; null if the session is valid here, or if it is not known. */
export async function worksElsewhere(tool: Tool, id: string, lookup: Lookup): Promise<string | null> {
  const { boundToCwd } = await adapterOf(tool).sessions();
  if (!boundToCwd) return null;
  const cwd = (await findSession(tool, id, lookup))?.cwd ?? null;
  return cwd === null || isSameFolder(cwd, lookup.cwd) ? null : cwd;
}

/** Returns a full sentence without its full stop. */
export const elsewhereMistake = (tool: Tool, id: string, there: string, here: string): string =>
  `${tool} session ${id} works in ${there}, and this is ${here}: run it there, or begin a session of this folder`;

/**
 * Returns whether the CLI has deleted the session. Checks only an id that the CLI could not read as a name or an index, and only if
 * its files could be read.
 * @param origin `here`: it was once among these files, so that a CLI which also finds sessions elsewhere has it nowhere else.
 */
export async function isDeleted(
  { packageName, entries, sessions }: Adapter,
  binary: string,
  id: string,
  lookup: Lookup,
  origin: 'here' | 'unknown',
): Promise<boolean> {
  if (!WHOLE_ID.test(id) || !isPublished(binary, packageName, entries)) return false;
  const store = await sessions();
  const found = await quietly(async () => ({ file: await store.find(id, lookup) }));
  return (store.isLocal || origin === 'here') && found !== null && found.file === null;
}
