// A report over 100,000 tasks, a tenth of them failed, beside a find of their journals, and what no report gets below: bare node that looks at each, or reads it.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inTurns, type Times } from './pairs.ts';
import { weighIn } from './peak-memory.ts';
import type { Figure, FigureRow } from './row.ts';
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
      makeTasks(world);
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

/** Words that stand nowhere else in their files. */
const GOOD = 'one-that-is-done';
const BAD = 'one-that-failed';

/** Copies of two tasks that were run: one that is done, one whose CLI has failed. */
function makeTasks(world: BenchWorld): void {
  const stages = [{ tool: 'codex', role: 'brief', requires: [], min_lines: 0 }];
  for (const id of [GOOD, BAD]) {
    world.write(`.tmp/task/${id}/manifest.json`, JSON.stringify({ task_id: id, goal: 'Nothing.', stages }));
    if (id === BAD)
      world.write(
        'bin/codex',
        '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.169.0 && exit\necho "error: no such model" >&2\nexit 1\n',
        0o755,
      );
    world.node([command('tollgate'), 'run', id, '--quiet'], id === BAD ? 1 : 0);
  }
  const tasks = path.join(world.root, '.tmp/task');
  const FILES = ['manifest.json', 'state/journal.jsonl', 'state/last_failure.json'];
  for (const [id, isCopied] of [
    [GOOD, (n: number) => n % FAILED_OF !== 0],
    [BAD, (n: number) => n % FAILED_OF === 0],
  ] as const) {
    const files = FILES.flatMap((name) => textOf(path.join(tasks, id, name)).map((text) => ({ name, text })));
    for (let n = 0; n < TASKS; n += 1) {
      if (!isCopied(n)) continue;
      mkdirSync(path.join(tasks, `t${n}/state`), { recursive: true });
      for (const { name, text } of files)
        writeFileSync(path.join(tasks, `t${n}`, name), text.replaceAll(`"${id}"`, `"t${n}"`));
    }
  }
}

function textOf(file: string): string[] {
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
}
