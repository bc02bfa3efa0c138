// A report over 100,000 tasks, a tenth of them failed, beside a find of their journals, and bare node that reads each.

import { inTurns, timesOf } from './pairs.ts';
import { weighIn } from './peak-memory.ts';
import { type Figure, rowOf } from './row.ts';
import { BAD, copyTask, GOOD, runGoodAndBad } from './tasks.ts';
import { BenchWorld, command } from './world.ts';

const TASKS = 100_000;
const FAILED_OF = 10;
const SECONDS = 15;

export const REPORTS: Figure = {
  about: `a report over ${TASKS} tasks`,
  rounds: 3,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      fill(world);
      const memory = weighIn(world);
      const peak: Record<string, number> = {};
      const weighed = (name: string, argv: readonly string[]) => {
        const seconds = world.node([...memory.flags, ...argv]) / 1000;
        peak[name] = Math.max(peak[name] ?? 0, memory.last());
        return seconds;
      };
      world.write('each.cjs', EACH);
      const { ours, floor, find } = await inTurns(rounds, {
        floor: () => weighed('floor', ['each.cjs']),
        find: () => world.timed('find', ['.tmp/task', '-name', 'journal.jsonl']) / 1000,
        ours: () => weighed('ours', [command('tollgate'), 'report', '--failed']),
      });
      const what = `\`tollgate report\` over ${TASKS} tasks`;
      const floorNamed = '`node`, each read';
      return [
        rowOf(what, 's', ours, { name: '`find`', ...find }, [
          { goal: `≤ ${SECONDS} s`, isReached: ours.median <= SECONDS },
        ]),
        rowOf(what, 's', ours, { name: floorNamed, ...floor }),
        rowOf(`${what}, most memory`, 'MiB', timesOf([peak.ours!]), { name: floorNamed, ...timesOf([peak.floor!]) }),
      ];
    } finally {
      world.dispose();
    }
  },
};

/** Reads the journal of each task. */
const EACH = `const fs = require('node:fs');
for (const name of fs.readdirSync('.tmp/task')) fs.readFileSync('.tmp/task/' + name + '/state/journal.jsonl');
`;

/** Copies of two tasks that were run: one that is done, one whose CLI has failed. */
function fill(world: BenchWorld): void {
  runGoodAndBad(world);
  const ids = Array.from({ length: TASKS }, (_, n) => n);
  const isBad = (n: number) => n % FAILED_OF === 0;
  for (const [of, copied] of [
    [GOOD, ids.filter((n) => !isBad(n))],
    [BAD, ids.filter(isBad)],
  ] as const)
    copyTask(
      world,
      of,
      copied.map((n) => `t${n}`),
    );
}
