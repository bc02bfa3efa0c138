import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDING_RULES, LEFTOVERS } from '../../policies/rules/endings.ts';
import { RULES } from '../../policies/rules/rules.ts';
import { replay } from './replay.ts';

const CASES = 'test/policies/cases';
const CAPTURES = 'test/captures';

const ids = [
  ...RULES.map(({ id }) => id),
  ...Object.values(ENDING_RULES).flatMap((rule) => (rule === null ? [] : [rule.id])),
  ...Object.values(LEFTOVERS).map(({ id }) => id),
];
const folders = (parent: string) =>
  readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(parent, entry.name));
const deciding = (folder: string) => replay(folder).evidence?.rule ?? 'success';

for (const folder of folders(CASES))
  test(`the case ${path.basename(folder)} is decided by its own row`, () => {
    assert.is(deciding(folder), path.basename(folder));
  });

test('every row is the first match of a recorded or written case: none stands in the shadow of another', () => {
  const proven = new Set([...folders(CASES), ...folders(CAPTURES).flatMap(folders)].map(deciding));
  assert.equal(
    ids.filter((id) => !proven.has(id)),
    [],
  );
});

test('ids are unique and in kebab case', () => {
  assert.is(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z]+(?:-[a-z]+)+$/);
});

test('no row is matched by a number, wherever it stands', () => {
  const places = (n: number) => [
    `${n}`,
    `line ${n}`,
    `app.ts:${n}:11`,
    `${n} files`,
    `exit ${n}`,
    `(${n})`,
    `took ${n} ms`,
  ];
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  for (const { id, match } of RULES) {
    if (!('text' in match) || match.text === undefined) continue;
    for (const text of numbers.flatMap(places)) assert.not.ok(match.text.test(text), `${id}: ${text}`);
  }
});

test('every row asks for something', () => {
  for (const { id, match } of RULES) assert.ok(Object.keys(match).length > 0, id);
});

test.run();
