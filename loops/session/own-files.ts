// Reads facts about a session from its CLI's own files, where they are useful; its errors never cause a failure.

import type { Tool } from '../../policies/facts/tools.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
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
