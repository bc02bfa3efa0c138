// How long a tree of eleven processes that ignore TERM outlives its time of grace, and how many of them are left.

import { endTrees } from './kill-tree.ts';
import { timesOf } from './pairs.ts';
import type { Figure } from './row.ts';

export const KILL: Figure = {
  about: `a tree of 11 processes in groups and sessions of their own, double-forked, deaf to TERM (Linux alone)`,
  // Each takes the grace of two seconds.
  rounds: 6,
  async measure(rounds) {
    if (process.platform !== 'linux') return [];
    const { ms, leftOver } = await endTrees(rounds, 'no');
    const { median, min } = timesOf(ms);
    return [
      {
        what: `end of the grace to the death of the last of 11, ${leftOver} left over`,
        unit: 'ms',
        ours: median,
        min,
        peer: null,
        goals: [{ goal: '0 left over', isReached: leftOver === 0 }],
      },
    ];
  },
};
