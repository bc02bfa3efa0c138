// Tables and pages within a terminal's width, and on paper, whose columns nobody counts.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PAPER, type Sheet } from '../../bin/sheet.ts';
import { type Column, tableLines } from '../../bin/table.ts';
import { onSheet } from '../../bin/terminal-page.ts';
import { bar } from '../../bin/tollgate/limits/limits.ts';
import { renderText } from '../../bin/tollgate/report-page.ts';
import { sessionLines } from '../../bin/tollgate/sessions/sessions-page.ts';
import { renderStatus } from '../../bin/tollgate/status.ts';
import { cutLine, lengthOf, wrapped } from '../../bin/wrap.ts';
import type { TasksReport } from '../../loops/report/collect.ts';
import type { TasksStatus } from '../../loops/report/status.ts';
import type { KnownSession } from '../../loops/session/adopt.ts';
import { toAnswer, toDo, toType } from '../../policies/facts/next-action.ts';

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

const WRAPPED: [what: string, width: number | null, text: string, lines: string[]][] = [
  ['no terminal', null, 'a line of words', ['a line of words']],
  ['a line that fits', 15, 'a line of words', ['a line of words']],
  ['below an arrow', 16, '  → tollgate run fix --keep brief', ['  → tollgate run', '    fix --keep', '    brief']],
  ['below a number', 12, '1. one two three', ['1. one two', '   three']],
  [
    'below the last column',
    29,
    'ok    node    20.19 or newer it is',
    ['ok    node    20.19 or newer', '              it is'],
  ],
  ['a word that is too long', 8, '→ 0123456789 is', ['→ 0123456789', '  is']],
  ['a long word below a short one', 8, 'see 0123456789', ['see', '0123456789']],
  ['colour takes no room', 9, '\u001b[31mfailed\u001b[39m at x', ['\u001b[31mfailed\u001b[39m at', 'x']],
  ['wide characters take two columns', 8, '日本語 日本', ['日本語', '日本']],
  ['each line by itself', 6, 'one two\n\nthree four', ['one', 'two', '', 'three', 'four']],
];
for (const [what, width, text, lines] of WRAPPED)
  test(`wraps: ${what}`, () => {
    assert.equal(wrapped(text, width).split('\n'), lines);
  });

test('a cut line has a mark, and wide characters count twice', () => {
  assert.equal(
    [cutLine('abcdef', 4), cutLine('日本語', 5), lengthOf('日本語'), lengthOf('e\u0301')],
    ['abc…', '日本…', 6, 1],
  );
});

test('an id is never cut: it has its own line above its row', () => {
  const columns: Column[] = [{ heading: 'TASK', least: 6, isWhole: true }, { heading: 'STATE' }];
  assert.equal(tableLines(columns, ROWS, { width: 14, ink: 'plain' }).join('\n').split('\n'), [
    'TASK    STATE',
    'fix-the-login',
    '        done',
    'b       failed',
  ]);
});

const PAGE = '# Task fix: done\n\n| stage | state |\n|---|---|\n| a \\| b | done |\n\nNote: x\n';

test('a page in Markdown is as it is on paper, and has tables on a terminal', () => {
  assert.is(onSheet(PAGE, PAPER), PAGE);
  assert.is(onSheet(PAGE, at(80)), 'Task fix: done\n\nSTAGE  STATE\na | b  done\n\nNote: x\n');
});

test('fenced text keeps its own marks on a terminal, and a diff its colours', () => {
  const page = '````\n# Plan\n```\n| a |\n````\n# End\n```diff\n-a\n+b\n```\n';
  assert.is(onSheet(page, at(80)), '  # Plan\n  ```\n  | a |\nEnd\n  -a\n  +b\n');
  assert.match(onSheet(page, { width: 80, ink: 'colour' }), /\u001b\[31m-a\u001b\[39m\n {2}\u001b\[32m\+b/);
});

const ROW: TasksReport['tasks'][number] = {
  task_id: 'a-task-with-a-rather-long-name-for-what-it-is',
  folder: '/x',
  state: 'failed',
  at: '2026-01-01T00:00:00.000Z',
  stage: 'gemini_review_consolidate',
  tool: 'gemini',
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
  lacks: [],
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
  ['report', (sheet) => wrapped(renderText(REPORT, { sheet, spent: null, isAll: false }), sheet.width).split('\n')],
  ['sessions list', (sheet) => sessionLines([SESSION], new Date('2026-01-12T00:00:00Z'), sheet)],
];
for (const [what, lines] of PAGES)
  for (const width of [80, 100, 120])
    test(`${what} fits ${width} columns`, () => {
      assert.equal(
        lines(at(width))
          .flatMap((line) => line.split('\n'))
          .filter((line) => [...line].length > width),
        [],
      );
      assert.ok(lines(PAPER).some((line) => line.length > 120));
    });

const MANY: TasksReport = {
  ...REPORT,
  totals: { ...TOTALS, tasks: 26, done: 25 },
  tasks: [
    ...Array.from({ length: 25 }, (_, i): TasksReport['tasks'][number] => ({
      ...ROW,
      task_id: `done-${i}`,
      state: 'done',
      class: null,
      reason: null,
      next_action: null,
    })),
    ROW,
  ],
};

test('a terminal gets 20 tasks below the failures, and says how many more there are; --all and a pipe get all', () => {
  const shown = (sheet: Sheet, isAll: boolean) => renderText(MANY, { sheet, spent: null, isAll }).split('\n');
  const terminal = shown(at(120), false);
  assert.is(terminal[0]!.replace(/in \S+:/, 'in DIR:'), '26 tasks in DIR: 1 failed, 25 done');
  assert.equal(
    terminal.slice(2, 8).map((line) => line.slice(0, 10).trim()),
    [ROW.sentence!.slice(0, 10).trim(), 'task', 'evidence', 'next', '', 'Other task'],
  );
  const rows = terminal.slice(terminal.findIndex((line) => line.startsWith('TASK')) + 1);
  assert.equal(
    [rows.filter((line) => /^done-/.test(line)).length, rows.at(-2)],
    [20, '… and 5 more tasks: --all shows them'],
  );
  const all = shown(at(120), true);
  assert.match(all[all.findIndex((line) => line.startsWith('TASK')) + 1]!, /^a-task-with/);
  for (const [sheet, isAll] of [
    [at(120), true],
    [PAPER, false],
  ] as const)
    assert.is(shown(sheet, isAll).filter((line) => /^done-/.test(line)).length, 25);
});

test('on a terminal, a report has the steps and the cost of a failure, each question, and what waits for its turn', () => {
  const rest = { ...ROW, class: null, reason: null, next_action: null };
  const asks = { how: 'parked', iterations: [], question: 'Which one?', answer_waits: false } as unknown;
  const failed = ['a', 'b', 'compare-20260101000000-12ab-1', 'compare-20260101000000-12ab-2'];
  const tasks = [
    ...failed.map((task_id) => ({ ...ROW, task_id })),
    { ...rest, task_id: 'q', state: 'parked', supervision: asks, next_action: toAnswer('tollgate answer q "…"') },
    { ...rest, task_id: 'works', state: 'running' },
    { ...rest, task_id: 'waits', state: 'running' },
    { ...rest, task_id: 'new', state: 'never_run' },
    { ...rest, task_id: 'newer', state: 'never_run' },
  ] as TasksReport['tasks'];
  const totals = { ...TOTALS, tasks: 9, failed: 4, parked: 1, running: 2, never_run: 2 };
  const call = { day: '2026-01-01', tool: 'codex', tokens: 1200, usd: 0.02, durationMs: 1 };
  const text = renderText(
    { ...REPORT, totals, tasks, groups: [{ ...REPORT.groups[0]!, task_ids: failed, evidence: 'refused' }] },
    {
      ...{ sheet: at(120), spent: null, isAll: false, waiting: new Set(['waits']) },
      costs: new Map([
        ['a', [call, { ...call, usd: null }]],
        ['b', [{ ...call, tokens: null, usd: null }]],
      ]),
      actionsOf: () => [toDo('sign in'), toType('call codex again', 'tollgate run a', 'pays')],
    },
  );
  assert.is(
    text.replace(/in \S+:/, 'in DIR:'),
    `9 tasks in DIR: 4 failed, 1 asks you, 1 running, 1 waiting, 2 never run
3 paid calls, 2,400 tokens (unknown for 1 call), $0.0200 (unknown for 2 calls)

The answer lacks required sections, or they are empty.
  2 tasks   a, b (first just now), contract_violation (missing_sections)
  evidence  refused
  next      1. sign in
            2. call codex again: \`tollgate batch a b\`
  cost      3 paid calls, 2,400 tokens (unknown for 1 call), $0.0200 (unknown for 2 calls)

The answer lacks required sections, or they are empty.
  comparison  compare-20260101000000-12ab (2 variants) (first just now), contract_violation (missing_sections)
  evidence    refused
  next        1. sign in
              2. call codex again: \`tollgate run a\`
  cost        no paid call

q asks you: Which one?
  next  answer it: \`tollgate answer q "YOUR ANSWER"\`

Other tasks:
TASK   STATE    STAGE                      SINCE     CALLS
works  running  gemini_review_consolidate  just now  10/10
waits  waiting  gemini_review_consolidate  just now  10/10

2 never run: new, newer
`,
  );
});

test('on a terminal, the status has one line for each cause, and below a question or an interrupted task its command', () => {
  const failed = (task_id: string, reason: string) => ({ ...ROW, task_id, class: 'auth' as const, reason });
  const question = { ...ROW, task_id: 'asks', state: 'parked' as const, class: null, reason: null };
  const action = toAnswer('tollgate answer asks "…"');
  const supervision = { how: 'parked' as const, iterations: [], question: 'Which one?', answer_waits: false };
  const status = {
    ...{ schema: 1 as const, at: ROW.at!, folder: '/project/.tmp/task', totals: TOTALS, unreadable: [], waiting: [] },
    running: { batches: [], runs: [], calls: [] },
    tasks: [
      failed('a', 'bad_key'),
      ...['b', 'c', 'd', 'e', 'f', 'g'].map((id) => failed(id, 'bad_credentials')),
      { ...question, supervision, next_action: action },
      {
        ...question,
        task_id: 'cut',
        state: 'interrupted',
        next_action: toType('continue', 'tollgate run cut', 'pays'),
      },
    ],
  };
  const lines = renderStatus(status as unknown as TasksStatus, at(80), false).split('\n');
  assert.equal(lines.slice(1), [
    '',
    'Needs you:',
    '  6 failed       The service rejected the credentials of the CLI: b, c, d, e, f, and 1 more (just now)',
    '  1 failed       The service rejected the API key as invalid: a (just now)',
    '  1 asks you     asks: Which one?',
    '                 → answer it: `tollgate answer asks "YOUR ANSWER"`',
    '  1 interrupted  cut',
    '                 → continue: `tollgate run cut`',
    '',
    'Next: `tollgate report` says what to do',
    '',
  ]);
  assert.match(renderStatus(status as unknown as TasksStatus, at(80), true), 'b, c, d, e, f, g (just now)\n');
});

test('a terminal omits a column in which no row has anything', () => {
  const columns = [{ heading: 'A' }, { heading: 'B', isOptional: true as const }];
  assert.equal(tableLines(columns, [['x', '-']], at(80)), ['A', 'x']);
  assert.equal(
    tableLines(
      columns,
      [
        ['x', '-'],
        ['y', '1'],
      ],
      at(80),
    ),
    ['A  B', 'x  -', 'y  1'],
  );
  assert.equal(tableLines(columns, [['x', '-']], PAPER), ['A  B', 'x  -']);
});

const BARS: [used: number, most: number, locale: string, shown: string][] = [
  [0, 100, 'C.UTF-8', '░░░░░░░░░░░░   0 %'],
  [1, 100, 'C.UTF-8', '▏░░░░░░░░░░░   1 %'],
  [1, 1000, 'C.UTF-8', '▏░░░░░░░░░░░ < 1 %'],
  [42, 100, 'en_US.utf8', '█████░░░░░░░  42 %'],
  [42, 100, 'C', '#####.......  42 %'],
  [1, 6, 'C', '##..........  17 %'],
  [999, 1000, 'C', '###########.  99 %'],
  [300, 100, 'POSIX', '############ 300 %'],
  [0, 0, 'C', '############ 100 %'],
];
for (const [used, most, locale, shown] of BARS)
  test(`a bar of ${used} of ${most} in the locale ${locale}`, () => {
    const before = process.env.LC_ALL;
    process.env.LC_ALL = locale;
    try {
      assert.is(bar(used, most, at(80)), shown);
    } finally {
      if (before === undefined) delete process.env.LC_ALL;
      else process.env.LC_ALL = before;
    }
  });

test.run();
