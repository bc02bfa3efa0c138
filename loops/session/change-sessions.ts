// Changes `sessions.json`: one process at a time, each from what the one before it left.

import path from 'node:path';
import { readSessions, type Sessions, writeSessions } from '../../state/sessions/sessions-file.ts';
import { acquireTicket } from '../queue/acquire-ticket.ts';

interface Changing {
  stateFolder: string;
  /** Whose the change is, for those who look at the line. */
  taskId: string;
  clock: () => Date;
}

/** Where those who want a session, or its file, stand in line. */
export const sessionLines = (stateFolder: string): string => path.join(stateFolder, 'state', 'sessions');

/** Throws what the operating system throws when nothing can be written there. @returns what stands there now. */
export async function changeSessions(
  { stateFolder, taskId, clock }: Changing,
  change: (sessions: Sessions) => Sessions,
): Promise<Sessions> {
  const turn = await acquireTicket({
    line: { folder: sessionLines(stateFolder), name: 'file' },
    mode: 'write',
    taskId,
    stage: 'sessions.json',
    // Nobody has it for longer than it takes to write it.
    longestMs: 60_000,
    stop: NEVER,
    whileWaiting: () => {},
    clock,
  });
  try {
    const before = await readSessions(stateFolder, clock);
    const after = change(before);
    if (after.json !== before.json) await writeSessions(stateFolder, after);
    return { ...after, warnings: before.warnings };
  } finally {
    if (turn.how === 'taken') turn.release();
  }
}

const NEVER = new AbortController().signal;
