// Finds the session that a command's arguments name, or says why it cannot; reports when the session is in use.

import { type LocatedSession, locateSession } from '../../../loops/session/locate.ts';
import { isTool, TOOLS } from '../../../policies/facts/tools.ts';
import { isSystemError } from '../../../state/system-error.ts';
import { isSessionFileError, type SessionFile } from '../../../wrappers/sessions/store.ts';
import type { Arguments, FlagRow } from '../../command-line.ts';
import { printing } from '../../printing.ts';
import { type Progress, startProgress } from '../../progress-line.ts';

export const TOOL_FLAG = {
  takes: 'choice',
  choices: [...TOOLS],
  about: 'the CLI of the session, if several sessions fit',
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

/** Explains an unreadable session file: not written so by its CLI, or not readable to us. Throws other errors. */
export function unreadable(error: unknown): string {
  if (isSessionFileError(error)) return `${error.message}; it was not changed`;
  if (isSystemError(error)) return `the session cannot be read (${error.message}); it was not changed`;
  throw error;
}

/** Whether the page has colours, and how wide it is. */
export function styleOf() {
  const isTerminal = process.stdout.isTTY === true;
  const ink = isTerminal && !process.env.NO_COLOR ? 'colour' : 'plain';
  return { ink, width: process.stdout.columns || 120, isTerminal } as const;
}

export const inUse = ({ tool, id }: SessionFile, by: string): string =>
  `the ${tool} session ${id} is in use: ${by}; try again when that has ended (nothing was changed)`;

export function waitingSay(command: string, { given }: Arguments): { say(what: string): void; stop(): void } {
  let progress: Progress | null = null;
  return {
    say(what) {
      if (given.has('quiet')) return;
      progress = startProgress(printing('stderr'), 'all', () => `${command}: waiting`);
      progress.print(`${command}: ${what}`);
    },
    stop: () => progress?.stop(),
  };
}
