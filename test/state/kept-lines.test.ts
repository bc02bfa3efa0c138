// Lines that are kept with their hash: told one by one in bounded memory, as they were written, or not at all.

import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { headOf, type KeptLines, openKeptLines } from '../../state/kept-lines.ts';
import { temporaryFolder } from '../rig/temporary-folder.ts';

const test = suite<{ file: string }>('kept lines');
test.before.each((context) => {
  context.file = path.join(temporaryFolder('kept-lines-'), 'lines');
});

const MAX = 16 * 1024 * 1024;
const open = (file: string) => openKeptLines(file, 'lines 1', MAX);

function keep(file: string, lines: readonly string[], word = 'lines 1'): void {
  const text = lines.map((line) => `${line}\n`).join('');
  writeFileSync(file, headOf(word, createHash('sha256').update(text).digest('hex')) + text);
}

/** Each line with where it lies in the file, read there once more. */
function all(kept: KeptLines): string[] {
  const told: string[] = [];
  for (; kept.at < kept.end; kept.next()) {
    const line = kept.bytes.toString('utf8', kept.at, kept.end);
    const again: Buffer[] = [];
    for (const piece of kept.pieces(kept.offset + kept.at, kept.offset + kept.end)) again.push(Buffer.from(piece));
    assert.ok(Buffer.concat(again).toString() === line);
    told.push(line.slice(0, -1));
  }
  return told;
}

const LINES: [what: string, lines: string[]][] = [
  ['none', []],
  ['one', ['a']],
  ['empty ones', ['', 'a', '']],
  ['ones of every length over many pieces', Array.from({ length: 4_000 }, (_, i) => `${i}-${'ä'.repeat(i % 500)}`)],
  ['one that is longer than a piece, between short ones', ['a', 'b'.repeat(1_500_000), 'c', 'd'.repeat(300_000), 'e']],
];

for (const [what, lines] of LINES)
  test(`${what}: told as they were written`, ({ file }) => {
    keep(file, lines);
    const kept = open(file)!;
    assert.equal(all(kept), lines);
    // And no more behind the last.
    kept.next();
    assert.is(kept.at, kept.end);
    kept.close();
  });

const UNSOUND: [what: string, spoil: (file: string) => void][] = [
  ['not there', () => {}],
  ['empty', (file) => writeFileSync(file, '')],
  ['with a letter changed', (file) => keepThen(file, (text) => text.replace('b', 'B'))],
  ['with a line too many', (file) => keepThen(file, (text) => `${text}d\n`)],
  ['cut', (file) => keepThen(file, (text) => text.slice(0, -1))],
  ['kept under another word', (file) => keep(file, ['a'], 'lines 2')],
  ['too large', (file) => keep(file, ['a'.repeat(MAX)])],
];

function keepThen(file: string, change: (text: string) => string): void {
  const text = change('a\nb\nc\n');
  const head = headOf('lines 1', createHash('sha256').update('a\nb\nc\n').digest('hex'));
  writeFileSync(file, head + text);
}

for (const [what, spoil] of UNSOUND)
  test(`${what}: none of its lines is told, and it is let go`, ({ file }) => {
    spoil(file);
    const before = nextDescriptor(file);
    assert.is(open(file), null);
    assert.is(nextDescriptor(file), before);
  });

/** The number that the next open file gets. */
function nextDescriptor(file: string): number {
  const fd = openSync(path.dirname(file), 'r');
  closeSync(fd);
  return fd;
}

test('one that is cut while it is read ends there, and its pieces are not told as whole', ({ file }) => {
  const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i}`);
  keep(file, lines);
  const kept = open(file)!;
  truncateSync(file, 400_000);
  const told: string[] = [];
  for (; kept.at < kept.end; kept.next()) told.push(kept.bytes.toString('utf8', kept.at, kept.end - 1));
  assert.equal(told, lines.slice(0, told.length));
  assert.ok(told.length < lines.length);
  assert.throws(() => [...kept.pieces(0, 1_000_000)], /cut while it was read/);
  kept.close();
  assert.equal(readdirSync(path.dirname(file)), ['lines']);
});

test.run();
