// Renders the report of all tasks: as columns, within the width of a terminal, or as a page in Markdown.

import type { FailureGroup, TasksReport } from '../../loops/report/collect.ts';
import type { TaskRow } from '../../loops/report/task-row.ts';
import { actionLine } from '../../policies/facts/next-action.ts';
import type { DaySpending } from '../../policies/report/spending.ts';
import { oneLine, visible } from '../../policies/text/display.ts';
import { coloursOf, type Sheet } from '../sheet.ts';
import { type Column, tableLines, wrapLine } from '../table.ts';
import {
  questionsOf,
  SPENT_HEADINGS,
  STATE_PAINT,
  SUPERVISION_HEADINGS,
  spentRows,
  stateWords,
  supervisionCells,
  supervisionLines,
  taskCalls,
} from './task-cells.ts';

/** @param spent null if it was not requested. */
export function renderText(report: TasksReport, sheet: Sheet, spent: readonly DaySpending[] | null = null): string {
  const blocks = [
    taskLines(report, sheet),
    supervisionLines(report.tasks, sheet),
    report.groups.length === 0 ? [] : ['Failures:', ...groupLines(report, sheet)],
    spent === null || spent.length === 0 ? [] : tableLines(SPENT, spentRows(spent), { ...sheet, ink: 'plain' }),
    report.unreadable.map(({ folder, message }) => `Not readable: ${folder}: ${words(message, 300)}`),
    [totalsOf(report)],
  ];
  return textOf(report.tasks.length === 0 ? blocks.slice(1) : blocks);
}

/** Puts an empty line between the blocks. Makes one string at once: for 10,000 tasks, each further string takes 4 MB. */
const textOf = (blocks: readonly string[][]): string =>
  [...blocks.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines])), ''].join(
    '\n',
  );

/** @param spent null if it was not requested. */
export function renderMarkdown(report: TasksReport, spent: readonly DaySpending[] | null = null): string {
  const table: Table = (headings, rows) =>
    [headings, headings.map(() => '---'), ...rows.map((cells) => cells.map(escaped))].map(
      (cells) => `| ${cells.join(' | ')} |`,
    );
  const blocks = [
    ['# Tasks'],
    [totalsOf(report)],
    report.tasks.length === 0 ? [] : table(HEADINGS, report.tasks.map(cellsOf)),
    ...supervisionBlocks(report, table),
    report.groups.length === 0 ? [] : ['## Failures'],
    report.groups.length === 0
      ? []
      : table(
          ['tasks', 'failure', 'signature', 'since', 'evidence', 'which'],
          report.groups.map((group) => [String(group.task_ids.length), ...groupCells(group)]),
        ),
    ...(spent === null || spent.length === 0 ? [] : [['## Spent'], table(SPENT_HEADINGS, spentRows(spent))]),
    report.unreadable.length === 0 ? [] : ['## Not readable'],
    report.unreadable.map(({ folder, message }) => `- ${escaped(folder)}: ${escaped(words(message, 300))}`),
  ];
  return textOf(blocks);
}

type Table = (headings: readonly string[], rows: readonly (readonly string[])[]) => string[];

function supervisionBlocks({ tasks }: TasksReport, table: Table): string[][] {
  const rows = supervisionCells(tasks);
  if (rows.length === 0) return [];
  return [['## Supervised'], table(SUPERVISION_HEADINGS, rows), questionsOf(tasks).map((line) => `- ${escaped(line)}`)];
}

function taskLines({ tasks }: TasksReport, sheet: Sheet): string[] {
  const isPaper = sheet.width === null;
  const columns = isPaper ? TASKS : TASKS.slice(0, -1);
  // Built again on each iteration: for 10,000 tasks, stored rows would take 8 MB.
  const rows = {
    *[Symbol.iterator]() {
      for (const row of tasks) yield cellsOf(row);
    },
  };
  const [heading, ...lines] = tableLines(columns, rows, sheet);
  if (isPaper) return [heading!, ...lines];
  // A user could not type a command that is cut, so it is on its own lines below its task.
  const { dim } = coloursOf(sheet.ink);
  const nexts = tasks.map(({ next_action }) =>
    next_action === null ? [] : wrapLine(`→ ${words(actionLine(next_action), 300)}`, sheet.width!, 2),
  );
  return [heading!, ...lines.flatMap((line, i) => [line, ...nexts[i]!.map((next) => dim(next))])];
}

/** Has no headings, because the cells are clear without them. */
const groupLines = ({ groups }: TasksReport, sheet: Sheet): string[] =>
  tableLines(
    GROUPS,
    groups.map((group) => [`  ${howMany(group)}`, ...groupCells(group)]),
    { ...sheet, ink: 'plain' },
  ).slice(1);

const TASKS: readonly Column[] = [
  { heading: 'TASK', least: 12 },
  { heading: 'STATE', paint: STATE_PAINT },
  { heading: 'STAGE', least: 8 },
  { heading: 'FAILURE', least: 12 },
  { heading: 'SIGNATURE', leaveOut: 2 },
  { heading: 'SINCE', leaveOut: 1 },
  { heading: 'CALLS' },
  { heading: 'NEXT' },
];

const GROUPS: readonly Column[] = [
  { heading: '' },
  { heading: '', least: 12 },
  { heading: '', leaveOut: 3 },
  { heading: '', leaveOut: 2 },
  { heading: '', least: 16, leaveOut: 1 },
  { heading: '', least: 12 },
];

const SPENT: readonly Column[] = SPENT_HEADINGS.map((heading) => ({ heading: heading.toUpperCase() }));

const HEADINGS = ['task', 'state', 'stage', 'failure', 'signature', 'since', 'calls', 'next'] as const;

function cellsOf(row: TaskRow): string[] {
  const { task_id, stage, signature, since, at, calls, next_action, checked_at, checked_by } = row;
  return [
    task_id,
    stateWords(row),
    stage ?? '-',
    row.class === null ? '-' : failureOf(row.class, row.reason),
    short(signature),
    minute(since ?? (checked_by === 'earlier_run' ? checked_at : at)),
    taskCalls(calls),
    next_action === null ? '-' : words(actionLine(next_action), 400),
  ];
}

const NAMED = 5;

function groupCells({ signature, class: errorClass, reason, task_ids, first_seen, evidence }: FailureGroup): string[] {
  const more = task_ids.length > NAMED ? `, and ${task_ids.length - NAMED} more` : '';
  return [
    failureOf(errorClass, reason),
    short(signature),
    minute(first_seen),
    words(evidence ?? '-', 80),
    `${task_ids.slice(0, NAMED).join(', ')}${more}`,
  ];
}

const howMany = ({ task_ids }: FailureGroup): string =>
  `${task_ids.length} ${task_ids.length === 1 ? 'task' : 'tasks'}`;

function totalsOf({ totals, folder }: TasksReport): string {
  const { tasks, unreadable, ...states } = totals;
  const parts = Object.entries(states).flatMap(([state, n]) => (n === 0 ? [] : [`${n} ${state.replace('_', ' ')}`]));
  const line = `${tasks} ${tasks === 1 ? 'task' : 'tasks'} in ${folder}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
  return unreadable === 0 ? line : `${line}; ${unreadable} not readable`;
}

const failureOf = (errorClass: string, reason: string | null) =>
  reason === null ? errorClass : `${errorClass} (${reason})`;

/** Enough characters to distinguish two signatures; `--format json` prints the whole signature. */
const short = (signature: string | null): string => signature?.slice(0, 15) ?? '-';

/** Times are UTC, as in all records. */
const minute = (at: string | null): string => (at === null ? '-' : `${at.slice(0, 16)}Z`);

/** Text from a file may contain anything; only printable words may reach a terminal. */
const words = (text: string, max: number): string => oneLine(visible(text), max);

const escaped = (text: string): string => text.replace(/[|\\<]/g, '\\$&');
