// How the supervision of a task stands, for the report: its iterations as docs/supervise.md has them, and what is asked.

import { type IterationCells, iterationCells } from '../../policies/supervise/iteration-table.ts';
import { standingAfter } from '../../policies/supervise/standing.ts';
import type { LeftHow } from '../../policies/supervise/supervise-facts.ts';
import type { Ledger } from '../../state/journal/ledger.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import { shownText } from '../supervise/shown-text.ts';
import { readTask } from '../task/task.ts';

export interface TaskSupervision {
  /** null while it goes on, and after a run that was killed. */
  how: LeftHow | null;
  /** Its reasoner's, for a person; null where it asks nothing. */
  question: string | null;
  /** In force. */
  instruction: string;
  iterations: IterationCells[];
}

/** null for a task that nobody has supervised. Secrets are taken out; without the manifest, which may name more of them, so are the texts. */
export async function supervisionOf(
  task: TaskFolder,
  { supervised }: Ledger,
  environment: NodeJS.ProcessEnv,
): Promise<TaskSupervision | null> {
  if (supervised.length === 0) return null;
  const { left, question, instruction, rows } = standingAfter(supervised);
  const read = await readTask({ word: `${task.root}/`, cwd: task.root, environment, trustWorkspace: true });
  const redactor = read.how === 'invalid' ? null : redactorOf(environment, read.manifest.security.redaction_patterns);
  const hide = (text: string): string => redactor?.redact(text) ?? '[…]';
  const textOf = (sha256: string): string => hide(shownText(task)(sha256));
  return {
    how: left?.how ?? null,
    question: question === null ? null : hide(question),
    instruction: textOf(instruction),
    iterations: rows.map((row) => iterationCells(row, textOf)),
  };
}
