import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { normalise, type Step, TOKEN_CLASSES } from '../../../policies/signature/normalise.ts';

const context = { taskId: 'fix-login-7' };

for (const { name, masks, keeps = [] } of TOKEN_CLASSES) {
  test(`${name}: each example normalises as the table says, and stays so`, () => {
    assert.ok(masks.length > 0);
    for (const [text, normal] of [...masks, ...keeps]) {
      assert.is(normalise(text, context), normal);
      assert.is(normalise(normal, context), normal);
    }
  });

  test(`${name}: masks something in each text that it should, and nothing in the others`, () => {
    for (const [text] of masks) assert.ok(classesIn(text).includes(name), text);
    for (const [text] of keeps) assert.not.ok(classesIn(text).includes(name), text);
  });
}

function classesIn(text: string): (string | null)[] {
  const steps: Step[] = [];
  normalise(text, context, undefined, steps);
  return steps.map((step) => step.class);
}

test('no class is named twice', () => {
  const names = TOKEN_CLASSES.map(({ name }) => name);
  assert.equal(names, [...new Set(names)]);
});

test.run();
