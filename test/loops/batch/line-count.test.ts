// Lines are counted as a person would, and no further than is asked for.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countLines } from '../../../loops/batch/named-call.ts';

const test = suite('line count');
const folder = mkdtempSync(path.join(tmpdir(), 'lines-'));
test.after(() => rmSync(folder, { recursive: true }));

const ROWS: readonly [what: string, text: string, enough: number, lines: number][] = [
  ['an empty file', '', 5, 0],
  ['a line without an end', 'one', 5, 1],
  ['a line with an end', 'one\n', 5, 1],
  ['a last line without an end', 'one\ntwo', 5, 2],
  ['empty lines', '\n\n\n', 5, 3],
  ['more lines than are asked for', '1\n2\n3\n4\n', 3, 3],
  ['lines longer than a chunk', `${'x'.repeat(300_000)}\n${'y'.repeat(300_000)}`, 5, 2],
];

for (const [what, text, enough, lines] of ROWS)
  test(`${what}: ${lines}`, () => {
    const file = path.join(folder, 'out');
    writeFileSync(file, text);
    assert.is(countLines(file, enough), lines);
  });

test('a file that is not there has no lines', () => {
  assert.is(countLines(path.join(folder, 'none'), 1), 0);
});

test.run();
