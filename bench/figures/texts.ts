// How fast ordinary stderr is selected from and signed, beside the grep and the sed by which a wrapper in bash does either, and as little in Node.

import { createHash } from 'node:crypto';
import { LOG_TEXTS, measureThroughput } from '../truth/speed.ts';
import { inTurns, timesOf } from './pairs.ts';
import { type Figure, type FigureRow, rowOf } from './row.ts';
import { BenchWorld } from './world.ts';

/** As in `bench/peers/jq-wrapper.sh`. */
const GREP = "grep -iE 'error|fail|[45][0-9][0-9]'";
const SED = "sed -E 's/[0-9a-f]{8,}|[0-9]+/N/g; s#/[^ ]+#PATH#g' | sha256sum";

/** The same two in Node, and as little as they are in bash: no frames of loggers, no texts put together, no token classes. */
const SELECT = (text: string): unknown => text.split('\n').filter((line) => /error|fail|[45]\d\d/i.test(line));
const SIGN = (text: string): unknown =>
  createHash('sha256')
    .update(text.replace(/[0-9a-f]{8,}|\d+/g, 'N').replace(/\/[^ ]+/g, 'PATH'))
    .digest('hex');

const SELECTED = { bash: GREP, inBash: '`grep`', node: SELECT, inNode: '`node`, one expression a line' };
const SIGNED = { bash: SED, inBash: '`sed`, `sha256sum`', node: SIGN, inNode: '`node`, two expressions and a hash' };

const WORKS = [
  { work: 'select error lines', what: 'error lines of ordinary stderr', text: 'ordinary', by: SELECTED },
  {
    work: 'select error lines, no two the same',
    what: 'error lines of stderr whose lines all differ',
    text: 'differing',
    by: SELECTED,
  },
  { work: 'sign', what: 'signature of ordinary stderr', text: 'ordinary', by: SIGNED },
] as const;
const GOAL_MB_S = 100;
const ROUNDS = 5;

export const TEXTS: Figure = {
  about: `texts in memory, medians of ${ROUNDS}; in bash from a file, its processes counted in`,
  rounds: null,
  async measure() {
    // Before all else: code that has seen other texts runs slower.
    const speeds = measureThroughput();
    const world = new BenchWorld();
    try {
      const rows: FigureRow[] = [];
      for (const { work, what, text, by } of WORKS) {
        const whole = Buffer.from(LOG_TEXTS[text]()).toString();
        const file = world.write(`${text}.log`, whole);
        const rate = (ms: number) => whole.length / 1000 / ms;
        // To a file: grep reads no further than its first line for one who throws its lines away.
        const line = `{ ${by.bash}; } <"$1" >"$1.out"`;
        const { bash, node } = await inTurns(ROUNDS, {
          bash: () => rate(world.timed('bash', ['-c', line, 'bash', file])),
          node: () => {
            const began = performance.now();
            by.node(whole);
            return rate(performance.now() - began);
          },
        });
        const ours = timesOf([speeds[work]!]);
        const isReached = ours.median >= GOAL_MB_S;
        rows.push(
          rowOf(what, 'MB/s', ours, { name: by.inBash, ...bash }, [{ goal: `≥ ${GOAL_MB_S} MB/s`, isReached }]),
          rowOf(what, 'MB/s', ours, { name: by.inNode, ...node }),
        );
      }
      return rows;
    } finally {
      world.dispose();
    }
  },
};
