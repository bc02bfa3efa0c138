// docs/promises.md names the tests that show each promise that is held, and they exist.

import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

/** The parts before and after the actors. */
const OTHERS = ['When things break', 'Known gaps'];

const ACTORS = PAGES.get('docs/promises.md')!
  .split(/^## /m)
  .slice(1)
  .filter((part) => !OTHERS.includes(part.split('\n')[0]!));

const itemsOf = (part: string): string[] => [...part.matchAll(/^- (.+)$/gm)].map(([, item]) => item!);
const testsOf = (item: string): string[] => [...item.matchAll(/`(test\/[^`]+)`/g)].map(([, name]) => name!);

test('each actor has its promises, and what is not promised', () => {
  assert.equal(
    ACTORS.map((actor) => actor.split('\n')[0]),
    [
      "A stranger's repository",
      'An agent in its call',
      'Another task',
      'Another user of the machine',
      'Another machine of a fleet',
    ],
  );
  for (const actor of ACTORS) assert.is(actor.split('\nNot held:\n').length, 2, actor.split('\n')[0]);
});

for (const actor of ACTORS) {
  const [held = '', notHeld = ''] = actor.split('\nNot held:\n');
  for (const item of itemsOf(held))
    test(`held: ${item}`, () => {
      const tests = testsOf(item);
      assert.ok(tests.length > 0, 'what is held is shown by a test');
      assert.equal(
        tests.filter((name) => !/\.test\.ts$/.test(name) || !existsSync(name)),
        [],
      );
    });
  test(`not held: ${itemsOf(notHeld).length} items, without tests`, () => {
    assert.ok(itemsOf(held).length > 0 && itemsOf(notHeld).length > 0);
    assert.equal(itemsOf(notHeld).flatMap(testsOf), []);
  });
}

test.run();
