import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { normalise } from '../../../policies/normal-form/normalise.ts';
import type { Step } from '../../../policies/scan/step.ts';
import { TOKEN_CLASSES } from '../../../policies/token-classes/token-classes.ts';

const context = { taskId: 'fix-login-7' };

for (const { name, examples } of TOKEN_CLASSES) {
  test(`${name}: each example normalises as the table says, and stays so`, () => {
    assert.ok(examples.length > 0);
    for (const [text, normal] of examples) {
      assert.is(normalise(text, context), normal);
      assert.is(normalise(normal, context), normal);
    }
  });

  test(`${name}: eats something of its own examples`, () => {
    const steps: Step[] = [];
    for (const [text] of examples) normalise(text, context, undefined, steps);
    const ate = steps.map((step) => step.class);
    assert.ok(ate.includes(name), `only ${ate.join(', ') || 'nothing'} ate`);
  });
}

test('no class is named twice', () => {
  const names = TOKEN_CLASSES.map(({ name }) => name);
  assert.equal(names, [...new Set(names)]);
});

test.run();
