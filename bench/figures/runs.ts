// What a run costs beyond its calls: one stage over a no-op CLI beside the bare wrapper, a run with nothing to do beside bare node, and both beside the writing that is promised.

import { inTurns, type Times } from './pairs.ts';
import { type Figure, type FigureRow, rowOf } from './row.ts';
import { makeTask } from './tasks.ts';
import { BenchWorld, command, ONE_CALL, PROMISED, peer } from './world.ts';

const RUN = [command('tollgate'), 'run'];
const PROMISED_RUN = [peer('node-run.cjs'), '1'];

export const RUNS: Figure = {
  about: 'a run of one stage, and one with nothing to do',
  rounds: 25,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      return [...(await oneStage(world, rounds)), ...(await nothing(world, rounds))];
    } finally {
      world.dispose();
    }
  },
};

async function oneStage(world: BenchWorld, rounds: number): Promise<FigureRow[]> {
  const { ours, wrapper, promised } = await inTurns(rounds, {
    ours: (round) => world.node([...RUN, makeTask(world, `stage-${round}`), '--quiet']),
    wrapper: () => world.node([command('run_codex'), ...ONE_CALL]),
    promised: (round) => world.node([...PROMISED_RUN, `.tmp/task/${makeTask(world, `promised-${round}`)}`]),
  });
  const isReached = ours.median - wrapper.median <= 60;
  const row = (name: string, times: Times, goals?: FigureRow['goals']) =>
    rowOf('`tollgate run`, one stage', 'ms', ours, { name, ...times }, goals);
  return [row('the bare wrapper', wrapper, [{ goal: '≤ + 60 ms', isReached }]), row(PROMISED, promised)];
}

async function nothing(world: BenchWorld, rounds: number): Promise<FigureRow[]> {
  const [task, other] = [makeTask(world, 'done'), `.tmp/task/${makeTask(world, 'promised-done')}`];
  world.node([...RUN, task, '--quiet']);
  world.node([...PROMISED_RUN, other]);
  const { ours, bare, promised } = await inTurns(rounds, {
    ours: () => world.node([...RUN, task, '--quiet']),
    bare: world.bare,
    promised: () => world.node([...PROMISED_RUN, other]),
  });
  const isReached = ours.median - bare.median <= 40;
  const row = (name: string, times: Times, goals?: FigureRow['goals']) =>
    rowOf('`tollgate run`, nothing to do', 'ms', ours, { name, ...times }, goals);
  return [row('bare `node`', bare, [{ goal: '≤ + 40 ms', isReached }]), row(PROMISED, promised)];
}
