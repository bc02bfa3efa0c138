// What a run costs beyond its calls: one stage over a no-op CLI beside the bare wrapper, and a run with nothing to do beside bare node.

import { inTurns } from './pairs.ts';
import type { Figure, FigureRow } from './row.ts';
import { BenchWorld, command, ONE_CALL } from './world.ts';

const RUN = [command('tollgate'), 'run'];

export const RUNS: Figure = {
  about: 'a run of one stage, and one with nothing to do',
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      return [await oneStage(world, rounds), await nothing(world, rounds)];
    } finally {
      world.dispose();
    }
  },
};

async function oneStage(world: BenchWorld, rounds: number): Promise<FigureRow> {
  const { ours, wrapper } = await inTurns(rounds, {
    ours: (round) => world.node([...RUN, makeTask(world, `stage-${round}`), '--quiet']),
    wrapper: () => world.node([command('run_codex'), ...ONE_CALL]),
  });
  return {
    what: '`tollgate run`, one stage',
    unit: 'ms',
    ours: ours.median,
    min: ours.min,
    peer: { name: 'the bare wrapper', value: wrapper.median, min: wrapper.min },
    goals: [{ goal: '≤ + 60 ms', isReached: ours.median - wrapper.median <= 60 }],
  };
}

async function nothing(world: BenchWorld, rounds: number): Promise<FigureRow> {
  const task = makeTask(world, 'done');
  world.node([...RUN, task, '--quiet']);
  const { ours, bare } = await inTurns(rounds, {
    ours: () => world.node([...RUN, task, '--quiet']),
    bare: world.bare,
  });
  return {
    what: '`tollgate run`, nothing to do',
    unit: 'ms',
    ours: ours.median,
    min: ours.min,
    peer: { name: 'bare `node`', value: bare.median, min: bare.min },
    goals: [{ goal: '≤ + 40 ms', isReached: ours.median - bare.median <= 40 }],
  };
}

function makeTask(world: BenchWorld, id: string): string {
  const stages = [{ tool: 'codex', role: 'brief', requires: [], min_lines: 0 }];
  world.write(`.tmp/task/${id}/manifest.json`, JSON.stringify({ task_id: id, goal: 'Nothing.', stages }));
  return id;
}
