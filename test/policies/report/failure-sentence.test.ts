// The sentence about a failure: one for each reason and class, short, plain, and never another one's.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLASSES } from '../../../policies/facts/classes.ts';
import { CLASS_SENTENCES, failureSentence, SENTENCES } from '../../../policies/report/failure-sentence.ts';
import { FAILURE_REASONS } from '../../../policies/verdict/reasons.ts';

const ALL: readonly (readonly [string, string])[] = [...Object.entries(SENTENCES), ...Object.entries(CLASS_SENTENCES)];

/** Words that an engineer would not say, and words of our own code. */
const PRIVATE =
  /\b(?:told|left|asked|stands|stood|nobody|somebody|whoever|anew|mend|mended|lies|stand-in|judge|vouch|door|ledger)\b/i;

test('each reason and each class has one', () => {
  const reasons = FAILURE_REASONS.filter((reason) => !Object.hasOwn(SENTENCES, reason));
  const classes = Object.keys(CLASSES).filter((name) => !Object.hasOwn(CLASS_SENTENCES, name));
  assert.equal([...reasons, ...classes], []);
});

test('no two are equal', () => {
  assert.is(new Set(ALL.map(([, sentence]) => sentence)).size, ALL.length);
});

for (const [name, sentence] of ALL)
  test(`${name}: one plain sentence of at most 20 words`, () => {
    assert.match(sentence, /^(?:[A-Z]|\{tool\})[^.!?\n]*\.$/);
    assert.ok(sentence.split(' ').length <= 20, sentence);
    assert.not.match(sentence, PRIVATE);
  });

for (const [what, failure, expected] of [
  ['a known reason', { class: 'tooling', reason: 'crashed', tool: 'codex' }, 'codex crashed.'],
  ['no known tool', { class: 'tooling', reason: 'crashed', tool: null }, 'The CLI crashed.'],
  ["a reason of a project's own rule", { class: 'quota', reason: 'team_cap' }, 'A usage limit is reached.'],
  ['no reason', { class: 'transient', reason: null }, 'The call failed for a temporary cause.'],
  ['a class of another version', { class: 'toString', reason: 'constructor' }, CLASS_SENTENCES.unknown],
] as const)
  test(`${what}: ${expected}`, () => assert.is(failureSentence(failure), expected));

test.run();
