// Finds the row that a verdict names, to show what it looks for.

import { ENDING_RULES, LEFTOVERS, LOST, SILENT_START } from '../rules/endings.ts';
import type { Rule } from '../rules/rule.ts';
import { RULES } from '../rules/rules.ts';

/**
 * The table of the row: `said` matches words and codes; an `ending` decides by itself; a `leftover` applies when nothing matched.
 */
type FoundRow =
  | { kind: 'said'; row: Rule }
  | { kind: 'ending' | 'leftover'; row: Pick<Rule, 'id' | 'class' | 'reason'> };

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
