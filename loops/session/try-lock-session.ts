// Locks a session for a user's change: at once or not at all, because its task may hold it for hours.

import path from 'node:path';
import { isSystemError } from '../../state/system-error.ts';
import { userState } from '../../state/task-folder.ts';
import type { SessionFile } from '../../wrappers/sessions/store.ts';
import { acquireTicket } from '../limits/acquire-ticket.ts';
import { queueNameOf } from './queue-names.ts';

type SessionLock = { how: 'held'; release(): void } | { how: 'used'; by: string };

/**
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
    return turn.how === 'taken' ? { how: 'held', release: turn.release } : { how: 'used', by };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { how: 'held', release: () => {} };
  }
}
