import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeCases } from '../../../loops/report/triage.ts';
import { ENDING_RULES, LEFTOVERS } from '../../../policies/rules/endings.ts';
import type { Rule } from '../../../policies/rules/rule.ts';
import { RULES } from '../../../policies/rules/rules.ts';
import { decidersOf, lintRules, sentenceOf } from '../../../policies/verdict/lint.ts';
import { readCorpus } from '../../../state/corpus.ts';
import { NOW, replay } from '../replay.ts';

const CASES = 'test/policies/cases';

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

test('every row is the first match of a labelled case: none stands in the shadow of another', () => {
  const read = readCorpus('test/corpus', process.cwd());
  assert.is(read.how, 'read');
  const proven = new Set(
    read.how === 'read' ? judgeCases(read.cases, []).map(({ verdict }) => verdict.evidence?.rule) : [],
  );
  assert.equal(
    ids.filter((id) => !proven.has(id)),
    [],
  );
});

test('ids are unique and in kebab case', () => {
  assert.is(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z]+(?:-[a-z]+)+$/);
});

const CLOCK = { now: NOW, timeZone: 'UTC' };

for (const [i, row] of (RULES as readonly Rule[]).entries())
  test(`the proof of ${row.id} is decided by it, with all rows before it in place`, () => {
    assert.ok(row.proof.length > 0);
    for (const said of row.proof) {
      const deciders = decidersOf(said, row, RULES.slice(0, i + 1), CLOCK);
      assert.ok(
        deciders.every((decider) => decider === row),
        deciders.map((decider) => decider?.id ?? 'none').join(', '),
      );
    }
  });

test('lint finds nothing in our own rows: no shadow, no bare number, no second of a name, none that asks for nothing', () => {
  assert.equal(lintRules([], RULES, CLOCK).map(sentenceOf), []);
});

test.run();
