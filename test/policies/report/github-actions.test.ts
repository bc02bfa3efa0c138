// What GitHub Actions gets: problems as commands of a workflow, and the outputs of a step.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { annotationsOf, answerOutputs, stepOutputLines, stepSummary } from '../../../policies/report/github-actions.ts';
import type { Problem } from '../../../policies/report/problem.ts';

const PROBLEM: Problem = {
  rule: 'review/major',
  level: 'error',
  task_id: 'fix',
  stage: 'codex_review',
  place: { path: 'src/a.ts', line: 3, endLine: 5 },
  text: 'wrong',
  signature: null,
  earlier_at: null,
};

test('one line each, the gravest first', () => {
  const note: Problem = { ...PROBLEM, level: 'note', stage: null, place: null, text: 'x' };
  assert.is(
    annotationsOf([note, PROBLEM]),
    '::error file=src/a.ts,line=3,endLine=5,title=fix codex_review%3A review/major::wrong\n' +
      '::notice title=fix%3A review/major::x\n',
  );
});

test('no text ends its line, begins a property or is a command', () => {
  const place = { path: 'a,line=9::x%0A\n::b', line: null, endLine: null };
  const said = annotationsOf([{ ...PROBLEM, place, text: '100%\r\n::set-env name=X::y\u001b[31m \u202eabc \ud800' }]);
  assert.is(
    said,
    '::error file=a%2Cline=9%3A%3Ax%250A%0A%3A%3Ab,title=fix codex_review%3A review/major::100%25 %0A::set-env name=X::y [31m  abc \ufffd\n',
  );
});

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
