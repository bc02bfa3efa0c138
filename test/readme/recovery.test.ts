// docs/recovery.md names, for each requirement, where it is kept and which tests show it, and all of that is there.

import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

const [, ...LISTS] = PAGES.get('docs/recovery.md')!.split(/^## /m);

const rows = LISTS.flatMap((list) =>
  list
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| required |'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, what, kept, tests]) => ({ what: what!, kept: kept!, tests: quoted(tests!) })),
);

test('both lists have their rows', () => {
  assert.equal(
    LISTS.map((list) => list.split('\n')[0]),
    ['Errors of the APIs', 'Sessions that are used again'],
  );
  assert.ok(rows.length > 30, String(rows.length));
});

for (const { what, kept, tests } of rows)
  test(what, () => {
    const places = quoted(kept).filter((name) => name.includes('/'));
    const isTold = kept.startsWith('no part of ours: ') || kept.includes('tollgate ') || places.length > 0;
    assert.ok(isTold, `it says where it is kept, or that it is no part of ours: ${kept}`);
    assert.ok(tests.length > 0, 'a test shows it');
    const isThere = (name: string) => existsSync(name);
    assert.equal([...places.filter((name) => !isThere(name)), ...tests.filter((name) => !isTest(name))], []);
  });

test.run();

function quoted(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
}

function isTest(name: string): boolean {
  return /^test\/.+\.test\.ts$/.test(name) && existsSync(name);
}
