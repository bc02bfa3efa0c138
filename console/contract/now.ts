// Declares what runs now, and the open questions.

import type { RunsNow } from '../../loops/report/now.ts';

export type { NowCall, NowTask, NowWait } from '../../loops/report/now.ts';

export interface AskedQuestion {
  task_id: string;
  question: string;
}

export type NowShown = Pick<RunsNow, 'tasks' | 'totals'> & {
  questions: AskedQuestion[];
  /** Tasks whose answer is stored, and that no run has continued yet. */
  answered: string[];
};
