// How long a tree of eleven processes that ignore TERM outlives its time of grace, and how many of them are left, beside one KILL to each.

import { endTrees, killKnownTree } from './kill-tree.ts';
import { inTurns } from './pairs.ts';
import { type Figure, rowOf } from './row.ts';

export const KILL: Figure = {
  about: `a tree of 11 processes in groups and sessions of their own, double-forked, deaf to TERM (Linux alone)`,
  // Each takes the grace of two seconds.
  rounds: 6,
  async measure(rounds) {
    if (process.platform !== 'linux') return [];
    let leftOver = 0;
    const { ours, known } = await inTurns(rounds, {
      ours: async () => {
        const { ms, leftOver: left } = await endTrees(1, 'no');
        leftOver += left;
        return ms[0]!;
      },
      known: killKnownTree,
    });
    const what = `end of the grace to the death of the last of 11, ${leftOver} left over`;
    const peer = { name: 'one KILL to each, all known', ...known };
    return [rowOf(what, 'ms', ours, peer, [{ goal: '0 left over', isReached: leftOver === 0 }])];
  },
};
