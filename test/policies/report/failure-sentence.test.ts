// The sentence about a failure: one for each reason and class, short, plain, and never another one's.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLASSES } from '../../../policies/facts/classes.ts';
import type { PassedLimit } from '../../../policies/facts/evidence.ts';
import {
  CLASS_SENTENCES,
  failureSentence,
  LIMIT_SENTENCES,
  SENTENCES,
} from '../../../policies/report/failure-sentence.ts';
import { FAILURE_REASONS } from '../../../policies/verdict/reasons.ts';

const ALL: readonly (readonly [string, string])[] = [
  ...Object.entries(SENTENCES),
  ...Object.entries(CLASS_SENTENCES),
  ...Object.entries(LIMIT_SENTENCES),
];

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

for (const [limit, expected] of [
  [
    { name: 'idle_timeout', value: 120_000, unit: 'ms' },
    'codex wrote nothing for 2 min (idle_timeout_ms), so tollgate ended it.',
  ],
  [
    { name: 'timeout', value: 1500, unit: 'ms' },
    'codex did not finish within 1.5 s (timeout_ms), so tollgate ended it.',
  ],
  [{ name: 'turns', value: 1, unit: 'turns' }, 'codex used its 1 turn (max_turns) before it had an answer.'],
  [
    { name: 'task_budget', value: 50_000, unit: 'tokens' },
    "The task's budget of 50,000 tokens is used up, so no call was made.",
  ],
  [
    { name: 'user_budget', value: 1, unit: 'calls', per: 'day' },
    'Your own limit of 1 paid call a day over all tasks is used up, so no call was made.',
  ],
  [{ name: 'call_budget', value: 2, unit: 'usd' }, 'The call used the $2.00 that it may use, so tollgate ended it.'],
  // Of other versions, or edited.
  [{ name: 'toString', value: 1, unit: 'calls' }, SENTENCES.budget],
  [{ name: 'turns', value: '1', unit: 'turns' }, SENTENCES.budget],
] as const)
  test(`the limit ${JSON.stringify(limit)}: ${expected}`, () => {
    const evidence = { limit: limit as PassedLimit };
    assert.is(failureSentence({ class: 'quota', reason: 'budget', tool: 'codex', evidence }), expected);
  });

test.run();
