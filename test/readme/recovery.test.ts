// docs/recovery.md names, for each requirement, the code that meets it and the tests that show it, and all of that exists.

import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGES } from '../rig/pages.ts';

const [, ...LISTS] = PAGES.get('docs/recovery.md')!.split(/^## /m);

const rows = LISTS.flatMap((list) =>
  [...list.matchAll(/^- \*\*(.+?)\*\* (.+)$/gm)].map(([, what, kept]) => {
    const names = [...kept!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    const tests = names.filter((name) => name.startsWith('test/'));
    return { what: what!, kept: kept!, tests, places: names.filter((name) => /^\w[\w./-]*\/[\w./-]*$/.test(name)) };
  }),
);

test('both lists have their rows', () => {
  assert.equal(
    LISTS.map((list) => list.split('\n')[0]),
    ['Errors of the APIs', 'Sessions that are used again'],
  );
  assert.ok(rows.length > 30, String(rows.length));
});

for (const { what, kept, tests, places } of rows)
  test(what, () => {
    const isStated = kept.startsWith('no part of ours: ') || kept.includes('tollgate ') || places.length > tests.length;
    assert.ok(isStated, `it names its code, or says that it is no part of ours: ${kept}`);
    assert.ok(tests.length > 0, 'a test shows it');
    assert.equal(
      [...places.filter((name) => !existsSync(name)), ...tests.filter((name) => !/\.test\.ts$/.test(name))],
      [],
    );
  });

test.run();
