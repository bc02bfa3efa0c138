// Takes the turn to use a tag or a session, so that no two processes write to one session.

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { isSystemError } from '../../state/system-error.ts';
import { userState } from '../../state/task-folder.ts';
import type { SessionFile } from '../../wrappers/sessions/store.ts';
import { acquireTicket, type QueueTurn, type TicketRequest } from '../limits/acquire-ticket.ts';
import { sessionLines } from './change-sessions.ts';

export interface SessionTurnRequest extends Omit<TicketRequest, 'line' | 'mode' | 'whileWaiting'> {
  tool: Tool;
  stateFolder: string;
  environment: NodeJS.ProcessEnv;
  /** @param what for example `the codex session of feature "login"`. */
  whileWaiting(what: string, who: string): void;
}

/** Needed while the id is not known: the first call of a tag makes the session in which the others continue. */
export const acquireTagTurn = (request: SessionTurnRequest, tag: string): Promise<QueueTurn> =>
  acquire(request, `the ${request.tool} session of feature "${tag}"`, {
    folder: sessionLines(request.stateFolder),
    name: queueNameOf('tag', request.tool, tag),
  });

/** A session belongs to the user: calls of other projects may want it too. */
export async function acquireSessionTurn(request: SessionTurnRequest, id: string): Promise<QueueTurn> {
  const what = `${request.tool} session ${id}`;
  const name = queueNameOf('session', request.tool, id);
  const own = userState(request.environment);
  const here = { folder: sessionLines(request.stateFolder), name };
  if (own === null) return acquire(request, what, here);
  try {
    return await acquire(request, what, { folder: path.join(own, 'sessions'), name });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return acquire(request, what, here);
  }
}

const acquire = (request: SessionTurnRequest, what: string, line: TicketRequest['line']): Promise<QueueTurn> =>
  acquireTicket({ ...request, line, mode: 'write', whileWaiting: ({ who }) => request.whileWaiting(what, who) });

type SessionLock = { how: 'held'; release(): void } | { how: 'refused'; by: string };

/**
 * Locks a session for a user's change: at once or not at all, because its task may hold it for hours.
 * Without a user state folder there is no queue, and no change can be made either. The code that makes the change reports that
 * better.
 */
export async function tryLockSession(
  { tool, id }: SessionFile,
  environment: NodeJS.ProcessEnv,
  clock: () => Date,
): Promise<SessionLock> {
  const state = userState(environment);
  if (state === null) return { how: 'held', release: () => {} };
  const taken = new AbortController();
  let by = 'another process has its turn';
  try {
    const turn = await acquireTicket({
      line: { folder: path.join(state, 'sessions'), name: queueNameOf('session', tool, id) },
      mode: 'write',
      taskId: `of ${environment.USER ?? 'a person'}`,
      stage: 'undo or recover',
      stop: taken.signal,
      whileWaiting: ({ who }) => {
        by = `${who} has its turn`;
        taken.abort();
      },
      clock,
    });
    return turn.how === 'taken' ? { how: 'held', release: turn.release } : { how: 'refused', by };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { how: 'held', release: () => {} };
  }
}

/** 16 hexadecimal digits, the same in every process. */
const queueNameOf = (kind: 'tag' | 'session', tool: Tool, what: string): string =>
  createHash('sha256').update(`${kind}\0${tool}\0${what}`).digest('hex').slice(0, 16);
