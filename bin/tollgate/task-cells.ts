// Formats the cells that several tables of tasks share.

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

export const STATE_PAINT = (cell: string): Paint | null =>
  cell === `done${OF_EARLIER_RUN}` ? 'dim' : (PAINTS[cell.replace(OF_EARLIER_RUN, '')] ?? null);

const OF_EARLIER_RUN = ' (earlier run)';

/** A result of an earlier run says nothing about the current tree. */
export const stateWords = ({ state, checked_by }: Pick<TaskRow, 'state' | 'checked_by'>): string =>
  `${state.replace('_', ' ')}${(state === 'done' || state === 'failed') && checked_by === 'earlier_run' ? OF_EARLIER_RUN : ''}`;

/** `budget` is unknown until a run has read it. */
export const taskCalls = ({ used, budget }: TaskRow['calls']): string => `${used}/${budget ?? '-'}`;

/** Formats a duration as people write it: 8 s, 3 min 20 s, 2 h 5 min. */
export function spell(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
