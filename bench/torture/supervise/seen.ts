// What the agents of a supervised round were asked and answered, as they say on disk, a line each.

import { existsSync, readFileSync } from 'node:fs';
import type { Call, Said } from '../../../test/rig/supervision-model.ts';

export type Seen =
  | ({ what: 'asked'; call_id: string } & Call)
  /** What its words are to the loop; null for a worker's. */
  | { what: 'says'; call_id: string; said: Said | null }
  /** They were on disk by then, whole. */
  | { what: 'answered'; call_id: string };

export interface SeenCall extends Call {
  said: Said | null;
  answered: boolean;
}

/** By call; one whose agent was killed in the middle of a line has no more of it. */
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
