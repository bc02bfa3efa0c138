// What a report says of a supervision: its iterations as the table has them, what is in force, and how to go on.

import type { Change } from '../../policies/facts/gate-record.ts';
import { iterationCells } from '../../policies/supervise/iteration-table.ts';
import type { SessionSave } from '../../policies/supervise/session-save.ts';
import type { SupervisionReport } from '../run/report.ts';
import type { OpenTask } from '../task/task.ts';
import { standingOf } from './course.ts';
import { saveFileOf } from './save.ts';
import { shownText } from './shown-text.ts';

export function supervisionReport(
  open: OpenTask,
  save: SessionSave | null,
  changes: readonly Change[],
): SupervisionReport {
  const { iteration, errors, instruction, question, rows, left } = standingOf(open);
  const last = rows.at(-1);
  return {
    how: left?.how ?? null,
    iteration,
    errors: last?.action === 'error' ? last.errors : errors,
    instruction: open.hide(shownText(open.task)(instruction)),
    question: question === null ? null : open.hide(question),
    summary: last?.action === 'done' && !last.refused ? open.hide(last.text) : null,
    iterations: rows.map((row) => {
      const cells = iterationCells(row, shownText(open.task));
      return { ...cells, instruction: open.hide(cells.instruction) };
    }),
    changed: changes.map(({ path, how }) => open.hide(`${path} (${how})`)),
    saved: save === null ? null : saveFileOf(open.task),
    resume: save?.resume ?? null,
  };
}
