// Handles a session that is open in its CLI, for example in a user's terminal: waits for it, or begins a new one.

import { adapterOf } from '../../wrappers/adapters.ts';
import { findSession, quietly } from '../session/own-files.ts';
import { writerOf } from '../session/wait-until-idle.ts';
import type { StageRun } from '../task/stage-run.ts';

/** `open`: the session is still open, and `by` says by whom. */
type OpenedElsewhere = { how: 'free' } | { how: 'open'; by: string } | { how: 'stopped' };

const LOOK_MS = 1000;

/** Waits until the session is closed, if the user chose to wait, and no longer than the task's wall clock. */
export async function untilClosed(run: StageRun, id: string): Promise<OpenedElsewhere> {
  const { stage, options, context } = run;
  const { stop, say, pause } = context;
  let isReported = false;
  for (;;) {
    const by = await openBy(run, id);
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

/** @returns half a sentence, or null if no process is known to have it open. */
async function openBy({ open, stage, context: { environment, clock } }: StageRun, id: string): Promise<string | null> {
  const lookup = { environment, cwd: open.cwd };
  const session = await findSession(stage.tool, id, lookup);
  if (session === null) return null;
  const store = await adapterOf(stage.tool).sessions();
  return quietly(() => writerOf({ store, session, lookup, clock }));
}
