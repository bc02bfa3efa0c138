// Tables and pages within a terminal's width, and on paper, whose columns nobody counts.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAPER, type Sheet } from '../../bin/sheet.ts';
import { type Column, tableLines, wrapLine } from '../../bin/table.ts';
import { onSheet } from '../../bin/terminal-page.ts';
import { renderText } from '../../bin/tollgate/report-page.ts';
import { sessionLines } from '../../bin/tollgate/sessions/sessions-page.ts';
import type { TasksReport } from '../../loops/report/collect.ts';
import type { KnownSession } from '../../loops/session/known-sessions.ts';
import { toDo } from '../../policies/facts/next-action.ts';

const at = (width: number): Sheet => ({ width, ink: 'plain' });
const COLUMNS: Column[] = [
  { heading: 'TASK', least: 6 },
  { heading: 'STATE', paint: (cell) => (cell === 'done' ? 'green' : null) },
  { heading: 'ID', leaveOut: 1 },
];
const ROWS = [
  ['fix-the-login', 'done', '12345'],
  ['b', 'failed', '-'],
];

const TABLES: [width: number | null, lines: string[]][] = [
  [null, ['TASK           STATE   ID', 'fix-the-login  done    12345', 'b              failed  -']],
  [28, ['TASK           STATE   ID', 'fix-the-login  done    12345', 'b              failed  -']],
  [24, ['TASK       STATE   ID', 'fix-the-…  done    12345', 'b          failed  -']],
  [20, ['TASK          STATE', 'fix-the-log…  done', 'b             failed']],
  [10, ['TASK           STATE', 'fix-the-login  done', 'b              failed']],
];
for (const [width, lines] of TABLES)
  test(`${width ?? 'any'} columns`, () => {
    assert.equal(tableLines(COLUMNS, ROWS, { width, ink: 'plain' }), lines);
  });

test('colour goes around the cell, and moves nothing', () => {
  const [, line] = tableLines(COLUMNS, ROWS, { width: 80, ink: 'colour' });
  assert.is(line, 'fix-the-login  \u001b[32mdone  \u001b[39m  12345');
});

test('lines are broken at spaces, and a word stays whole', () => {
  assert.equal(wrapLine('→ tollgate run fix --keep brief', 16, 2), ['  → tollgate run', '    fix --keep', '    brief']);
  assert.equal(wrapLine('→ 0123456789', 8, 2), ['  →', '    0123456789']);
});

const PAGE = '# Task fix: done\n\n| stage | state |\n|---|---|\n| a \\| b | done |\n\nNote: x\n';

test('a page in Markdown is as it is on paper, and has tables on a terminal', () => {
  assert.is(onSheet(PAGE, PAPER), PAGE);
  assert.is(onSheet(PAGE, at(80)), 'Task fix: done\n\nSTAGE  STATE\na | b  done\n\nNote: x\n');
});

const ROW: TasksReport['tasks'][number] = {
  task_id: 'a-task-with-a-rather-long-name-for-what-it-is',
  folder: '/x',
  state: 'failed',
  at: '2026-01-01T00:00:00.000Z',
  stage: 'gemini_review_consolidate',
  class: 'contract_violation',
  reason: 'missing_sections',
  sentence: 'The answer lacks required sections, or they are empty.',
  signature: `v1:${'a'.repeat(64)}`,
  evidence: 'the answer has no section "Verdict", '.repeat(5),
  since: '2026-01-01T00:00:00.000Z',
  count: 2,
  retry_at: null,
  calls: { used: 10, budget: 10 },
  checked_at: null,
  checked_by: null,
  supervision: null,
  stages: [],
  next_action: toDo(`tollgate run a-task-with-a-rather-long-name-for-what-it-is ${'and then look at it '.repeat(5)}`),
};
const TOTALS = {
  tasks: 1,
  done: 0,
  failed: 1,
  interrupted: 0,
  refused: 0,
  parked: 0,
  running: 0,
  never_run: 0,
  unreadable: 0,
};
const REPORT: TasksReport = {
  schema: 1,
  at: ROW.at!,
  folder: '/project/.tmp/task',
  totals: TOTALS,
  tasks: [ROW],
  groups: [
    {
      signature: ROW.signature,
      class: ROW.class!,
      reason: ROW.reason,
      sentence: ROW.sentence!,
      task_ids: [ROW.task_id],
      first_seen: ROW.at,
      last_seen: ROW.at,
      evidence: ROW.evidence,
    },
  ],
  unreadable: [],
};

const SESSION = {
  tag: 'a-feature-with-a-long-name',
  tool: 'copilot',
  entry: {
    session_id: '0199a213-81c0-7800-8aa1-bbab2a035a53',
    context_tokens: 123_456,
    last_used: '2026-01-01T00:00:00.000Z',
    error_count: 2,
  },
  bytes: 123_456_789,
  health: '2 flaws; repaired before the session continues',
} as KnownSession;

const PAGES: [what: string, lines: (sheet: Sheet) => string[]][] = [
  ['report', (sheet) => renderText(REPORT, sheet).split('\n')],
  ['sessions list', (sheet) => sessionLines([SESSION], new Date('2026-01-12T00:00:00Z'), sheet)],
];
for (const [what, lines] of PAGES)
  for (const width of [80, 100, 120])
    test(`${what} fits ${width} columns`, () => {
      assert.equal(
        lines(at(width)).filter((line) => [...line].length > width),
        [],
      );
      assert.ok(lines(PAPER).some((line) => line.length > 120));
    });

test.run();
