// How fast ordinary stderr is selected from and signed, and what the worst 100 kB take.

import { measureThroughput, measureWorst } from '../truth/speed.ts';
import type { Figure, FigureRow } from './row.ts';

const NAMED: Record<string, string> = {
  'select error lines': 'error lines of ordinary stderr',
  sign: 'signature of ordinary stderr',
};
const GOAL_MB_S = 100;
const GOAL_WORST_MS = 20;

export const TEXTS: Figure = {
  about: 'texts in memory',
  async measure() {
    const speeds = measureThroughput();
    const worst = measureWorst([]);
    return Object.entries(NAMED).flatMap(([work, what]): FigureRow[] => [
      alone(what, 'MB/s', speeds[work]!, { goal: `≥ ${GOAL_MB_S} MB/s`, isReached: speeds[work]! >= GOAL_MB_S }),
      alone(`${what.split(' of ')[0]}, the worst 100 kB (${worst[work]!.of})`, 'ms', worst[work]!.ms, {
        goal: `≤ ${GOAL_WORST_MS} ms`,
        isReached: worst[work]!.ms <= GOAL_WORST_MS,
      }),
    ]);
  },
};

const alone = (what: string, unit: FigureRow['unit'], ours: number, goal: FigureRow['goals'][number]): FigureRow => ({
  what,
  unit,
  ours,
  min: ours,
  peer: null,
  goals: [goal],
});
