// A report over 100,000 tasks, a tenth of them failed, beside a find of their journals, and what no report gets below: bare node that looks at each, or reads it.

import { rmSync } from 'node:fs';
import path from 'node:path';
import { inTurns, timesOf } from './pairs.ts';
import { weighIn } from './peak-memory.ts';
import { type Figure, rowOf } from './row.ts';
import { BAD, copyTask, GOOD, runGoodAndBad } from './tasks.ts';
import { BenchWorld, command } from './world.ts';

const TASKS = 100_000;
const FAILED_OF = 10;
const MEGABYTES = 100;
/** Each beside what it does not get below. */
const FORMS = [
  { form: 'anew', named: 'without an index', floor: 'read', floorNamed: '`node`, each read', seconds: 1 },
  { form: 'indexed', named: 'with one', floor: 'look', floorNamed: '`node`, a look at each', seconds: 0.1 },
] as const;

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
      const report = [command('tollgate'), 'report', '--failed'];
      world.write('each.cjs', EACH);
      const taken = await inTurns(rounds, {
        look: () => weighed('look', ['each.cjs', 'lstatSync']),
        read: () => weighed('read', ['each.cjs', 'readFileSync']),
        find: () => world.timed('find', ['.tmp/task', '-name', 'journal.jsonl']) / 1000,
        anew: () => {
          rmSync(path.join(world.root, 'state/tollgate/reports'), { recursive: true, force: true });
          return weighed('anew', report);
        },
        indexed: () => weighed('indexed', report),
      });
      return FORMS.flatMap(({ form, named, floor, floorNamed, seconds }) => {
        const what = `\`tollgate report\` over ${TASKS} tasks, ${named}`;
        const [ours, mib, floorMib] = [taken[form], peak[form]!, peak[floor]!];
        return [
          rowOf(what, 's', ours, { name: '`find`', ...taken.find }, [
            { goal: `≤ ${seconds} s`, isReached: ours.median <= seconds },
          ]),
          rowOf(what, 's', ours, { name: floorNamed, ...taken[floor] }),
          rowOf(`${what}, most memory`, 'MiB', timesOf([mib]), { name: floorNamed, ...timesOf([floorMib]) }, [
            { goal: `≤ ${MEGABYTES} MB`, isReached: mib * 1.048576 <= MEGABYTES },
          ]),
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
