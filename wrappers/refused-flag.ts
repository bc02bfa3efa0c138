// Which flag a CLI refused before it asked for anything, where a call can do without it.

import { closeSync, readSync } from 'node:fs';
import { lookAt, openRegular } from '../state/disk/regular-file.ts';
import { type Feature, flagOf } from './feature.ts';
import type { Invocation, Outcome } from './run.ts';

/** How their parsers name a flag that they do not know: clap (codex, copilot from 1.0.89), commander (older copilot), yargs (gemini). */
const REFUSALS = [
  /^error: unexpected argument '(--[^'=]+)[^']*' found/m,
  /^error: unknown option '(--[^'=]+)[^']*'/m,
  /^Unknown arguments?: (.+)$/m,
];

/** A usage error is told at once; whoever takes longer did something before. */
const AT_ONCE_MS = 30_000;
const HEAD_BYTES = 64 * 1024;

/**
 * A flag of ours that the call can do without; null where it is not certain that nothing was asked: every CLI writes an
 * event before its first request.
 */
export function refusedFlag(
  { files, argv }: Invocation,
  outcome: Outcome,
  features: readonly Feature[],
): Feature | null {
  const { ending, exitCode, durationMs, left = [] } = outcome;
  if (ending !== 'exited' || exitCode === 0 || left.length > 0 || (durationMs ?? 0) > AT_ONCE_MS) return null;
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

/** yargs tells bare names, several of them, and of `--no-color` that it does not know `color`. */
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
