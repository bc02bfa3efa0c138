// Measures a report over 10,000 and 100,000 tasks, a tenth of them failed, beside bare node that reads each journal.

import { atMost, type Figure, type FigureRow, inTurns, timesOf } from './measure.ts';
import { type BenchWorld, command, fillWithTasks, inWorld, usageIn } from './world.ts';

/** Tasks, and the seconds that a report over them may take. */
const SIZES = [[10_000, 2] as const, [100_000, 15] as const];

const EACH = `const fs = require('node:fs');
for (const name of fs.readdirSync('.tmp/task')) fs.readFileSync('.tmp/task/' + name + '/state/journal.jsonl');
`;

export const REPORTS: Figure = {
  about: 'a report over many tasks',
  rounds: 3,
  async measure(rounds) {
    const rows: FigureRow[] = [];
    for (const [tasks, seconds] of SIZES)
      rows.push(...(await inWorld((world) => reported(world, tasks, seconds, rounds))));
    return rows;
  },
};

async function reported(world: BenchWorld, tasks: number, seconds: number, rounds: number): Promise<FigureRow[]> {
  fillWithTasks(world, tasks);
  const usage = usageIn(world);
  const memory: number[] = [];
  world.write('each.cjs', EACH);
  const { ours, each } = await inTurns(rounds, {
    ours: (round) => {
      const ms = world.node([...usage.flags, command('tollgate'), 'report', '--failed']);
      if (round > 0) memory.push(usage.last().mib);
      return ms / 1000;
    },
    each: () => world.node(['each.cjs']) / 1000,
  });
  const what = `\`tollgate report\` over ${tasks.toLocaleString('en')} tasks`;
  const most = timesOf([Math.max(...memory)]);
  return [
    { what, unit: 's', ours, peer: { name: '`node`, each read', ...each }, goal: atMost(seconds, 's', ours) },
    { what: `${what}, most memory`, unit: 'MiB', ours: most },
  ];
}
