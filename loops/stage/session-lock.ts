// Reserves the session of a stage: locks its tag, then its id against other runs, and waits while a CLI has it open.

import { acquireSessionTurn, acquireTagTurn, type SessionTurnRequest } from '../session/session-turn.ts';
import { writerIn } from '../session/wait-until-idle.ts';
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

/** `open`: the session is still open, and `by` says by whom. */
type OpenedElsewhere = { how: 'free' } | { how: 'open'; by: string } | { how: 'stopped' };

const LOOK_MS = 1000;

/** Waits until the session is closed, if the user chose to wait, and no longer than the task's wall clock. */
export async function untilClosed(run: StageRun, id: string): Promise<OpenedElsewhere> {
  const { stage, options, context } = run;
  const { stop, say, pause } = context;
  let isReported = false;
  for (;;) {
    const lookup = { environment: context.environment, cwd: run.open.cwd };
    const by = await writerIn(stage.tool, id, lookup, context.clock);
    if (by === null) return { how: 'free' };
    const leftMs = run.wallLeftMs();
    if (options.whenOpen === 'fresh' || (leftMs !== null && leftMs <= 0)) return { how: 'open', by };
    if (!isReported)
      say(
        `stage ${stage.name}: session ${id} is open: ${by}; waiting until it is closed (--when-open=fresh begins a new one)`,
      );
    isReported = true;
    await pause(Math.min(LOOK_MS, leftMs ?? LOOK_MS), stop);
    if (stop.aborted) return { how: 'stopped' };
  }
}
