// Locks the session of a stage, so that no two calls write to one session; the tag is locked first, then the id.

import { acquireSessionTurn, acquireTagTurn, type SessionTurnRequest } from '../session/session-turn.ts';
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
  const first = await acquireTagTurn(requestOf(run), tag);
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
      const turn = await acquireSessionTurn(requestOf(run), id);
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

const requestOf = ({ open, stage, options, context }: StageRun): SessionTurnRequest => ({
  tool: stage.tool,
  stateFolder: open.stateFolder,
  environment: context.environment,
  taskId: open.task.id,
  taskFolder: open.task.root,
  stage: stage.name,
  foreign: options.whenTaken === 'force' ? 'pass' : 'wait',
  stop: context.stop,
  say: context.say,
  whileWaiting: (what, who) => context.say(`stage ${stage.name} waits for ${what}: ${who} has it`),
  clock: context.clock,
});
