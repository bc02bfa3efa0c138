// The page of a batch: whole for a small one, and at most 80 lines for the worst.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BatchReport, endOf, failuresOf, renderBatch, totalsOf } from '../../../loops/batch/report.ts';
import { type BatchRow, type RowEnd, refusedRow, rowOf, surprisedRow, waitingRow } from '../../../loops/batch/row.ts';
import { toDo, toType } from '../../../policies/facts/next-action.ts';

const done = (task_id: string): RowEnd => ({
  row: { ...waitingRow(task_id), state: 'done', exit_code: 0, calls: 1 },
  next: [],
});
const failed = (task_id: string, more: Partial<BatchRow> = {}): RowEnd => ({
  row: {
    ...waitingRow(task_id),
    state: 'failed',
    exit_code: 1,
    calls: 1,
    failed_stage: 'codex_brief',
    class: 'auth',
    reason: 'not_signed_in',
    signature: `v1:${'a'.repeat(64)}`,
    ...more,
  },
  next: [
    toDo('start `codex login`'),
    toType('check it', 'tollgate preflight --tools codex'),
    toType('continue', `tollgate run ${task_id}`, 'pays'),
  ],
});

function reportOf(all: readonly RowEnd[], stopExit: 130 | null = null): BatchReport {
  const rows = all.map(({ row }) => row);
  return {
    schema: 1,
    batch_id: '20260301100000-abcd',
    ...endOf(rows, stopExit, 'plain'),
    tasks: rows,
    totals: totalsOf(rows, 12_345),
    by_failure: failuresOf(all),
    notes: [],
    next_actions: [
      toType('run the remaining tasks', 'tollgate batch --from /p/.tmp/batch/b/left.txt --concurrency 2', 'pays'),
    ],
    files: { report: '/p/.tmp/batch/b/report.json', summary: '/p/.tmp/batch/b/_summary.md', left: null },
  };
}

test('whole', () => {
  const all = [
    done('a'),
    failed('b'),
    failed('c', { retry_at: '2026-03-02T00:00:00.000Z' }),
    { row: refusedRow('d', 'another run has this task'), next: [] },
    { row: waitingRow('e'), next: [] },
  ];
  assert.is(
    renderBatch(reportOf(all, 130)),
    `# Batch 20260301100000-abcd: interrupted, 1 of 5 tasks done, 2 failed, 1 refused, 1 not started

## Failures

- 2 tasks: The CLI is not signed in.
  tasks: b, c
  not before: 2026-03-02T00:00:00.000Z
  next for b: start \`codex login\`
  next for b: check it: \`tollgate preflight --tools codex\`
  class: auth (not_signed_in)
- another run has this task
  task: d

Next:
- run the remaining tasks: \`tollgate batch --from /p/.tmp/batch/b/left.txt --concurrency 2\`

Done: a
Cost: 3 paid calls; tokens unknown; 12 s
Files: /p/.tmp/batch/b/
`,
  );
});

test('a failure of one CLI names it, and a note is no step; the tokens of a call are known or named as unknown', () => {
  const stages = (tokens: number | null) =>
    [{ stage: 'codex_brief', tool: 'codex', calls: 1, tokens, evidence: null }] as unknown as BatchRow['stages'];
  const { row, next } = failed('b', { stages: stages(null) });
  const all = [done('a'), { row, next: [next[0]!, toDo('note: no key is set')] }];
  all[0]!.row.stages = stages(1200);
  const page = renderBatch(reportOf(all));
  for (const line of [
    '- codex is not signed in.',
    '  next: start `codex login`',
    '  note: no key is set',
    'Cost: 2 paid calls; 1,200 tokens (unknown for 1 call); 12 s',
  ])
    assert.ok(page.includes(`\n${line}\n`), page);
});

test('a thousand tasks that all fail differently still make a short page', () => {
  const all = Array.from({ length: 1000 }, (_, i) => failed(`t${i}`, { signature: `v1:${i}` }));
  const lines = renderBatch(reportOf(all)).split('\n');
  assert.ok(lines.length <= 80, String(lines.length));
  assert.ok(lines.includes('- and 991 more kinds of failure: report.json has them all'));
});

const BREAKS: [what: string, told: (paid: () => number) => RowEnd, state: string, exit: number][] = [
  ['a bug', (paid) => surprisedRow('a', new TypeError('x'), paid), 'broken', 70],
  ['a full disk', (paid) => rowOf('a', { how: 'not_run', exitCode: 1, message: 'no space' }, paid), 'broken', 1],
];
for (const [what, told, state, exit] of BREAKS)
  test(`${what} in the middle of a task: what was paid is counted, and nobody says that it was not run`, () => {
    const { row } = told(() => 2);
    assert.equal([row.state, row.exit_code, row.calls], [state, exit, 2]);
    const { totals, by_failure } = reportOf([told(() => 2)]);
    assert.equal([totals.broken, totals.refused, totals.calls, by_failure.length], [1, 0, 2, 1]);
  });

test('a task that another run has is refused, for nothing was paid', () => {
  const { row } = rowOf('a', { how: 'not_run', exitCode: 1, message: 'another run has this task' }, () => 0);
  assert.equal([row.state, row.calls], ['refused', 0]);
});

const ENDS: [rows: BatchRow[], exit: number][] = [
  [[done('a').row], 0],
  [[done('a').row, failed('b').row], 1],
  [[done('a').row, { ...refusedRow('b', 'a bug'), exit_code: 70 }], 70],
  [[], 0],
];
for (const [rows, exit] of ENDS)
  test(`exit ${exit} for ${rows.map(({ state }) => state).join(', ') || 'nothing'}`, () => {
    assert.is(endOf(rows, null, 'plain').exit_code, exit);
  });

test.run();
