// How fast ordinary stderr is selected from and signed, beside the grep and the sed by which a wrapper in bash does either.

import { LOG_TEXTS, measureThroughput } from '../truth/speed.ts';
import { inTurns, timesOf } from './pairs.ts';
import { type Figure, type FigureRow, rowOf } from './row.ts';
import { BenchWorld } from './world.ts';

/** As in `bench/peers/jq-wrapper.sh`. */
const GREP = "grep -iE 'error|fail|[45][0-9][0-9]'";
const SED = "sed -E 's/[0-9a-f]{8,}|[0-9]+/N/g; s#/[^ ]+#PATH#g' | sha256sum";

const WORKS = [
  { work: 'select error lines', what: 'error lines of ordinary stderr', text: 'ordinary', bash: GREP, named: '`grep`' },
  {
    work: 'select error lines, no two the same',
    what: 'error lines of stderr whose lines all differ',
    text: 'differing',
    bash: GREP,
    named: '`grep`',
  },
  { work: 'sign', what: 'signature of ordinary stderr', text: 'ordinary', bash: SED, named: '`sed`, `sha256sum`' },
] as const;
const GOAL_MB_S = 100;

export const TEXTS: Figure = {
  about: 'texts in memory, medians of five; in bash from a file, its processes counted in',
  rounds: null,
  async measure() {
    // Before all else: code that has seen other texts runs slower.
    const speeds = measureThroughput();
    const world = new BenchWorld();
    try {
      const rows: FigureRow[] = [];
      for (const { work, what, text, bash, named } of WORKS) {
        const file = world.write(`${text}.log`, LOG_TEXTS[text]());
        // To a file: grep reads no further than its first line for one who throws its lines away.
        const line = `{ ${bash}; } <"$1" >"$1.out"`;
        const { inBash } = await inTurns(5, {
          inBash: () => LOG_TEXTS[text]().length / 1000 / world.timed('bash', ['-c', line, 'bash', file]),
        });
        const ours = speeds[work]!;
        rows.push(
          rowOf(what, 'MB/s', timesOf([ours]), { name: named, ...inBash }, [
            { goal: `≥ ${GOAL_MB_S} MB/s`, isReached: ours >= GOAL_MB_S },
          ]),
        );
      }
      return rows;
    } finally {
      world.dispose();
    }
  },
};
