// Finds the session that a command's arguments name, or says why it cannot be.

import { type LocatedSession, locateSession } from '../../../loops/conversation/locate.ts';
import { isTool, TOOLS } from '../../../policies/facts/tools.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { isSessionFileError } from '../../../wrappers/sessions/store.ts';
import type { Arguments, FlagRow } from '../../command-line.ts';

export const TOOL_FLAG = {
  takes: 'choice',
  choices: [...TOOLS],
  about: 'whose session, where more than one fits',
} as const satisfies FlagRow;

export const SESSION_WORD = 'SESSION (an id, at least its first 7 digits, or a tag of this project)';

export type Which = LocatedSession | { how: 'invalid'; message: string };

export async function whichSession({ words, text }: Arguments): Promise<Which> {
  const tool = isTool(text.tool) ? text.tool : null;
  try {
    return await locateSession(words[0]!, tool, { environment: process.env, cwd: process.cwd() });
  } catch (error) {
    return { how: 'invalid', message: unreadable(error) };
  }
}

/** For a session file that is not what its CLI writes, or that the system does not let us read. Throws anything else. */
export function unreadable(error: unknown): string {
  if (isSessionFileError(error)) return `${error.message}; it was left as it is`;
  if (isSystemError(error)) return `the session cannot be read (${error.message}); it was left as it is`;
  throw error;
}

/** With or without colours, and how wide. */
export function styleOf() {
  const coloured = process.stdout.isTTY === true && !process.env.NO_COLOR;
  return { ink: coloured ? 'colour' : 'plain', width: process.stdout.columns || 120 } as const;
}
