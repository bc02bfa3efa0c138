// Starts the guardian of a stage's first call while the stage is still prepared: Node takes as long to begin as that takes.

import type { EarlyGuardian, StartedGuardian } from '../attempt/dispatch.ts';
import { newCallId } from '../attempt/draft.ts';
import { commandOf, environmentOf, guardedOf } from './guardian-command.ts';
import { startGuardian } from './start-guardian.ts';

type Starting = Parameters<typeof guardedOf>[0];

/** Whoever waits longer for a tree, a limit or a service need not keep a process waiting, too. */
const WAITS_MS = 10_000;

/**
 * null where it is not sure that the stage needs a call: it is done, or has been asked before. Until it is told what to do it
 * touches nothing, and is nobody's call; it ends when it is dismissed, or with us.
 */
export function startEarly(run: Starting, waitsMs: number = WAITS_MS): EarlyGuardian | null {
  const { stage, open, context } = run;
  const { done, calls } = open.journal.read().ledger;
  const isAsked = [...calls.values()].some(({ reserved }) => reserved.stage === stage.name);
  if (done.has(stage.name) || isAsked || context.stop.aborted) return null;
  const guarded = guardedOf(run, newCallId(context.clock()));
  let waiting: StartedGuardian | null = startGuardian(commandOf(guarded), environmentOf(guarded));
  const take = () => {
    clearTimeout(timer);
    const taken = waiting;
    waiting = null;
    return taken;
  };
  const dismiss = async () => take()?.dismiss();
  const timer = setTimeout(dismiss, waitsMs).unref();
  return {
    callId: guarded.callId,
    waitsFor: (asked) => asked === stage && waiting?.lives() === true,
    take: () => {
      const taken = take();
      return taken?.lives() ? taken : null;
    },
    dismiss,
  };
}
