// How much of a stderr is held while its error lines are picked: the same of a long one as of a short one.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createErrorLines } from '../../../policies/signature/error-lines.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const MEBIBYTE = 1024 ** 2;
/** As it comes from a file: each piece is a text of its own. */
const PIECE_LINES = 200;

const FLOODS: [what: string, line: (i: number) => string][] = [
  ['lines that all differ', (i) => `2026-11-21T20:16:49.882Z connecting to port ${i} as ${i.toString(36)} of them all`],
  ['errors that all differ', (i) => `Error: no such ${i.toString(26).replace(/\d/g, 'z')} ${'x'.repeat(i % 90)}`],
  [
    'lines that continue in the next one',
    (i) => `and so the sentence of the ${i.toString(36)} continues and on without an end of`,
  ],
  ['a property of an object without end', (i) => `  "name${i}": {`],
];
for (const [what, line] of FLOODS)
  test(`of ${what} no more is held after 16 MiB than after one`, () => {
    const selected = createErrorLines();
    let at = 0;
    const feed = (chars: number) => {
      for (let fed = 0; fed < chars; ) {
        const piece = Array.from({ length: PIECE_LINES }, () => line(at++)).join('\n');
        for (const line of Buffer.from(piece).toString().split('\n')) selected.push(line);
        fed += piece.length;
      }
    };
    feed(MEBIBYTE);
    const before = heldBytes();
    feed(15 * MEBIBYTE);
    const grown = heldBytes() - before;
    assert.ok(grown < MEBIBYTE, `${(grown / MEBIBYTE).toFixed(1)} MiB more`);
    selected.lines();
  });

test.run();
