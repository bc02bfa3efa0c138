// Defines a project's own row, as in tollgate.yaml and the draft of a call, compiles it, and finds any row by its id.

import type { ErrorClass } from '../facts/classes.ts';
import { readFailure } from '../facts/engine-failure.ts';
import type { Tool } from '../facts/tools.ts';
import { ENDING_RULES, LEFTOVERS, LOST, SILENT_START } from '../rules/endings.ts';
import { compilePhrases } from '../rules/phrase.ts';
import type { Match, Meaning, Rule, Said } from '../rules/rule.ts';
import { RULES } from '../rules/rules.ts';
import { stderrFailures } from './stderr-failures.ts';

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

export function compileRow({ match: { text, ...rest }, proof, ...row }: OwnRow): Rule {
  const match = { ...rest, ...(text === undefined ? {} : { text: compilePhrases(text) }) };
  return { ...row, match, proof: proof.map((one) => (typeof one === 'string' ? saidIn(one) : one)) };
}

/** Reads the text as a line of stderr is read: without the prefixes that each CLI adds. */
function saidIn(text: string): Said {
  if (text.includes('\n')) return readFailure(text);
  const [heard] = stderrFailures([text]);
  return heard?.failure ?? { message: '' };
}

/** The row's table: `said` matches words and codes, an `ending` decides alone, a `leftover` if nothing matched. */
type FoundRow = { kind: 'said'; row: Rule } | { kind: 'ending' | 'leftover'; row: Meaning };

/** @returns null for a name that needs no row: an obstacle with our own message, or the finding of a gate. */
export function findRow(id: string): FoundRow | null {
  const said = RULES.find((row) => row.id === id);
  if (said !== undefined) return { kind: 'said', row: said };
  const ending = [SILENT_START, ...Object.values(ENDING_RULES)].find((row) => row?.id === id);
  if (ending) return { kind: 'ending', row: ending };
  const leftover = [LOST, ...Object.values(LEFTOVERS)].find((row) => row.id === id);
  return leftover === undefined ? null : { kind: 'leftover', row: leftover };
}

/** Is it the name of a row, or a name that we use without a row? */
export const isTaken = (id: string): boolean => findRow(id) !== null || NAMED.test(id);

const NAMED =
  /^(?:obstacle|call-runs-elsewhere|not-prepared|wrapper-left-no-record|batch-paused|run-stopped|(?:gate|refused|limit)-.*)$/;
