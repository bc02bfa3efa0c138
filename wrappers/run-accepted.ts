// Runs one CLI with the flags that it accepts: after it refused a flag that the call works without, again without that flag.

import { closeSync, constants, readSync } from 'node:fs';
import { lookAt, openRegular } from '../state/disk/regular-file.ts';
import { type Feature, flagOf, withoutFlags } from './feature.ts';
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

/** How the CLIs' parsers report an unknown flag: clap (codex, copilot from 1.0.89), commander (older copilot), yargs (gemini). */
const REFUSALS = [
  /^error: unexpected argument '(--[^'=]+)[^']*' found/m,
  /^error: unknown option '(--[^'=]+)[^']*'/m,
  /^Unknown arguments?: (.+)$/m,
];

/** A CLI reports a usage error at once. A CLI that takes longer did something before. */
const AT_ONCE_MS = 30_000;

const HEAD_BYTES = 64 * 1024;

/** A flag of ours that the call works without; null if a request may have been sent: every CLI writes events first. */
function refusedFlag({ files, argv }: Invocation, outcome: Outcome, features: readonly Feature[]): Feature | null {
  const { ending, exitCode, durationMs, survivors = [] } = outcome;
  if (ending !== 'exited' || exitCode === 0 || survivors.length > 0 || (durationMs ?? 0) > AT_ONCE_MS) return null;
  if (lookAt(files.stdout)?.size !== 0) return null;
  const refused = namesIn(headOf(files.stderr));
  const passed = argv.map(flagOf);
  return (
    features.find(
      ({ kind, name, without }) =>
        kind === 'flag' && without !== null && passed.includes(name) && refused.has(bare(name)),
    ) ?? null
  );
}

/** yargs reports names without dashes, possibly several. For `--no-color` it reports that it does not know `color`. */
const namesIn = (said: string): ReadonlySet<string> =>
  new Set(REFUSALS.flatMap((words) => words.exec(said)?.[1]?.split(/,\s*/) ?? []).map(bare));

const bare = (name: string): string => name.trim().replace(/^--/, '').replace(/^no-/, '');

function headOf(file: string): string {
  const fd = openRegular(file);
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}
