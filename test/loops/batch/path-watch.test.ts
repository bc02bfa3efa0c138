// A file's coming is told by the file system alone: here no clock looks.

import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPathWatch, type PathWatch } from '../../../loops/batch/wait.ts';

const test = suite('path watch');
let folder = '';
let watch: PathWatch;
test.before.each(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'watch-')));
  watch = createPathWatch();
});
test.after.each(() => {
  watch.close();
  rmSync(folder, { recursive: true });
});

const at = (name: string) => path.join(folder, name);
const make = (name: string) => mkdirSync(at(name), { recursive: true });

/** How many steps from the nearest folder to the file, each an event of its own. */
const ROWS: readonly [what: string, file: string, before: () => void, steps: readonly (() => void)[]][] = [
  ['a file that comes', 'a', () => {}, [() => writeFileSync(at('a'), '')]],
  ['a file that is renamed into place', 'a', () => writeFileSync(at('b'), ''), [() => renameSync(at('b'), at('a'))]],
  ['a file that grows', 'a', () => writeFileSync(at('a'), ''), [() => appendFileSync(at('a'), 'more')]],
  [
    'a file in folders made one by one',
    'x/y/a',
    () => {},
    [() => make('x'), () => make('x/y'), () => writeFileSync(at('x/y/a'), '')],
  ],
  [
    'a file in folders that come at once',
    'x/y/a',
    () => make('new/y'),
    [() => renameSync(at('new'), at('x')), () => writeFileSync(at('x/y/a'), '')],
  ],
  [
    'a file in a folder that is deleted and made anew',
    'x/a',
    () => make('x'),
    [() => rmSync(at('x'), { recursive: true }), () => make('x'), () => writeFileSync(at('x/a'), '')],
  ],
  [
    'a file in a folder that is moved away and made anew',
    'x/a',
    () => make('x'),
    [() => renameSync(at('x'), at('old')), () => make('x'), () => writeFileSync(at('x/a'), '')],
  ],
];

for (const [what, file, before, steps] of ROWS)
  test(`tells of ${what}`, async () => {
    before();
    let wake = () => {};
    watch.add(at(file), () => wake());
    for (const step of steps) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      step();
      await within(woken);
    }
    assert.is(watch.blind(), 0);
  });

test('a file that is looked for no more is not told of', async () => {
  const woken: string[] = [];
  const gone = watch.add(at('gone'), () => woken.push('gone'));
  const answer = new Promise<void>((resolve) => {
    watch.add(at('kept'), resolve);
  });
  gone.remove();
  writeFileSync(at('gone'), '');
  writeFileSync(at('kept'), '');
  await within(answer);
  assert.equal(woken, []);
});

/** An event that never comes must not hang the suite. */
function within<T>(answer: Promise<T>): Promise<T> {
  let limit: NodeJS.Timeout;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error('no event came')), 60_000);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(limit));
}

test.run();
