// Lines that are gathered for a file: all in their order, old and new, however many, with nothing left beside the file.

import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gatherLines } from '../../state/gathered-lines.ts';
import { headOf, openKeptLines } from '../../state/kept-lines.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const test = suite<{ file: string }>('gathered lines');
test.before.each((context) => {
  context.file = path.join(temporaryFolder('gathered-lines-'), 'lines');
});

const gathered = (lines: ReturnType<typeof gatherLines>): string =>
  Buffer.concat([...lines.pieces()].map((piece) => Buffer.from(piece))).toString();

test('old and new ones in turns, of many pages and longer than one', ({ file }) => {
  const old = Array.from({ length: 300 }, (_, i) => `old ${i} ${'x'.repeat(i)}\n`);
  const text = old.join('');
  writeFileSync(file, headOf('w', createHash('sha256').update(text).digest('hex')) + text);
  const before = openKeptLines(file, 'w', 1e9)!;
  const lines = gatherLines(file, before);
  const wanted: string[] = [];
  for (let n = 0; before.at < before.end; before.next(), n += 1) {
    const fresh = `new ${n} ${'ä'.repeat(n === 7 ? 1_500_000 : 9_000)}\n`;
    if (n % 3 === 0) lines.addText(fresh);
    else lines.addKept(before.offset + before.at, before.offset + before.end);
    wanted.push(n % 3 === 0 ? fresh : old[n]!);
  }
  assert.ok(gathered(lines) === wanted.join(''));
  assert.equal(readdirSync(path.dirname(file)), ['lines']);
  lines.close();
  before.close();
});

test('few are gathered without a file, in a folder that need not be there', ({ file }) => {
  const lines = gatherLines(path.join(file, 'none/lines'), null);
  lines.addText('a\n');
  lines.close();
  assert.equal(readdirSync(path.dirname(file)), []);
});

test('where nothing can be written it says what the system says', ({ file }) => {
  writeFileSync(file, '');
  const lines = gatherLines(path.join(file, 'in a file'), null);
  lines.addText('a\n');
  assert.throws(() => gathered(lines), /in a file|no folder|ENOTDIR/);
  lines.close();
});

test.run();
