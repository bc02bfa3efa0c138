// The page of tollgate watch keeps within its terminal, whatever the texts in it are.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clockTime, whenWords } from '../../../../bin/from-here.ts';
import { changeLine, isUrgent, watchedTasks, watchPage } from '../../../../bin/tollgate/watch/watch-page.ts';
import type { NowCall, NowTask, NowWait, RunsNow } from '../../../../loops/report/now.ts';
import type { TaskRow } from '../../../../loops/report/task-row.ts';
import { toAnswer, toDo } from '../../../../policies/facts/next-action.ts';

const AT = '2026-01-01T00:01:00.000Z';
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u202eevil\nline';

const call = (last: string): NowCall => ({
  call_id: 'c',
  stage: 'codex_review',
  tool: 'codex',
  stand_ins: [],
  attempt: 1,
  since: '2026-01-01T00:00:00.000Z',
  deadline_at: AT,
  last,
  tokens: 12345,
});
const task = (n: number, over: Partial<NowTask>): NowTask => ({
  task_id: `task-number-${n}`,
  folder: `/p/.tmp/task/task-number-${n}`,
  state: 'running',
  since: '2026-01-01T00:00:00.000Z',
  running: [],
  waits: null,
  tokens: null,
  calls: { used: 1, budget: 10 },
  stage: null,
  class: null,
  reason: null,
  message: null,
  ...over,
});
const of = (tasks: NowTask[]): RunsNow => {
  const totals = { tasks: tasks.length, running: 0, done: 0, failed: 0, interrupted: 0, refused: 0, parked: 0 };
  const all = { ...totals, never_run: 0, unreadable: 0, gone: 0 };
  for (const { state } of tasks) all[state] += 1;
  return { schema: 1, at: AT, folder: '/p/.tmp/task', totals: all, tasks };
};

const MANY = of([
  ...Array.from({ length: 40 }, (_, n) => task(n, { running: [call(EVIL)] })),
  ...Array.from({ length: 60 }, (_, n) =>
    task(100 + n, { state: 'failed', stage: 'codex_review', class: 'auth', reason: EVIL, message: EVIL }),
  ),
]);

for (const [width, height] of [
  [40, 10],
  [60, 24],
  [200, 50],
] as const)
  test(`100 tasks on ${width} by ${height}`, () => {
    const lines = watchPage(MANY, MANY.tasks, { width, ink: 'plain' }, height);
    // Two more lines say which key leaves.
    assert.ok(lines.length <= height - 2, `${lines.length} lines`);
    assert.equal(
      lines.filter((line) => [...line].length > width),
      [],
    );
    assert.not.match(lines.join(''), /[\u0000-\u001f\u202e]/);
    assert.match(lines.join('\n'), /^40 running, 60 failed of 100$/m);
    assert.match(lines.join('\n'), /^… and \d+ more at work$/m);
    assert.match(lines.join('\n'), /^… and \d+ more at rest$/m);
  });

test('what runs, what waits, and what is not shown', () => {
  const waits: NowWait = { what: 'tree', behind: ['a', 'b', 'c', 'd', 'e'], stage: 'codex_impl' };
  const until: NowWait = { what: 'time', until: '2026-01-01T00:02:00.000Z', stage: 'codex_brief' };
  const now = of([
    task(1, { running: [call('answers')] }),
    task(2, { waits }),
    task(3, { waits: until }),
    task(4, {}),
    task(5, { state: 'done' }),
  ]);
  assert.equal(
    watchPage(
      now,
      watchedTasks(now, () => false),
      { width: 120, ink: 'plain' },
      40,
    ),
    [
      '2 running, 2 waiting, 1 done of 5',
      '',
      '  TASK           STAGE         CLI    FOR    TOKENS  LAST',
      '  task-number-1  codex_review  codex  1 min  12,345  answers',
      '  task-number-2  codex_impl    -      1 min  -       waits for its working tree behind a, b, c and 2 more',
      `  task-number-3  codex_brief   -      1 min  -       waits until ${whenWords(until.until, new Date(AT))}`,
      '  task-number-4  -             -      1 min  -       makes no call at the moment',
    ],
  );
});

test('the chosen task has a mark, and is shown however many come before it', () => {
  const lines = watchPage(MANY, MANY.tasks, { width: 120, ink: 'plain' }, 24, 'task-number-150');
  assert.equal(
    lines.filter((line) => line.startsWith('>')).map((line) => line.split(/ +/)[1]),
    ['task-number-150'],
  );
  assert.ok(lines.length <= 22);
});

test('an id that is wider than its column is whole, and the page keeps its height', () => {
  const id = `task-${'x'.repeat(50)}`;
  const many = of(Array.from({ length: 30 }, (_, n) => task(n, { task_id: `${id}${n}`, running: [call('answers')] })));
  const lines = watchPage(many, many.tasks, { width: 60, ink: 'plain' }, 20);
  assert.ok(lines.length <= 18, `${lines.length} lines`);
  assert.ok(lines.includes(`  ${id}0`), lines.join('\n'));
});

test('at rest: the failures and questions come first, with what to do for the first of them', () => {
  const rest = { state: 'failed', class: 'auth', reason: 'bad_key', tokens: null } as const;
  const now = of([
    task(1, { state: 'done' }),
    task(2, { ...rest, since: '2026-01-01T00:00:00.000Z' }),
    task(3, { ...rest, state: 'parked', class: null, reason: null }),
  ]);
  const row = (n: number, over: object) =>
    [`/p/.tmp/task/task-number-${n}`, { state: 'failed', ...over } as TaskRow] as const;
  const rows = new Map([
    row(2, { sentence: 'The service rejected the key of codex.', next_action: toDo('set a new key') }),
    row(3, {
      state: 'parked',
      supervision: { question: 'Which one?' },
      next_action: toAnswer('tollgate answer q "…"'),
    }),
  ]);
  const page = (selected: string | null) =>
    watchPage(now, watchedTasks(now, isUrgent), { width: 80, ink: 'plain' }, 24, selected, rows);
  assert.equal(page(null), [
    '1 done, 1 failed, 1 asks you of 3',
    '',
    '  TASK           STATE     WHY                                  SINCE      CALLS',
    '  task-number-2  failed    The service rejected the key of…     1 min ago  1/10',
    '  task-number-3  asks you  Which one?                           1 min ago  1/10',
    '',
    'task-number-2: The service rejected the key of codex.',
    '  → set a new key',
  ]);
  assert.equal(page('task-number-3').slice(-3), [
    '',
    'task-number-3: Which one?',
    '  → answer it: `tollgate answer q "YOUR ANSWER"`',
  ]);
});

test('a change is one line, whatever its texts are', () => {
  const head = { at: AT, task_id: 'fix', folder: '/p' };
  const line = changeLine({ ...head, change: 'unreadable', message: EVIL });
  assert.is(line, `${clockTime(AT)} fix: cannot be read: [2J ]0;owned evil line\n`);
  const ended = { state: 'failed', stage: null, class: 'quota', reason: 'budget' } as const;
  assert.is(
    changeLine({ ...head, change: 'ended', ...ended }),
    `${clockTime(AT)} fix: failed: the start, quota (budget)\n`,
  );
});

test.run();
