// Runs one CLI with the flags that it accepts. If it refuses a flag that the call works without, runs it again without that flag.

import { closeSync, constants } from 'node:fs';
import { openRegular } from '../state/disk/regular-file.ts';
import { type Feature, withoutFlags } from './feature.ts';
import { refusedFlag } from './refused-flag.ts';
import { type Invocation, type Observer, type Outcome, run } from './run.ts';

export interface FlagObserver extends Observer {
  /** The CLI ended without any request. It is about to be started again with these arguments. */
  refused(flag: Feature, argv: string[]): void;
}

/** Each round removes a flag, so there are no more rounds than flags. The deadline counts from the first round. */
export async function runAccepted(
  invocation: Invocation,
  features: readonly Feature[],
  observer: FlagObserver,
  stop: AbortSignal,
): Promise<Outcome> {
  const outcome = await run(invocation, observer, stop);
  const flag = stop.aborted ? null : refusedFlag(invocation, outcome, features);
  const wallMs = invocation.limits.wallMs - (outcome.durationMs ?? 0);
  if (flag === null || wallMs <= 0) return outcome;
  const argv = withoutFlags(invocation.argv, [flag]);
  observer.refused(flag, argv);
  // The usage text of this run must not be read as output of the next run.
  closeSync(openRegular(invocation.files.stderr, constants.O_WRONLY | constants.O_TRUNC));
  outcome.streams?.close();
  const again = { ...invocation, argv, limits: { ...invocation.limits, wallMs } };
  const next = await runAccepted(again, features, observer, stop);
  return {
    ...next,
    durationMs: (outcome.durationMs ?? 0) + (next.durationMs ?? 0),
    sleptMs: outcome.sleptMs + next.sleptMs,
    orphansKilled: outcome.orphansKilled + next.orphansKilled,
  };
}
