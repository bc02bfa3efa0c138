// Defines a project's own row, as in tollgate.yaml and the draft of a call.

import type { ErrorClass } from '../facts/classes.ts';
import type { Tool } from '../facts/tools.ts';
import type { Match, Said } from '../rules/rule.ts';

/** Where words and codes are found. */
export const SAID_IN = ['failure', 'error', 'stderr', 'exit_code'] as const;

/** Plain data: the dispatcher passes it to the wrapper, and it is stored with the call. */
export interface OwnRow {
  id: string;
  tool: Tool | 'any';
  source: (typeof SAID_IN)[number] | 'any';
  match: OwnMatch;
  class: ErrorClass;
  reason: string;
  /** A text is used as it is, with the status and code that the CLIs' own failures have. */
  proof: readonly (string | Said)[];
}

/** No regular expression, because one could run forever. */
interface OwnMatch extends Omit<Match, 'text'> {
  text?: readonly string[];
}

/** The part that classifies: the proof is only for lint. */
export const withoutProof = (row: OwnRow): OwnRow => ({ ...row, proof: [] });
