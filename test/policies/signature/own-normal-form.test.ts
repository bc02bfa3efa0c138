// What holds of the normal form of any text: it is its own, and its patterns are bounded.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { normalise, TOKEN_CLASSES } from '../../../policies/signature/normalise.ts';
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

/** Throws if a quantifier has no upper bound: with bounds, what is tried at one place takes a bounded time. */
function checkBounds(source: string): void {
  const shape = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x');
  if (/[*+]|\{\d+,\}/.test(shape)) throw new RangeError(`unbounded: ${source}`);
}

for (const { name, is } of TOKEN_CLASSES)
  if (is !== null)
    test(`${name}: every repeat of its pattern has a bound`, () => {
      checkBounds(is);
    });

test('a pattern of a scanner reads no further than it says', () => {
  for (const bounded of ['a{1,9}b?', '[*+]\\+', 'a{3}(?:b|c){0,2}']) checkBounds(bounded);
  for (const unbounded of ['a+', 'a*', '(?:ab){2,}', '[ab]+']) assert.throws(() => checkBounds(unbounded), /unbounded/);
});

test.run();
