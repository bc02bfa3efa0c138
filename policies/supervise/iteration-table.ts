// Formats the iterations of a supervision as a table: iteration, reasoner, error count, action, instruction.

import { oneLine } from '../text/display.ts';
import { type IterationRow, MAX_REASONER_ERRORS } from './standing.ts';
import type { ReasonedAction } from './supervise-facts.ts';

export const ITERATION_COLUMNS = ['iteration', 'reasoner', 'error count', 'action', 'instruction'] as const;

/** `instruction`: the next instruction for the worker; `N/A` if there is none. */
export interface IterationCells {
  iteration: number;
  reasoner: 'Success' | 'Error' | '-';
  errors: string;
  action: string;
  instruction: string;
}

const ACTION: Record<ReasonedAction, string> = {
  continue: 'Normal',
  no_op: 'Normal',
  error: 'Preserve',
  done: 'Done',
  save_session: 'Exit',
  ask: 'Ask',
};

/** @param textOf returns the text of an instruction, given its hash. */
export function iterationCells(row: IterationRow, textOf: (instruction: string) => string): IterationCells {
  const { iteration, action, errors, isReset, instruction, isNew, refused } = row;
  if (action === null)
    return { iteration, reasoner: '-', errors: '-', action: '-', instruction: quote(textOf(instruction)) };
  const isError = action === 'error';
  const saves = errors >= MAX_REASONER_ERRORS;
  const ends = (isError && saves) || action === 'save_session' || (action === 'done' && !refused);
  return {
    iteration,
    reasoner: isError ? 'Error' : 'Success',
    errors: isError ? `${errors} → ${saves ? 'SAVE' : 'NO_OP'}` : isReset ? '0 (reset)' : '0',
    action: isError && saves ? 'Exit' : refused ? 'Done (refused)' : ACTION[action],
    instruction: ends ? 'N/A' : `${quote(textOf(instruction))}${isNew ? ' (new)' : iteration === 1 ? '' : ' (same)'}`,
  };
}

const quote = (text: string): string => `"${oneLine(text, MAX_CHARS)}"`;

const MAX_CHARS = 60;

/** @param most the maximum number of rows; if there are more, the last ones are shown. */
export function iterationTable(cells: readonly IterationCells[], most: number): string[] {
  const shown = cells.slice(-most);
  const row = (values: readonly (string | number)[]) =>
    `| ${values.map((value) => String(value).replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    row(ITERATION_COLUMNS),
    `|${'---|'.repeat(ITERATION_COLUMNS.length)}`,
    ...(cells.length > shown.length ? [row([`${cells.length - shown.length} before`, '', '', '', ''])] : []),
    ...shown.map(({ iteration, reasoner, errors, action, instruction }) =>
      row([iteration, reasoner, errors, action, instruction]),
    ),
  ];
}

/** The line that a run prints. */
export const iterationLine = ({ iteration, reasoner, errors, action, instruction }: IterationCells): string =>
  `iteration ${iteration}: reasoner ${reasoner.toLowerCase()}, error count ${errors}, ${action.toLowerCase()}, instruction ${instruction}`;
