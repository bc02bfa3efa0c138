// What is a refusal and what only opens like one; every row of the table is proven by its own examples.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toDo } from '../../../policies/facts/next-action.ts';
import { checkRefusal, refusalRule } from '../../../policies/gate/refusal.ts';
import { IN_ALL_ROWS, REFUSALS } from '../../../policies/verdict/refusals.ts';
import { fuzz } from '../../rig/fuzz.ts';

const idOf = (answer: string) => refusalRule(answer)?.id ?? null;

for (const { id, means, examples } of REFUSALS)
  test(`each example of ${id} is decided by its own row`, () => {
    for (const example of examples) {
      const first = REFUSALS.find(({ opens }) => opens.test(example.replaceAll('’', "'")));
      assert.is(first?.id, id, example);
      assert.is(idOf(example), means === 'refusal' ? id : null, example);
    }
  });

// Made by the row's own pattern; without its ends of words, which cannot be made up.
for (const { id, opens } of REFUSALS)
  fuzz(
    `whatever ${id} matches is looked at`,
    fc.stringMatching(new RegExp(opens.source.replaceAll('\\b', ''), 'u')),
    (text) => assert.match(text, IN_ALL_ROWS),
  );

test('ids are unique, in kebab case, and say what they mean', () => {
  const ids = REFUSALS.map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
  for (const { id, means } of REFUSALS) assert.match(id, new RegExp(`^${means}(?:-[a-z]+)+$`));
});

test('marks, a heading and a greeting before it are looked past', () => {
  const rows = [
    "**I'm sorry, but I can't help with that.**",
    "> I'm sorry, but I can't help with that.",
    "## Summary\n\nI'm sorry, but I can't help with that.",
    "Hello! I'm sorry, but I can't help with that.",
    "Thanks for the request! I'm afraid I can't do that.",
    '"I\'m sorry, but I can\'t help with that." Please ask for something else.',
    "\n\n  I'm\nsorry, but\nI can't help with that.",
  ];
  for (const answer of rows) assert.is(idOf(answer), 'refusal-sorry', answer);
});

test('a report is none', () => {
  const rows = [
    '',
    'The parser is fixed.',
    "I can't find any bugs: the code is fine.",
    'I cannot reproduce the failure.',
    '"I\'m sorry, but I can\'t help with that" is now the text that the bot prints; changed src/bot.ts.',
    '`I cannot do that` was the old answer.',
    "I couldn't see anything wrong.",
    'I can confirm that all criteria are met.',
    'The user is told "I\'m sorry, but I can\'t do that" by the form.',
    'All is done. I cannot help but notice that the tests are slow.',
    'I made the change. I was unable to run the tests.',
    `I'm sorry, but I can't assist with the second part.\n${'The first part is done in full. '.repeat(60)}`,
    '{"verdict": "I cannot help with that"}',
  ];
  for (const answer of rows) assert.is(idOf(answer), null, answer);
});

test('what has all its sections is none', () => {
  const answer = 'I cannot do the second half.\n## Findings\nnone\n## Verdict\npass\n';
  assert.is(checkRefusal(answer, ['Findings', 'Verdict']), null);
  assert.equal(checkRefusal(answer, ['Findings', 'Plan']), {
    check: 'refusal',
    class: 'contract_violation',
    reason: 'refusal',
    missing: [],
    text: 'the answer is a refusal: "I cannot do the second half." [refusal-cannot-help]',
    next_actions: [
      toDo('state in the prompt why this is needed and what the tool may do, or use another CLI for the stage'),
    ],
  });
  assert.is(checkRefusal('I cannot do that.', [])?.reason, 'refusal');
  const long = checkRefusal(`I cannot do that ${'with '.repeat(36)}secret`, [], (text) => text.replace('secret', '…'));
  assert.not.match(long!.text, /sec/);
});

test('hostile text is read in linear time', () => {
  for (const answer of ['#\n'.repeat(500_000), "I'm sorry ".repeat(100_000), ' '.repeat(2e6), `no${' a'.repeat(5e5)}`])
    assert.is(idOf(answer), null);
});

test.run();
