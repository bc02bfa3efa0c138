// What a step of CI gives on: no value ends itself, and what a model wrote is no markup.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answerOutputs, stepOutputLines } from '../../../policies/report/step-outputs.ts';
import { stepSummary } from '../../../policies/report/step-summary.ts';

test('each value between its delimiters', () => {
  assert.is(stepOutputLines({ a: 'x\nEOF\nb=c', b: '' }, 'D1'), 'a<<D1\nx\nEOF\nb=c\nD1\nb<<D1\n\nD1\n');
});

const ANSWERS: [answer: string, outputs: Record<string, string>][] = [
  ['done', { answer: 'done' }],
  [
    '{"verdict":"PASS","n":3,"list":[1],"a b":1}',
    {
      fields: '{"verdict":"PASS","n":3,"list":[1],"a b":1}',
      answer_verdict: 'PASS',
      answer_n: '3',
      answer_list: '[1]',
    },
  ],
  ['```json\n{"x":null}\n```\n', { fields: '{"x":null}', answer_x: 'null' }],
  ['[1]', {}],
  ['Look:\n\n```json\n{"x":1}\n```\n', {}],
];
for (const [answer, outputs] of ANSWERS)
  test(answer.split('\n')[0]!, () => assert.equal(answerOutputs(answer), { answer, ...outputs }));

test('an answer that is too long is left to its file', () => {
  assert.equal(answerOutputs('x'.repeat(100_001)), { answer: '' });
});

test('a summary fetches no picture and holds no tag', () => {
  assert.is(stepSummary('a <img src=x> ![p](http://x) \u001b[31m'), 'a &lt;img src=x> !\\[p](http://x)  [31m');
});

test.run();
