// How a reasoner's answer is read: one object, whole, fenced or in prose; everything else is a failure, and never half an instruction.

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  MAX_ANSWER_CHARS,
  REASONER_ACTIONS,
  REASONER_SCHEMA,
  readReasonerAnswer,
} from '../../../policies/supervise/reasoner-answer.ts';

const NEXT = '{"action":"continue","instruction":"Do {this} \\"now\\"."}';
const READ = { how: 'read', answer: { action: 'continue', text: 'Do {this} "now".' } };

for (const [what, text] of Object.entries({
  whole: NEXT,
  'with a byte order mark and white space': `\ufeff\n ${NEXT}\n`,
  'in a fence': `Here it is:\n\n\`\`\`json\n${NEXT}\n\`\`\`\nGood luck.`,
  'in a fence without a language': `\`\`\`\n${NEXT}\n\`\`\``,
  'between sentences': `I looked at the tree {src}. So: ${NEXT} That is all.`,
  'beside an object that is no answer': `The tests gave {"passed": 3}. ${NEXT}`,
  'beside a fence that is no answer': `It printed:\n\n\`\`\`json\n{"passed": 3}\n\`\`\`\n${NEXT}`,
  'with more fields': NEXT.replace('{"action"', '{"confidence":0.4,"action"'),
}))
  test(`taken: ${what}`, () => assert.equal(readReasonerAnswer(text), READ));

for (const [what, text, reason] of [
  ['nothing', ' \n', 'empty_answer'],
  ['prose', 'The worker should continue.', 'not_json'],
  ['cut in its text', NEXT.slice(0, -10), 'cut_answer'],
  [
    'cut, with a whole answer within',
    '{"was":{"action":"done","summary":"x"},"action":"continue","instr',
    'cut_answer',
  ],
  ['cut in a fence', `\`\`\`json\n${NEXT.slice(0, -3)}`, 'cut_answer'],
  ['two answers', `${NEXT}\n{"action":"no_op"}`, 'several_answers'],
  [
    'a quoted answer in a fence, and its own in prose',
    `It said:\n\`\`\`json\n{"action":"done","summary":"x"}\n\`\`\`\nNo: ${NEXT}`,
    'several_answers',
  ],
  ['an array', `[${NEXT}]`, 'off_schema'],
  ['a string', '"continue"', 'off_schema'],
  ['another action', '{"action":"dance"}', 'off_schema'],
  ['an inherited action', '{"action":"toString"}', 'off_schema'],
  ['no instruction', '{"action":"continue"}', 'off_schema'],
  ['an empty instruction', '{"action":"continue","instruction":" \\n"}', 'off_schema'],
  ['an instruction that is no text', '{"action":"continue","instruction":5}', 'off_schema'],
  ['a NUL', '{"action":"continue","instruction":"a\\u0000b"}', 'off_schema'],
  ['half a character', '{"action":"continue","instruction":"a\\ud800"}', 'off_schema'],
  ['a long instruction', JSON.stringify({ action: 'continue', instruction: 'x'.repeat(50_001) }), 'too_long'],
  ['1 MB', JSON.stringify({ action: 'continue', instruction: 'x'.repeat(1_000_000) }), 'too_long'],
  ['braces that open nothing', '{'.repeat(MAX_ANSWER_CHARS), 'not_json'],
] as const)
  test(`a failure: ${what}`, () => {
    const read = readReasonerAnswer(text);
    assert.equal([read.how, read.how === 'invalid' && read.reason], ['invalid', reason]);
  });

test('the published schema takes what is read, and refuses what is off it', () => {
  const fits = new Ajv2020({ strict: true }).compile(REASONER_SCHEMA);
  for (const [action, { needs }] of Object.entries(REASONER_ACTIONS)) {
    const whole = { action, ...(needs === null ? {} : { [needs]: 'something' }) };
    for (const value of [whole, { action }, needs === null ? whole : { action, [needs]: ' ' }])
      assert.is(fits(value), readReasonerAnswer(JSON.stringify(value)).how === 'read', JSON.stringify(value));
  }
});

test('whatever an answer is cut to, its instruction is whole or not there', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }).filter((text) => text.trim() !== '' && !text.includes('\0')),
      fc.nat(),
      fc.constantFrom('', 'So: ', '```json\n'),
      (instruction, at, before) => {
        const whole = before + JSON.stringify({ action: 'continue', instruction });
        const read = readReasonerAnswer(whole.slice(0, at % whole.length));
        assert.is(read.how, 'invalid');
        const all = readReasonerAnswer(whole);
        assert.is(all.how === 'read' && all.answer.text, instruction);
      },
    ),
    { numRuns: 500 },
  );
});

test.run();
