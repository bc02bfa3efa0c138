// Which of many files are surely not there: told by a list of their folder, and never of one that is.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAbsence, type IsAbsent, placeOf } from '../../../loops/wait/absence.ts';
import { temporaryFolder } from '../../rig/temporary-folder.ts';

const test = suite<{ folder: string }>('absence');
test.before.each((context) => {
  context.folder = temporaryFolder('absence-');
});

const FILES = 100;

const placesIn = (folder: string) => Array.from({ length: FILES }, (_, n) => placeOf(path.join(folder, `${n}.done`)));

/** Of the last ones, which are asked for when there is a list. */
const last = (isAbsent: IsAbsent, folder: string, names: readonly string[]): boolean[] => {
  for (const place of placesIn(folder)) isAbsent(place);
  return names.map((name) => isAbsent(placeOf(path.join(folder, name))));
};

test('a few are not told of, of many those that are not in the list', ({ folder }) => {
  const absence = createAbsence();
  writeFileSync(path.join(folder, '98.done'), '');
  const round = absence.round();
  assert.is(round(placesIn(folder)[0]!), false);
  assert.equal(last(round, folder, ['98.done', '99.done']), [false, true]);
  writeFileSync(path.join(folder, '99.done'), '');
  assert.equal(last(absence.round(), folder, ['98.done', '99.done']), [false, false]);
});

test('a name that another spelling may lead to is there for all that is known', ({ folder }) => {
  writeFileSync(path.join(folder, 'A.Done'), '');
  assert.equal(last(createAbsence().round(), folder, ['a.done', 'ä.done', 'LONGNA~1.DON', 'x.', 'x y']), [
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('nothing is known of what is in no folder, nor of a folder that holds far more than is asked for', ({
  folder,
}) => {
  const absence = createAbsence();
  assert.equal(last(absence.round(), path.join(folder, 'none'), ['x.done']), [false]);
  writeFileSync(path.join(folder, 'file'), '');
  assert.equal(last(absence.round(), path.join(folder, 'file'), ['x.done']), [false]);
  const large = path.join(folder, 'large');
  mkdirSync(large);
  for (let n = 0; n < 600; n += 1) writeFileSync(path.join(large, `other-${n}`), '');
  assert.equal(last(absence.round(), large, ['x.done']), [true]);
  assert.equal(last(absence.round(), large, ['x.done']), [false]);
  rmSync(large, { recursive: true });
});

test.run();
