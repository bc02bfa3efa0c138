// Judges a recorded call as it would have been judged when it was made.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { examine } from '../../loops/report/triage.ts';
import type { Verdict } from '../../policies/facts/evidence.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CapturedCall, RecordedEnding } from '../../policies/verdict/labelled-case.ts';

export const NOW = new Date('2026-11-21T21:00:00.000Z');

interface Recorded {
  tool: BuiltIn;
  exit_code: number | null;
  signal: string | null;
  ending?: RecordedEnding;
  /** The recorder's own deadline ended it. */
  killed?: boolean;
}

export const replay = (folder: string): Verdict => examine(recordedIn(folder), { now: NOW, timeZone: 'UTC' }).verdict;

function recordedIn(folder: string): CapturedCall {
  const { tool, exit_code, signal, ending, killed } = JSON.parse(textOf(folder, 'meta.json')) as Recorded;
  return {
    tool,
    exitCode: exit_code,
    signal,
    // Said in any case: then the exit code is the CLI's own, and never read as one of a wrapper.
    ending: ending ?? (killed ? 'killed' : signal === null ? 'exited' : 'signalled'),
    stderr: textOf(folder, 'stderr'),
    stdout: textOf(folder, 'stdout'),
  };
}

function textOf(folder: string, name: string): string {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
