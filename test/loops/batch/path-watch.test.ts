// A file's coming is told by the file system alone: here no clock looks.

import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placeOf } from '../../../loops/batch/wait.ts';
import { createFolderWatch } from '../../../state/folder-watch.ts';

const test = suite('path watch');
let folder = '';
let watch: ReturnType<typeof createFolderWatch>;
test.before.each(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'watch-')));
  watch = createFolderWatch();
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
    for (const step of steps) {
      const { folder, name } = placeOf(at(file));
      assert.ok(watch.keep(new Set([folder])), 'it is watched');
      watch.take();
      step();
      const names = new Set<string | null>();
      while (!names.has(name) && !names.has(null)) {
        await comes();
        for (const [changed, more] of watch.take()) {
          assert.is(changed, folder);
          for (const one of more) names.add(one);
        }
      }
    }
  });

test('a folder that is watched no more is not told of', async () => {
  make('gone');
  make('kept');
  watch.keep(new Set([at('gone'), at('kept')]));
  watch.keep(new Set([at('kept')]));
  watch.take();
  writeFileSync(at('gone/a'), '');
  writeFileSync(at('kept/a'), '');
  await comes();
  assert.equal([...watch.take()], [[at('kept'), new Set(['a'])]]);
});

test('a folder that cannot be watched is said, and one that is there again is watched anew', () => {
  assert.not(watch.keep(new Set([at('none')])));
  make('none');
  assert.ok(watch.keep(new Set([at('none')])));
  assert.equal([...watch.take()], [[at('none'), new Set([null])]]);
});

/** An event that never comes must not hang the suite. */
async function comes(): Promise<void> {
  const began = performance.now();
  await watch.change(60_000, new AbortController().signal);
  assert.ok(performance.now() - began < 50_000, 'an event came');
}

test.run();
