// docs/promises.md names for each line that it calls held the tests that show it, and they are there.

import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

/** What stands before and after the actors. */
const OTHERS = ['When things break', 'How it is kept'];

const ACTORS = PAGES.get('docs/promises.md')!
  .split(/^## /m)
  .slice(1)
  .filter((part) => !OTHERS.includes(part.split('\n')[0]!));

interface Line {
  state: string;
  what: string;
  tests: string[];
}

const rowsOf = (actor: string): Line[] =>
  actor
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| |'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, state, what, tests]) => ({
      state: state!,
      what: what!,
      tests: [...tests!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
    }));

test('each actor has its lines', () => {
  assert.equal(
    ACTORS.map((actor) => actor.split('\n')[0]),
    ["A stranger's repository", 'An agent in its call', 'Another task', 'Another user of the machine'],
  );
  for (const actor of ACTORS) assert.ok(rowsOf(actor).some(({ state }) => state === 'held'));
});

for (const { state, what, tests } of ACTORS.flatMap(rowsOf))
  test(`${state}: ${what}`, () => {
    assert.ok(['held', 'not held'].includes(state), `a line is held or not held, and not "${state}"`);
    assert.is(tests.length > 0, state === 'held', 'what is held is shown by a test, and nothing else is');
    assert.equal(
      tests.filter((name) => !/^test\/.+\.test\.ts$/.test(name) || !existsSync(name)),
      [],
    );
  });

test.run();
