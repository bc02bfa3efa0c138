// The lines of a growing file: a flood of them, or one without end, is taken in parts.

import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type GrowingFile, growingFile } from '../../../loops/report/growing-file.ts';

const test = suite<{ file: string }>('growing file');
test.before.each((context) => {
  context.file = path.join(mkdtempSync(path.join(tmpdir(), 'growing-')), 'stdout');
});
test.after.each(({ file }) => rmSync(path.dirname(file), { recursive: true, force: true }));

const MIB = 1024 * 1024;

/** All that is there, look by look. */
function looks(growing: GrowingFile, last: boolean): string[][] {
  const taken = [growing.read(last)];
  while (growing.isBehind()) taken.push(growing.read(last));
  return taken;
}

test('a flood of short lines is taken a mebibyte at a time, and none is lost', ({ file }) => {
  writeFileSync(file, `${'x\n'.repeat(2 * MIB)}half`);
  const growing = growingFile([file]);
  const taken = looks(growing, false);
  assert.ok(taken.every((lines) => lines.length <= MIB / 2));
  assert.equal([taken.flat().length, [...new Set(taken.flat())]], [2 * MIB, ['x']]);
  appendFileSync(file, ' a line\n');
  assert.equal(looks(growing, false).flat(), ['half a line']);
  growing.close();
});

test('of a line without end the beginning is kept, and the next one is whole', ({ file }) => {
  writeFileSync(file, `${'y'.repeat(5 * MIB)}\nnext\nlast`);
  const growing = growingFile([file]);
  const taken = looks(growing, true);
  assert.ok(taken.length > 4);
  assert.equal(
    taken.flat().map((line) => [line.length, line.slice(0, 4)]),
    [
      [MIB, 'yyyy'],
      [4, 'next'],
      [4, 'last'],
    ],
  );
  growing.close();
});

test('a sign that lies across two looks is whole', ({ file }) => {
  writeFileSync(file, `${'z'.repeat(MIB - 3)}\naé\n`);
  const growing = growingFile([file]);
  assert.is(looks(growing, false).flat()[1], 'aé');
  growing.close();
});

test('a file that is begun anew is read anew', ({ file }) => {
  writeFileSync(file, 'error: unknown option\nand half');
  const growing = growingFile([file]);
  assert.equal(looks(growing, false).flat(), ['error: unknown option']);
  writeFileSync(file, 'first\n');
  assert.equal(looks(growing, false).flat(), ['first']);
  appendFileSync(file, 'second\n');
  assert.equal(looks(growing, false).flat(), ['second']);
  growing.close();
});

test('a name with another file is read from its start, and one that lost its name to its end', ({ file }) => {
  writeFileSync(file, 'old\n');
  const growing = growingFile([file]);
  assert.equal(looks(growing, false).flat(), ['old']);
  appendFileSync(file, 'more\n');
  renameSync(file, `${file}.1`);
  assert.equal([looks(growing, false).flat(), growing.missed().beganAgain], [['more'], false]);
  writeFileSync(file, 'a new and longer file\n');
  assert.equal(growing.read(false), ['a new and longer file']);
  assert.is(growing.missed().beganAgain, true);
  growing.close();
});

test('with a limit only whole lines at the end are read, and what is left out is counted', ({ file }) => {
  writeFileSync(file, `${'cut '.repeat(100)}\nwhole\nhalf`);
  const growing = growingFile([file], 20);
  assert.equal(growing.read(false), ['whole']);
  assert.is(growing.missed().bytes, 401 + 10 - 20);
  appendFileSync(file, ' and the rest\n');
  assert.equal(growing.read(false), ['half and the rest']);
  assert.is(growing.missed().bytes, 0);
  growing.close();
});

test.run();
