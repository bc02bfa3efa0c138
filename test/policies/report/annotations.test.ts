// Problems as commands of a workflow, and text that would be one.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { annotationsOf } from '../../../policies/report/annotations.ts';
import type { Problem } from '../../../policies/report/problem.ts';
import { spendingByDay } from '../../../policies/report/spending.ts';

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

test('spending is summed by day and CLI, and what is not known is counted apart', () => {
  const call = { day: '2026-11-22', tool: 'codex', tokens: 10, usd: 0.5, durationMs: 1000 };
  const rows = spendingByDay([
    call,
    { ...call, tokens: null, usd: null, durationMs: null },
    { ...call, tool: 'claude' },
    { ...call, day: '2026-11-23' },
  ]);
  assert.equal(
    rows.map(({ day, tool, calls, tokens, calls_without_tokens, usd, calls_without_price, duration_ms }) => [
      ...[day, tool, calls, tokens, calls_without_tokens, usd, calls_without_price, duration_ms],
    ]),
    [
      ['2026-11-23', 'codex', 1, 10, 0, 0.5, 0, 1000],
      ['2026-11-22', 'claude', 1, 10, 0, 0.5, 0, 1000],
      ['2026-11-22', 'codex', 2, 10, 1, 0.5, 1, 1000],
    ],
  );
});

test.run();
