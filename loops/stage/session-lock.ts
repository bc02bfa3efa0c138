// Locks the session of a stage, so that no two calls write to one session; the tag is locked first, then the id.

import path from 'node:path';
import { isSystemError } from '../../state/system-error.ts';
import { userState } from '../../state/user-state.ts';
import { acquireTicket, type QueueTurn, type TicketRequest } from '../limits/acquire-ticket.ts';
import { sessionLines } from '../session/change-sessions.ts';
import { queueNameOf } from '../session/queue-names.ts';
import type { StageRun } from '../task/stage-run.ts';

export interface HeldSessions {
  /** Waits for the process that holds this session, and releases the one that was held before. */
  hold(id: string): Promise<'held' | 'stopped'>;
  /** Whether an ancestor of this process holds this session, or its tag. */
  isGuest(): boolean;
  release(): void;
}

/** Locks the tag. @returns null if a stop was requested while it waited. */
export async function lockSessions(run: StageRun, tag: string): Promise<HeldSessions | null> {
  const first = await standForTag(run, tag);
  if (first.how === 'stopped') return null;
  let isGuest = first.within;
  let session: { id: string; release(): void } | null = null;
  const leaveSession = () => {
    session?.release();
    session = null;
  };
  return {
    isGuest: () => isGuest,
    async hold(id) {
      if (session?.id === id) return 'held';
      // One at a time: two runs that each hold the session that the other wants would deadlock.
      leaveSession();
      const turn = await standForSession(run, id);
      if (turn.how === 'stopped') return 'stopped';
      session = { id, release: turn.release };
      isGuest ||= turn.within;
      return 'held';
    },
    release() {
      leaveSession();
      first.release();
    },
  };
}

/** Needed while the id is not known: the first task of a tag makes the session that the others continue in. */
const standForTag = (run: StageRun, tag: string): Promise<QueueTurn> =>
  stand(run, `the ${run.stage.tool} session of feature "${tag}"`, {
    folder: sessionLines(run.open.stateFolder),
    name: queueNameOf('tag', run.stage.tool, tag),
  });

/** A session belongs to the user: tasks of other projects may want it too. */
async function standForSession(run: StageRun, id: string): Promise<QueueTurn> {
  const what = `${run.stage.tool} session ${id}`;
  const name = queueNameOf('session', run.stage.tool, id);
  const own = userState(run.context.environment);
  const here = { folder: sessionLines(run.open.stateFolder), name };
  if (own === null) return stand(run, what, here);
  try {
    return await stand(run, what, { folder: path.join(own, 'sessions'), name });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return stand(run, what, here);
  }
}

const stand = (
  { open, stage, options, context: { stop, say, clock } }: StageRun,
  what: string,
  line: TicketRequest['line'],
) =>
  acquireTicket({
    line,
    mode: 'write',
    taskId: open.task.id,
    taskFolder: open.task.root,
    stage: stage.name,
    foreign: options.whenTaken === 'force' ? 'pass' : 'wait',
    stop,
    say,
    whileWaiting: ({ who }) => say(`stage ${stage.name} waits for ${what}: ${who} has it`),
    clock,
  });
