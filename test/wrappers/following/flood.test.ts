// What is passed over of a flood: repetitions alone, and none that tells anything.

import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openFlood } from '../../../wrappers/following/flood.ts';
import { fuzz } from '../../rig/fuzz.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const file = path.join(temporaryFolder('flood-'), 'stderr');

/** What is handed on of it. @param tells what tells an event, wherever it ends */
function handedOn(text: string, tells = 'never said'): string {
  writeFileSync(file, text);
  const fd = openSync(file, 'r');
  let taken = '';
  const read = openFlood(() => taken.split(tells).length);
  let at = 0;
  for (let bytes = -1; bytes !== 0; at += bytes)
    bytes = read(fd, at, (piece) => {
      taken += piece.toString('latin1');
    });
  closeSync(fd);
  assert.is(at, Buffer.byteLength(text));
  return taken;
}

const PLAIN = 'a line of stderr that says nothing in particular, and says it again and again\n';
const times = (text: string, line: string) => text.split(line).length - 1;

test('of a line that is said 50,000 times only some are handed on, and what else is said all of it', () => {
  const [before, after] = [PLAIN.repeat(30_000), PLAIN.repeat(20_000)];
  const taken = handedOn(`${before}Error: out of memory\n${after}the end`);
  assert.match(taken, /^(?:a line [^\n]+again\n)+Error: out of memory\n(?:a line [^\n]+again\n)+the end$/);
  assert.ok(times(taken, PLAIN) < 10_000, `${times(taken, PLAIN)}`);
});

test('a line that tells something is handed on as often as it was said, and so is all around it', () => {
  const retry = `${PLAIN.repeat(9)}Attempt 1 failed. Retrying after 5 ms\n`;
  const text = retry.repeat(3000);
  assert.is(handedOn(text, 'Retrying'), text);
  assert.ok(handedOn(text).length < text.length / 4);
});

test('what does not repeat itself, or only after long, is handed on whole', () => {
  const counted = Array.from({ length: 30_000 }, (_, i) => `${i} ${PLAIN}`).join('');
  assert.is(handedOn(counted), counted);
  const long = counted.slice(0, 9000).repeat(50);
  assert.is(handedOn(long), long);
  assert.is(handedOn(''), '');
});

/** A text that comes again and again, and how often. */
const part = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4000 }));
fuzz('what is handed on is what was said, but less often', fc.array(part, { maxLength: 6 }), (parts) => {
  const blocks = parts.map(([lines], i) => Array.from({ length: lines }, (_, j) => `${i} says ${j}\n`).join(''));
  const taken = handedOn(blocks.map((block, i) => block.repeat(parts[i]![1])).join(''));
  let at = 0;
  for (const block of blocks) {
    const from = at;
    while (taken.startsWith(block, at)) at += block.length;
    assert.ok(at > from);
  }
  assert.is(at, taken.length);
});

test.run();
