// Reads the state of a task's supervision for the report: its iterations as in docs/supervise.md, and its open question.

import path from 'node:path';
import { type IterationCells, iterationCells } from '../../policies/supervise/iteration-table.ts';
import { standingAfter } from '../../policies/supervise/standing.ts';
import type { LeftHow } from '../../policies/supervise/supervise-facts.ts';
import type { Ledger } from '../../state/journal/ledger.ts';
import { notesFolder, notesLeft } from '../../state/supervise/texts.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import { redactorOf } from '../redactor.ts';
import { shownText } from '../supervise/shown-text.ts';
import { readTask } from '../task/task.ts';

export interface TaskSupervision {
  /** null while it runs, and after a run that was killed. */
  how: LeftHow | null;
  /** The reasoner's question to the user; null if there is none, or it has an answer. */
  question: string | null;
  /** An answer is stored, and no run has given it to the reasoner yet. */
  answer_waits: boolean;
  /** The current instruction. */
  instruction: string;
  iterations: IterationCells[];
}

/**
 * Redacts secrets. Without the manifest, which may name more secrets, it hides all texts.
 * @returns null for a task that was never supervised.
 */
export async function supervisionOf(
  task: TaskFolder,
  { supervised }: Ledger,
  environment: NodeJS.ProcessEnv,
): Promise<TaskSupervision | null> {
  if (supervised.length === 0) return null;
  const { lastEnd, question, instruction, rows, notes } = standingAfter(supervised);
  const read = await readTask({ word: `${task.root}/`, cwd: task.root, environment, trustWorkspace: true });
  const redactor = read.how === 'invalid' ? null : redactorOf(environment, read.manifest.security.redaction_patterns);
  const hide = (text: string): string => redactor?.redact(text) ?? '[…]';
  const textOf = (sha256: string): string => hide(shownText(task)(sha256));
  const isAnswered = question !== null && (notes.length > 0 || notesLeft(notesOf(task, environment)).length > 0);
  return {
    how: lastEnd?.how ?? null,
    question: question === null || isAnswered ? null : hide(question),
    answer_waits: isAnswered,
    instruction: textOf(instruction),
    iterations: rows.map((row) => iterationCells(row, textOf)),
  };
}

const notesOf = (task: TaskFolder, environment: NodeJS.ProcessEnv): string =>
  notesFolder(environment, path.dirname(path.dirname(task.root)), task);
