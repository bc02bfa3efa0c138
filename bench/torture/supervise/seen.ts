// Reads what the agents of a supervised round were called with and answered, one line each, from their notes on disk.

import { existsSync, readFileSync } from 'node:fs';
import type { Call, Said } from '../../../test/rig/supervision-model.ts';

export type Seen =
  | ({ what: 'asked'; call_id: string } & Call)
  /** What its answer means to the loop; null for a worker's answer. */
  | { what: 'says'; call_id: string; said: Said | null }
  /** The answer was completely on disk by then. */
  | { what: 'answered'; call_id: string };

export interface SeenCall extends Call {
  said: Said | null;
  answered: boolean;
}

/** By call. If an agent was killed in the middle of a line, its notes end before that line. */
export function seenCalls(file: string): Map<string, SeenCall> {
  const calls = new Map<string, SeenCall>();
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    if (!line.endsWith('}')) continue;
    const seen = JSON.parse(line) as Seen;
    const { call_id } = seen;
    if (seen.what === 'asked') calls.set(call_id, { part: seen.part, text: seen.text, said: null, answered: false });
    else if (seen.what === 'says') calls.get(call_id)!.said = seen.said;
    else calls.get(call_id)!.answered = true;
  }
  return calls;
}
