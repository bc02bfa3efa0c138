// The bench itself: tokens are found and made alike, chance is repeatable, and pairs are counted as they should be.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { randomFrom } from '../../bench/random.ts';
import { three, worst } from '../../bench/truth/figures.ts';
import { FRAMES, LAYOUTS } from '../../bench/truth/layout.ts';
import { count } from '../../bench/truth/measure.ts';
import { NOISE } from '../../bench/truth/noise.ts';
import type { Operator } from '../../bench/truth/operator.ts';
import { pairsOf } from '../../bench/truth/pairs.ts';
import { type Subject, subjectOf } from '../../bench/truth/subject.ts';
import { TELLINGS } from '../../bench/truth/telling.ts';
import { TOKEN_KINDS, tokensOf } from '../../bench/truth/tokens.ts';
import { CHANGED, PLANTED } from '../../bench/truth/volatile.ts';
import type { LabelledCase } from '../../policies/verdict/labelled-case.ts';

const EVERY: readonly Operator[] = [...CHANGED, ...PLANTED, ...LAYOUTS, ...FRAMES, ...NOISE, ...TELLINGS];

function subject(id: string, stderr: string, named: Partial<LabelledCase> = {}, part = 'open'): Subject {
  const captured = { tool: 'gemini', exitCode: 1, signal: null, ending: null, stderr, stdout: '' } as const;
  const at = new Date('2026-11-21T21:00:00.000Z');
  const label = { class: 'tooling' } as const;
  return subjectOf({ id, file: 'x', line: 1, captured, at, label, identity: id, rendering: 'text', ...named }, part);
}

for (const kind of TOKEN_KINDS)
  test(`${kind.name}: what is planted is found, and what is found is made anew in its form`, () => {
    for (const form of kind.planted) {
      const random = randomFrom(kind.name, form);
      const made = Array.from({ length: 20 }, () => kind.make('', random));
      assert.ok(new Set(made).size > 5, form);
      for (const token of made) {
        const text = `it failed${form.replace('*', () => token)}`;
        const found = tokensOf(text).find((one) => one.kind === kind);
        assert.ok(found, text);
        const again = kind.make(text.slice(found.from, found.to), random);
        const changed = `${text.slice(0, found.from)}${again}${text.slice(found.to)}`;
        assert.ok(
          tokensOf(changed).some((one) => one.kind === kind),
          changed,
        );
      }
    }
  });

const RICH = subject(
  'rich',
  `Error: request 123e4567-e89b-12d3-a456-426614174000 to https://api.example.com/v1 failed with status 503 (attempt 2), try again in 20s
    at main (/home/jo/app.js:3:4)\n`,
);

for (const operator of EVERY)
  test(`${operator.name}: the same seed makes the same variant`, () => {
    const [one, two] = [7, 7].map((seed) => operator.change(RICH, randomFrom(seed, operator.name)));
    assert.equal(one, two);
  });

test('another seed makes another variant', () => {
  const [one, two] = [1, 2].map((seed) => JSON.stringify(CHANGED.map(({ change }) => change(RICH, randomFrom(seed)))));
  assert.is.not(one, two);
});

test('a variant that ought to be kept and is not is wrong, and so is one that ought to change and does not', () => {
  const failed = subject('a', 'Error: cannot open the file\n');
  const other: Operator = {
    name: 'other',
    change: () => ({ text: 'Error: cannot close the door\n' }),
  };
  const same: Operator = { name: 'same', change: ({ text }) => ({ text }) };
  const none: Operator = { name: 'none', change: () => null };
  const rows = [other, same, none].flatMap((operator) =>
    (['kept', 'changed'] as const).map((wanted) => {
      const { of, right } = count(operator, wanted, [failed], 1);
      return `${operator.name} ${wanted}: ${right} of ${of}`;
    }),
  );
  assert.equal(rows, [
    'other kept: 0 of 1',
    'other changed: 1 of 1',
    'same kept: 1 of 1',
    'same changed: 0 of 1',
    'none kept: 0 of 0',
    'none changed: 0 of 0',
  ]);
});

test('pairs of one failure told alike, told otherwise, and of two failures', () => {
  const door = (id: string, text: string, rendering = 'text') => subject(id, text, { identity: 'door', rendering });
  const { cases, identities, severalRenderings, sameRendering, sameIdentity, merged, mergedPairs, split } = pairsOf([
    door('one', 'Error: the door is locked\n'),
    door('two', 'Error: the door is locked\n'),
    door('three', 'Error: the door is jammed\n'),
    door('four', 'Error: the door is locked\n', 'json'),
    subject('window', 'Error: the door is jammed\n', { identity: 'window' }),
    subject('fine', 'Error: of no account\n', { identity: null, label: { class: null } }),
  ]);
  assert.equal([cases, identities, severalRenderings, mergedPairs], [6, 2, 1, 1]);
  assert.equal([sameRendering.of, sameRendering.right, sameIdentity.of, sameIdentity.right], [3, 1, 3, 2]);
  const idsOf = (lists: Subject[][]) => lists.map((ones) => ones.map(({ labelled }) => labelled.id));
  assert.equal(idsOf(merged), [['three', 'window']]);
  assert.equal(idsOf(split), [['one', 'two', 'three']]);
});

test("a pair of two writers is no false merge, for a name is its writer's own", () => {
  const lock = 'Error: the door is locked\n';
  const merged = (part: string) =>
    pairsOf([subject('one', lock, { identity: 'door' }, 'held-a'), subject('two', lock, { identity: 'lock' }, part)])
      .mergedPairs;
  assert.equal([merged('held-a'), merged('held-b')], [1, 0]);
});

test('shares are never rounded up, and operators with few variants count as one', () => {
  assert.equal([1, 0.9996, 0.95].map(three), ['1.000', '0.999', '0.950']);
  const counted = (name: string, of: number, right: number) => ({ name, of, right, wrong: [] });
  assert.equal(
    worst([counted('a', 100, 97), counted('b', 5, 1), counted('c', 15, 14)]),
    counted('the rare ones', 20, 15),
  );
  assert.is(worst([counted('a', 100, 70), counted('b', 5, 4), counted('c', 15, 14)]).name, 'a');
});

test.run();
