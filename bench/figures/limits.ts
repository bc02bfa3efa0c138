// What limits over all tasks cost: a wrapper that has none looks whether there are any, and one that has is charged and settled.

import path from 'node:path';
import { build } from 'esbuild';
import { inTurns } from './pairs.ts';
import type { Figure } from './row.ts';
import { BenchWorld, command, ONE_CALL } from './world.ts';

/** In a process of its own, as a wrapper is one; which has opened other files by then, and read the clock. */
const LOOK = `
import { mayBeLimited } from './state/limits/limits-folder.ts';
mayBeLimited({ HOME: '/nowhere' }, '/nowhere');
const began = performance.now();
const isLimited = mayBeLimited(process.env, process.cwd());
const ms = performance.now() - began;
process.exitCode = isLimited ? 1 : 0;
process.stderr.write(String(ms));
`;

export const LIMITS: Figure = {
  about: 'limits over all tasks, in a wrapper over a no-op CLI',
  rounds: 25,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      const look = path.join(world.root, 'look.cjs');
      const stdin = { contents: LOOK, resolveDir: process.cwd(), loader: 'ts' } as const;
      await build({ stdin, outfile: look, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
      const limited = { ...world.env, XDG_STATE_HOME: path.join(world.root, 'limited') };
      const day = ['budget', '--per', 'day', '--set', '1000000'];
      world.timed(process.execPath, [command('tollgate'), ...day], 0, { env: limited });
      const wrapper = [command('run_codex'), ...ONE_CALL];
      const { looked, without, within } = await inTurns(rounds, {
        looked: () => Number(world.said(process.execPath, [look])),
        without: () => world.node(wrapper),
        within: () => world.timed(process.execPath, wrapper, 0, { env: limited }),
      });
      return [
        {
          what: 'a wrapper without limits: the look whether there are any',
          unit: 'ms',
          ours: looked.median,
          min: looked.min,
          peer: null,
          goals: [{ goal: '≤ 1 ms', isReached: looked.median <= 1 }],
        },
        {
          what: '`run_codex` under a budget of a day',
          unit: 'ms',
          ours: within.median,
          min: within.min,
          peer: { name: 'the same without limits', value: without.median, min: without.min },
          goals: [],
        },
      ];
    } finally {
      world.dispose();
    }
  },
};
