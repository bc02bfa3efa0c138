// A row of a project's own, as tollgate.yaml and the draft of a call have it.

import type { ErrorClass } from '../facts/classes.ts';
import type { Tool } from '../facts/tools.ts';
import type { Match, Said } from '../rule/rule.ts';

/** Where words and codes are found. */
export const SAID_IN = ['failure', 'error', 'stderr', 'exit_code'] as const;

/** Plain data: it goes from the dispatcher to the wrapper, and stays with the call. */
export interface OwnRow {
  id: string;
  tool: Tool | 'any';
  source: (typeof SAID_IN)[number] | 'any';
  match: OwnMatch;
  class: ErrorClass;
  reason: string;
  /** A text stands for itself, its status and code as the CLIs' own failures have them. */
  proof: readonly (string | Said)[];
}

/** No regular expression: one could be written that never ends. */
interface OwnMatch extends Omit<Match, 'text'> {
  text?: readonly string[];
}

/** What judges: the proof is for lint alone. */
export const withoutProof = (row: OwnRow): OwnRow => ({ ...row, proof: [] });
