// The steps of a turn in a codex rollout: what one model request brought, and what its calls gave back.

import type { LineTable } from '../../sessions/line-table.ts';
import { kindOf } from './rollout-line.ts';

/** The line at which each step begins. @param lines of one turn. */
export function stepsIn(table: LineTable, lines: readonly number[]): number[] {
  const steps: number[] = [];
  let within = false;
  for (const line of lines) {
    const made = madeBy(table, line);
    if (made === 'model' && !within) steps.push(line);
    if (made !== null) within = made === 'model';
  }
  return steps;
}

/** Responses, and the count of tokens after each request, part the steps. */
function madeBy(table: LineTable, line: number): 'model' | 'other' | null {
  const found = kindOf(table.head(line), () => table.text(line));
  if (found?.type === 'response_item') return found.kind.endsWith('_output') ? 'other' : 'model';
  return found?.kind === 'token_count' ? 'other' : null;
}

/** Does the model see it on a resume, or is it the count of what it saw? */
export function isKept(table: LineTable, line: number): boolean {
  const found = kindOf(table.head(line), () => table.text(line));
  return found?.type === 'response_item' || found?.kind === 'token_count';
}
