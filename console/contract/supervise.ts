// Declares the supervised tasks.

import type { IterationCells } from '../../policies/supervise/iteration-table.ts';

export interface SupervisionsShown {
  supervisions: SupervisionShown[];
}

export interface SupervisionShown {
  task_id: string;
  state: string;
  question: string | null;
  /** An answer is stored, and no run has given it to the reasoner yet. */
  answer_waits: boolean;
  instruction: string;
  /** The number of consecutive errors of the reasoner. */
  errors: number;
  iterations: IterationCells[];
  at: string | null;
}
