// Locks the session of a stage: no two calls write one session; its tag is locked first, then its id.

import path from 'node:path';
import { isSystemError } from '../../state/system-error.ts';
import { userState } from '../../state/user-state.ts';
import { acquireTicket, type QueueTurn, type TicketRequest } from '../queue/acquire-ticket.ts';
import { sessionLines } from '../session/change-sessions.ts';
import { queueNameOf } from '../session/queue-names.ts';
import type { StageRun } from '../task/stage-run.ts';

export interface HeldSessions {
  /** Waits for whoever has this session, and leaves the one that was held before. */
  hold(id: string): Promise<'held' | 'stopped'>;
  /** Has whoever started us this session, or its tag? */
  isGuest(): boolean;
  release(): void;
}

/** Holds the tag; null: told to stop while it waited. */
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
      // One at a time: two who hold one each and want the other's would wait for ever.
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

/** While its id is not known: the first task of a tag makes the session that the others go on with. */
const standForTag = (run: StageRun, tag: string): Promise<QueueTurn> =>
  stand(run, `the ${run.stage.tool} session of feature "${tag}"`, {
    folder: sessionLines(run.open.stateFolder),
    name: queueNameOf('tag', run.stage.tool, tag),
  });

/** A session is the user's: tasks of other projects may want it too. */
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
