// Waits for the turn to use a tag or a session, so that no two calls write to one session.

import path from 'node:path';
import type { Tool } from '../../policies/facts/tools.ts';
import { isSystemError } from '../../state/system-error.ts';
import { userState } from '../../state/task-folder.ts';
import { acquireTicket, type QueueTurn, type TicketRequest } from '../limits/acquire-ticket.ts';
import { sessionLines } from './change-sessions.ts';
import { queueNameOf } from './queue-names.ts';

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
