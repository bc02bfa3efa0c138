// Changes `sessions.json`: one process at a time, each from the result of the previous one.

import path from 'node:path';
import { readSessions, type Sessions, writeSessions } from '../../state/sessions/sessions-file.ts';
import { acquireTicket } from '../limits/acquire-ticket.ts';

interface Changing {
  stateFolder: string;
  /** The task that makes the change, for readers of the queue. */
  taskId: string;
  clock: () => Date;
}

/** The folder of the queues for a session, or for the file itself. */
export const sessionLines = (stateFolder: string): string => path.join(stateFolder, 'state', 'sessions');

/**
 * Throws the error of the operating system if the file cannot be written.
 * @returns the new content.
 */
export async function changeSessions(
  { stateFolder, taskId, clock }: Changing,
  change: (sessions: Sessions) => Sessions,
): Promise<Sessions> {
  const turn = await acquireTicket({
    line: { folder: sessionLines(stateFolder), name: 'file' },
    mode: 'write',
    taskId,
    stage: 'sessions.json',
    // A process holds the turn only while it writes the file.
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
