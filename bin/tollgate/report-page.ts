// Renders the report of all tasks: as columns, within the width of a terminal, or as a page in Markdown.

import type { FailureGroup, TasksReport } from '../../loops/report/collect.ts';
import type { TaskRow } from '../../loops/report/task-row.ts';
import { actionLine, type NextAction, personLine, personSteps } from '../../policies/facts/next-action.ts';
import type { DaySpending } from '../../policies/report/spending.ts';
import { counted, printable, shellWord, visible } from '../../policies/text/display.ts';
import { coloursOf, PAPER, type Sheet } from '../sheet.ts';
import { type Column, labelLines, tableLines } from '../table.ts';
import {
  comparisonOf,
  continueComparison,
  costOf,
  failuresFirst,
  failureWords,
  moreLines,
  mostRows,
  namesOf,
  needsUser,
  neverRunApart,
  neverRunLines,
  parkedWords,
  questionsOf,
  rowNames,
  SPENT_HEADINGS,
  STATE_PAINT,
  SUPERVISION_HEADINGS,
  spentRows,
  standingWords,
  stateWords,
  supervisionCells,
  supervisionLines,
  type TaskCosts,
  taskCalls,
  timeCell,
  totalsLine,
  warningLines,
} from './task-cells.ts';

interface TextOptions {
  sheet: Sheet;
  /** null if it was not requested. */
  spent: readonly DaySpending[] | null;
  isAll: boolean;
  /** The tasks that wait for their turn. */
  waiting?: ReadonlySet<string>;
  costs?: TaskCosts | null;
  /** All actions of a failed task. */
  actionsOf?: (row: TaskRow) => readonly NextAction[];
}

export function renderText(report: TasksReport, options: TextOptions): string {
  const { sheet, spent, waiting, costs = null } = options;
  const { red } = coloursOf(sheet.ink);
  const blocks = [
    [totalsLine(report, sheet, waiting), ...(costs === null ? [] : [costOf(costs)])],
    report.groups.length === 0 ? [] : groupLines(report, options),
    sheet.width === null ? [] : questionLines(report, sheet),
    ...(report.tasks.length === 0 ? [] : taskLines(report, options)),
    warningLines(report.tasks, sheet, options.isAll),
    supervisionLines(report.tasks, sheet),
    spent === null || spent.length === 0 ? [] : tableLines(SPENT, spentRows(spent), { ...sheet, ink: 'plain' }),
    report.unreadable.map(({ folder, message }) => red(`Not readable: ${folder}: ${printable(message, 300)}`)),
  ];
  return textOf(blocks);
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
    [totalsLine(report, PAPER)],
    report.tasks.length === 0
      ? []
      : table(
          HEADINGS,
          failuresFirst(report.tasks).map((row) => cellsOf(row, new Date(report.at), PAPER)),
        ),
    warningLines(report.tasks, PAPER, true).map((line) => `- ${escaped(line)}`),
    ...supervisionBlocks(report, table),
    report.groups.length === 0 ? [] : ['## Failures'],
    report.groups.length === 0
      ? []
      : table(
          ['tasks', 'failure', 'signature', 'since', 'evidence', 'which'],
          report.groups.map((group) => [
            String(group.task_ids.length),
            ...groupCells(group, new Date(report.at), PAPER),
          ]),
        ),
    ...(spent === null || spent.length === 0 ? [] : [['## Spent'], table(SPENT_HEADINGS, spentRows(spent))]),
    report.unreadable.length === 0 ? [] : ['## Not readable'],
    report.unreadable.map(({ folder, message }) => `- ${escaped(folder)}: ${escaped(printable(message, 300))}`),
  ];
  return textOf(blocks);
}

type Table = (headings: readonly string[], rows: readonly (readonly string[])[]) => string[];

function supervisionBlocks({ tasks }: TasksReport, table: Table): string[][] {
  const rows = supervisionCells(tasks);
  if (rows.length === 0) return [];
  return [['## Supervised'], table(SUPERVISION_HEADINGS, rows), questionsOf(tasks).map((line) => `- ${escaped(line)}`)];
}

/** On a terminal: a paragraph for each task that waits for the user. */
function questionLines({ tasks }: TasksReport, { ink }: Sheet): string[] {
  const { bold, yellow } = coloursOf(ink);
  return tasks
    .filter(({ state }) => state === 'parked')
    .flatMap((row, i) => {
      const { question, next } = parkedWords(row);
      const head = bold(yellow(visible(`${row.task_id} ${standingWords(row, new Set())}: ${question}`)));
      return [...(i === 0 ? [] : ['']), head, ...(next === null ? [] : labelLines([['next', next]], ink))];
    });
}

function taskLines(report: TasksReport, { sheet, isAll, waiting }: TextOptions): string[][] {
  const isPaper = sheet.width === null;
  const most = mostRows(sheet, isAll);
  // On a terminal, a failed task is in its group above.
  const listed =
    isPaper || isAll
      ? report.tasks
      : report.tasks.filter(({ state, class: errorClass }) => errorClass === null && state !== 'parked');
  const [neverRun, others] = neverRunApart(listed, sheet);
  const tasks = failuresFirst(others).slice(0, most);
  const never = neverRunLines(neverRun, sheet, isAll);
  if (tasks.length === 0) return [never];
  const now = new Date(report.at);
  // Built again on each iteration: for 10,000 tasks, stored rows would take 8 MB.
  const rows = {
    *[Symbol.iterator]() {
      for (const row of tasks) yield cellsOf(row, now, sheet, waiting);
    },
  };
  const more = moreLines(others.length, most, 'tasks');
  if (isPaper) return [[...tableLines(TASKS, rows, sheet), ...more]];
  const [heading, ...lines] = tableLines(TASKS.filter(isForTerminal), rows, sheet);
  // A failure's action is shown with its group, and a question's with the question. A user could not type a command that is cut, so it is on its own line.
  const { bold, dim } = coloursOf(sheet.ink);
  const nextLines = (row: TaskRow): string[] =>
    row.next_action === null || row.class !== null || row.state === 'parked' || !needsUser(row)
      ? []
      : [dim(`  → ${nextOf(row.next_action)}`)];
  const title = isAll || report.groups.length === 0 ? [] : ['Other tasks:'].map(bold);
  return [[...title, heading!, ...lines.flatMap((line, i) => [line, ...nextLines(tasks[i]!)]), ...more], never];
}

const nextOf = (action: NextAction): string => printable(personLine(action), 400);

/** On a terminal: a paragraph for each failure, with what to do. On paper: a row without headings, which are not needed. */
function groupLines(report: TasksReport, { sheet, isAll, costs, actionsOf }: TextOptions): string[] {
  const { groups, tasks, at, folder } = report;
  const now = new Date(at);
  if (sheet.width === null)
    return [
      'Failures:',
      ...tableLines(
        GROUPS,
        groups.map((group) => [`  ${counted(group.task_ids.length, 'task')}`, ...groupCells(group, now, sheet)]),
        sheet,
      ).slice(1),
    ];
  const { bold, red, yellow } = coloursOf(sheet.ink);
  const most = mostRows(sheet, isAll, MOST_GROUPS);
  const byId = new Map(tasks.map((row) => [row.task_id, row]));
  const parts = groups.flatMap(comparisonsApart);
  const shown = parts.slice(0, most).map((group) => {
    const { task_ids: ids } = group;
    const [failure, , since, evidence] = groupCells(group, now, sheet);
    const rowsOf = ids.flatMap((id) => byId.get(id) ?? []);
    const [first] = rowsOf;
    const comparison = comparisonOf(ids[0]!);
    const whole = comparison === null ? null : continueComparison(folder, comparison);
    const steps =
      whole !== null
        ? [whole]
        : first === undefined
          ? []
          : personSteps(actionsOf?.(first) ?? [first.next_action ?? []].flat());
    const paint = first?.state === 'interrupted' ? yellow : red;
    const rows: [label: string, text: string][] = [
      [
        comparison !== null ? 'comparison' : ids.length === 1 ? 'task' : counted(group.task_ids.length, 'task'),
        `${namesOf(rowNames(ids), isAll)} (${ids.length === 1 ? '' : 'first '}${since}), ${failure}`,
      ],
      ...(group.evidence === null ? [] : [['evidence', evidence!] satisfies [string, string]]),
      ...steps.map((step, i): [string, string] => [
        i === 0 ? 'next' : '',
        `${steps.length === 1 ? '' : `${i + 1}. `}${nextOf(forAll(step, rowsOf))}`,
      ]),
      ...(costs ? [['cost', costOf(costs, ids)] satisfies [string, string]] : []),
    ];
    return [bold(paint(printable(first?.sentence ?? group.sentence, 300))), ...labelLines(rows, sheet.ink)];
  });
  const more = moreLines(parts.length, most, 'failures');
  return [...shown, ...(more.length === 0 ? [] : [more])].flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
}

/** A comparison continues by a command of its own. */
function comparisonsApart(group: FailureGroup): FailureGroup[] {
  const parts = new Map<string | null, string[]>();
  for (const id of group.task_ids) parts.set(comparisonOf(id), [...(parts.get(comparisonOf(id)) ?? []), id]);
  return [...parts.values()].map((task_ids) => ({ ...group, task_ids }));
}

/** The action that reruns one task of the group, as one for all of them. A flag may name a stage that only one of them has. */
function forAll(action: NextAction, rows: readonly TaskRow[]): NextAction {
  const [first] = rows;
  const isShared = rows.length > 1 && rows.every(({ stage }) => stage === first!.stage);
  const command = action.command?.replace(/ run (\S+)((?: --[a-z-]+(?: [\w.-]+)?)*)$/, (whole, id, flags) =>
    isShared && id === first!.task_id
      ? ` batch ${rows.map(({ task_id }) => shellWord(task_id)).join(' ')}${flags}`
      : whole,
  );
  return command === undefined ? action : { ...action, command };
}

const MOST_GROUPS = 6;
const MOST_EVIDENCE = 400;

const isForTerminal = ({ heading }: Column): boolean => heading !== 'NEXT' && heading !== 'SIGNATURE';

const TASKS: readonly Column[] = [
  { heading: 'TASK', least: 24, isWhole: true },
  { heading: 'STATE', paint: STATE_PAINT },
  { heading: 'STAGE', leaveOut: 3, isOptional: true },
  { heading: 'FAILURE', least: 26, isOptional: true },
  { heading: 'SIGNATURE' },
  { heading: 'SINCE', leaveOut: 1, isOptional: true },
  { heading: 'CALLS', leaveOut: 2 },
  { heading: 'NEXT' },
];

const GROUPS: readonly Column[] = ['', '', '', '', '', ''].map((heading) => ({ heading }));

const SPENT: readonly Column[] = SPENT_HEADINGS.map((heading) => ({ heading: heading.toUpperCase() }));

const HEADINGS = ['task', 'state', 'stage', 'failure', 'signature', 'since', 'calls', 'next'] as const;

function cellsOf(row: TaskRow, now: Date, sheet: Sheet, waiting: ReadonlySet<string> = new Set()): string[] {
  const { task_id, stage, signature, since, at, calls, next_action, checked_at, checked_by } = row;
  return [
    task_id,
    sheet.width === null || row.state === 'done' || row.state === 'failed'
      ? stateWords(row)
      : standingWords(row, waiting),
    stage ?? '-',
    row.class === null ? '-' : failureWords(row.class, row.reason),
    ...(sheet.width === null ? [short(signature)] : []),
    timeCell(since ?? (checked_by === 'earlier_run' ? checked_at : at), now, sheet),
    taskCalls(calls),
    next_action === null ? '-' : printable(actionLine(next_action), 400),
  ];
}

function groupCells(group: FailureGroup, now: Date, sheet: Sheet): string[] {
  const { signature, class: errorClass, reason, task_ids, first_seen, evidence } = group;
  return [
    failureWords(errorClass, reason),
    short(signature),
    timeCell(first_seen, now, sheet),
    printable(evidence ?? '-', sheet.width === null ? 80 : MOST_EVIDENCE),
    namesOf(task_ids, false),
  ];
}

/** Enough characters to distinguish two signatures; `--format json` prints the whole signature. */
const short = (signature: string | null): string => signature?.slice(0, 15) ?? '-';

const escaped = (text: string): string => text.replace(/[|\\<]/g, '\\$&');
