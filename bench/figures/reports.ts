// A report over 100,000 tasks, a tenth of them failed, beside a find of their journals, and what no report gets below: bare node that looks at each, or reads it.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { inTurns, type Times } from './pairs.ts';
import { weighIn } from './peak-memory.ts';
import type { Figure, FigureRow } from './row.ts';
import { BAD, copyTask, GOOD, runGoodAndBad } from './tasks.ts';
import { BenchWorld, command } from './world.ts';

const TASKS = 100_000;
const FAILED_OF = 10;
const GOAL = { seconds: { anew: 1, indexed: 0.1 }, megabytes: 100 };

export const REPORTS: Figure = {
  about: `a report over ${TASKS} tasks`,
  rounds: 3,
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      fill(world);
      const memory = weighIn(world);
      const report = () => world.node([...memory.flags, command('tollgate'), 'report', '--failed']) / 1000;
      const peak: Record<string, number> = {};
      const weighed = (name: string) => {
        const seconds = report();
        peak[name] = Math.max(peak[name] ?? 0, memory.last());
        return seconds;
      };
      world.write('each.cjs', EACH);
      const { find, look, read, anew, indexed } = await inTurns(rounds, {
        look: () => world.node(['each.cjs', 'lstatSync']) / 1000,
        read: () => world.node(['each.cjs', 'readFileSync']) / 1000,
        find: () => world.timed('find', ['.tmp/task', '-name', 'journal.jsonl']) / 1000,
        anew: () => {
          rmSync(path.join(world.root, 'state/tollgate/reports'), { recursive: true, force: true });
          return weighed('anew');
        },
        indexed: () => weighed('indexed'),
      });
      return Object.entries({ anew, indexed }).flatMap(([name, { median, min }]) => {
        const what = `\`tollgate report\` over ${TASKS} tasks, ${name === 'anew' ? 'without an index' : 'with one'}`;
        const seconds = GOAL.seconds[name as 'anew' | 'indexed'];
        const mib = peak[name]!;
        const floor =
          name === 'anew' ? { name: '`node`, each read', ...read } : { name: '`node`, a look at each', ...look };
        const row = (peer: { name: string } & Times, goals: FigureRow['goals']): FigureRow => ({
          ...{ what, unit: 's', ours: median, min, goals },
          peer: { name: peer.name, value: peer.median, min: peer.min },
        });
        return [
          row({ name: '`find`', ...find }, [{ goal: `≤ ${seconds} s`, isReached: median <= seconds }]),
          row(floor, []),
          {
            what: `${what}, most memory`,
            unit: 'MiB',
            ours: mib,
            min: mib,
            peer: null,
            goals: [{ goal: `≤ ${GOAL.megabytes} MB`, isReached: mib * 1.048576 <= GOAL.megabytes }],
          },
        ];
      });
    } finally {
      world.dispose();
    }
  },
};

/** Does that to the journal of each task. */
const EACH = `const fs = require('node:fs');
for (const name of fs.readdirSync('.tmp/task')) fs[process.argv[2]]('.tmp/task/' + name + '/state/journal.jsonl');
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
