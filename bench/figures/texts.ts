// How fast ordinary stderr is selected from and signed.

import { measureThroughput } from '../truth/speed.ts';
import type { Figure, FigureRow } from './row.ts';

const NAMED: Record<string, string> = {
  'select error lines': 'error lines of ordinary stderr',
  'select error lines, no two the same': 'error lines of stderr whose lines all differ',
  sign: 'signature of ordinary stderr',
};
const GOAL_MB_S = 100;

export const TEXTS: Figure = {
  about: 'texts in memory',
  rounds: null,
  async measure() {
    const speeds = measureThroughput();
    return Object.entries(NAMED).map(
      ([work, what]): FigureRow => ({
        what,
        unit: 'MB/s',
        ours: speeds[work]!,
        min: speeds[work]!,
        peer: null,
        goals: [{ goal: `≥ ${GOAL_MB_S} MB/s`, isReached: speeds[work]! >= GOAL_MB_S }],
      }),
    );
  },
};
