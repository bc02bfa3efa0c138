// Judges a recorded call as it would have been judged when it was made.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { classify } from '../../policies/classify.ts';
import type { Ending } from '../../policies/ending.ts';
import type { Evidence, Verdict } from '../../policies/evidence.ts';
import type { Tool } from '../../policies/tools.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import { createCapture } from '../../wrappers/capture.ts';

export const NOW = new Date('2026-11-21T21:00:00.000Z');

export interface Recorded {
  tool: Tool;
  exit_code: number | null;
  signal: string | null;
  /** How the call ended, where it was not by itself. */
  ending?: Ending;
  /** The recorder's own deadline ended it. */
  killed?: boolean;
}

export function replay(folder: string): Verdict {
  return classify(evidenceOf(folder), { now: NOW, timeZone: 'UTC' });
}

export function evidenceOf(folder: string): Evidence {
  const recorded = JSON.parse(readFileSync(path.join(folder, 'meta.json'), 'utf8')) as Recorded;
  const { tool, exit_code, signal, killed } = recorded;
  const { readEvent, readStderr } = ADAPTERS[tool];
  const builder = createCapture();
  const stderr = linesOf(folder, 'stderr');
  for (const event of linesOf(folder, 'stdout').flatMap(readEvent)) builder.add(event);
  for (const event of stderr.flatMap(readStderr)) builder.add(event);
  const capture = builder.result();
  const cut: Ending = capture.retries > 0 ? 'retry_cut' : 'timed_out';
  return {
    tool,
    ending: recorded.ending ?? (killed ? cut : signal === null ? 'exited' : 'signalled'),
    exitCode: exit_code,
    signal,
    completed: capture.completed,
    answerChars: capture.answer.trim().length,
    failure: capture.failure,
    errors: capture.retrying === null ? capture.errors : [...capture.errors, capture.retrying],
    stderr,
    obstacle: null,
    tokens: capture.usage.total_tokens,
  };
}

function linesOf(folder: string, name: string): string[] {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}
