// Cells that stand in more than one table of tasks.

import type { TaskRow } from '../../loops/report/task-row.ts';
import type { Paint } from '../sheet.ts';

const PAINTS: Partial<Record<string, Paint>> = {
  done: 'green',
  failed: 'red',
  interrupted: 'yellow',
  parked: 'yellow',
  running: 'cyan',
  'never run': 'dim',
};

export const STATE_PAINT = (cell: string): Paint | null => PAINTS[cell] ?? null;

/** `budget` is unknown until a run has read it. */
export const taskCalls = ({ used, budget }: TaskRow['calls']): string => `${used}/${budget ?? '-'}`;
