// What holds of the normal form of any text: it is its own, and each character is read a bounded number of times.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PIECES } from '../../../bench/truth/pieces.ts';
import { normalise, read } from '../../../policies/normal-form/normalise.ts';
import { codesOf } from '../../../policies/scan/codes.ts';
import { patternAt } from '../../../policies/scan/pattern.ts';
import { openCursor } from '../../../policies/scan/read-units.ts';
import { signText } from '../../../policies/signature/sign.ts';
import { fuzz } from '../../rig/fuzz.ts';
import { text } from '../../rig/texts.ts';

// Found by these properties, and mended.
const FOUND = [
  'org-bash-',
  'Failed password for invalid user jo from 10.0.0.1, for root from 10.0.0.2\0from',
  'in <path> got <code:401>\nx: ',
];

for (const context of [{}, { taskId: 'fix-login-7' }, { taskId: 'api' }, { taskId: 'error' }]) {
  const once = (given: string) => normalise(given, context);
  const holds = (given: string) => assert.is(once(once(given)), once(given));
  fuzz(`a normal form is its own normal form, ${JSON.stringify(context)}`, text, holds);
  for (const found of FOUND) test(`also of ${JSON.stringify(found)}, ${JSON.stringify(context)}`, () => holds(found));
}

fuzz('so is the text that is signed, unless it was cut', text, (given) => {
  const { normalised, source } = signText(null, given);
  if (source !== 'detail' && normalised.length < 490) assert.is(normalise(normalised), normalised);
});

/** Ordinary text takes 3; what is worst of all pairs of pieces takes 20. */
const MOST_READS = 40;

const hostile = fc.array(
  fc.constantFrom(...PIECES, 'eyJ--', 'C:\\a ', 'id: ', "'", '`a', ' from 1', 'user a ', '@a/'),
  {
    minLength: 1,
    maxLength: 4,
  },
);

function readsFew(once: string): void {
  const given = once.repeat(Math.ceil(2000 / once.length));
  let reads = 0;
  const counted = new Proxy(codesOf(given), {
    get(codes, at) {
      reads += 1;
      return Reflect.get(codes, at, codes);
    },
  });
  read(openCursor(given, {}, null, counted), Number.POSITIVE_INFINITY);
  assert.ok(reads < MOST_READS * given.length, `${reads / given.length} reads of each in ${JSON.stringify(once)}`);
}

fuzz('the scanners read each character a bounded number of times, whatever tempts them', hostile, (pieces) =>
  readsFew(pieces.join('')),
);
for (const once of ['sk-eyJa.', 'eyJ--', 'sk-a.', '"/a b ', "'C:a "]) test(`also in ${once}`, () => readsFew(once));

test('a pattern of a scanner reads no further than it says', () => {
  for (const bounded of ['a{1,9}b?', '[*+]\\+', 'a{3}(?:b|c){0,2}']) patternAt(bounded);
  for (const unbounded of ['a+', 'a*', '(?:ab){2,}', '[ab]+']) assert.throws(() => patternAt(unbounded), /unbounded/);
});

test.run();
