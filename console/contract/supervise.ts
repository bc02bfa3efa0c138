// Supervised tasks.

import type { IterationCells } from '../../policies/supervise/iteration-table.ts';

export interface SupervisionsShown {
  supervisions: SupervisionShown[];
}

export interface SupervisionShown {
  task_id: string;
  state: string;
  question: string | null;
  instruction: string;
  /** Of the reasoner, in a row. */
  errors: number;
  iterations: IterationCells[];
  at: string | null;
}
