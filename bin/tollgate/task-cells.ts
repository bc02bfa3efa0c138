// Formats the cells that several tables of tasks share: states, what was spent, iterations and questions.

import path from 'node:path';
import type { TasksReport } from '../../loops/report/collect.ts';
import type { TaskRow, TaskSupervision } from '../../loops/report/task-row.ts';
import type { TaskState } from '../../loops/report/task-state.ts';
import { type NextAction, personLine } from '../../policies/facts/next-action.ts';
import type { DaySpending } from '../../policies/report/spending.ts';
import { ITERATION_COLUMNS } from '../../policies/supervise/supervise-text.ts';
import { dollars, figure, oneLine, tookWords, visible } from '../../policies/text/display.ts';
import { ago } from '../from-here.ts';
import { coloursOf, type Paint, type Sheet } from '../sheet.ts';
import { type Column, tableLines } from '../table.ts';

/** What needs the user comes first. */
const STATE_ORDER = ['failed', 'refused', 'parked', 'interrupted', 'running', 'done', 'never_run'] as const;

/** In the order of the states; within a state, the order remains. */
export const failuresFirst = <T extends { state: TaskState }>(tasks: readonly T[]): T[] =>
  STATE_ORDER.flatMap((state) => tasks.filter((task) => task.state === state));

export const needsUser = ({ state }: { state: TaskState }): boolean => STATE_ORDER.indexOf(state) < NEED_USER;

const NEED_USER = 4;

/** How many tasks a terminal shows without `--all`. */
const MOST_TASKS = 20;

export const ALL_ROWS = {
  takes: 'nothing',
  about: 'on a terminal: all tasks and failures, not only the first ones',
} as const;

/** Only this flag opens a database, so that no command for a project does so because a variable is set. */
export const FLEET_FLAG = {
  takes: 'text',
  about: 'instead of the project: the tasks of the fleet in this database; - for the address in TOLLGATE_DATABASE',
} as const;

/** How many rows fit on a page. A pipe gets all of them. */
export const mostRows = (sheet: Sheet, isAll: boolean, most = MOST_TASKS): number =>
  isAll || sheet.width === null ? Number.POSITIVE_INFINITY : most;

export const moreLines = (all: number, shown: number, what: string): string[] =>
  all <= shown ? [] : [`… and ${all - shown} more ${what}: --all shows them`];

/** `5 tasks in .tmp/task: 2 failed, 3 done`. A terminal shows the folder as it is seen from the working folder. */
export function totalsLine(
  { totals, folder }: Pick<TasksReport, 'totals' | 'folder'>,
  sheet: Sheet,
  waiting = 0,
): string {
  const colours = coloursOf(sheet.ink);
  const near = path.relative(process.cwd(), folder);
  const place = sheet.width === null || near.startsWith('..') ? folder : near || '.';
  const parts = STATE_ORDER.flatMap((state) => {
    const words = state.replace('_', ' ');
    const count = totals[state] - (state === 'running' ? waiting : 0);
    const counted = count <= 0 ? [] : [colours[PAINTS[words] ?? 'bold'](`${count} ${words}`)];
    return state === 'running' && waiting > 0 ? [...counted, colours.bold(`${waiting} waiting`)] : counted;
  });
  const { tasks, unreadable } = totals;
  const head = colours.bold(`${tasks} ${tasks === 1 ? 'task' : 'tasks'}`);
  const first = tasks === 0 && sheet.width !== null ? '; `tollgate init NAME --goal "…"` creates one' : '';
  const line = `${head} in ${visible(place)}${parts.length === 0 ? first : `: ${parts.join(', ')}`}`;
  return unreadable === 0 ? line : `${line}; ${colours.red(`${unreadable} not readable`)}`;
}

/** A terminal shows how long ago it was; a pipe gets the minute, in UTC as in all records. */
export function timeCell(at: string | null, now: Date, sheet: Sheet): string {
  if (at === null) return '-';
  return sheet.width === null ? `${at.slice(0, 16)}Z` : ago(at, now);
}

const PAINTS: Partial<Record<string, Paint>> = {
  done: 'green',
  failed: 'red',
  refused: 'red',
  interrupted: 'yellow',
  parked: 'yellow',
  running: 'cyan',
  'never run': 'dim',
};

export const STATE_PAINT = (cell: string): Paint | null =>
  cell === `done${OF_EARLIER_RUN}` ? 'dim' : (PAINTS[cell.replace(OF_EARLIER_RUN, '')] ?? null);

const OF_EARLIER_RUN = ' (earlier run)';

/** A result of an earlier run says nothing about the current tree. */
export const stateWords = ({ state, checked_by }: TaskRow): string =>
  `${state.replace('_', ' ')}${(state === 'done' || state === 'failed') && checked_by === 'earlier_run' ? OF_EARLIER_RUN : ''}`;

/** `budget` is unknown until a run has read it. */
export const taskCalls = ({ used, budget }: TaskRow['calls']): string =>
  budget === null ? (used === 0 ? '-' : String(used)) : `${used}/${budget}`;

type Supervised = { task_id: string; supervision: TaskSupervision | null; next_action: NextAction | null };

export const SUPERVISION_HEADINGS = ['task', ...ITERATION_COLUMNS] as const;

/** Returns all iterations of a single task, or the last one of each of several tasks. */
export function supervisionCells(tasks: readonly Supervised[]): string[][] {
  const most = tasks.length === 1 ? MAX_ITERATIONS : 1;
  return tasks.flatMap(({ task_id, supervision }) =>
    (supervision?.iterations ?? [])
      .slice(-most)
      .map(({ iteration, reasoner, errors, action, instruction }) =>
        [task_id, String(iteration), reasoner, errors, action, instruction].map((cell) => visible(cell)),
      ),
  );
}

const MAX_ITERATIONS = 50;

/** `quota (held)`. */
export const failureWords = (errorClass: string, reason: string | null): string =>
  reason === null ? errorClass : `${errorClass} (${reason})`;

const NAMED = 5;

/** Their names, or the first of them. */
export function namesOf(ids: readonly string[], isAll: boolean): string {
  const shown = isAll ? ids : ids.slice(0, NAMED);
  return `${shown.join(', ')}${ids.length > shown.length ? `, and ${ids.length - shown.length} more` : ''}`;
}

/** Returns a sentence for each task that waits for an answer, and for each whose answer waits for a run. */
export const questionsOf = (tasks: readonly Supervised[]): string[] =>
  tasks.flatMap(({ task_id, supervision }) => {
    if (supervision === null || supervision.how === null) return [];
    if (supervision.answer_waits)
      return [`${task_id} has an answer that its reasoner has not received: tollgate supervise ${task_id}`];
    if (supervision.how !== 'parked' || supervision.question === null) return [];
    return [`${task_id} asks: ${oneLine(visible(supervision.question), MAX_QUESTION)}`];
  });

const MAX_QUESTION = 2000;

/** A terminal shows the iterations of a single task alone; of several, what they ask. */
export function supervisionLines(tasks: readonly Supervised[], sheet: Sheet, isSingle = tasks.length === 1): string[] {
  const questions = questionsOf(tasks);
  if (sheet.width !== null && !isSingle)
    return questions.length === 0 ? [] : [coloursOf(sheet.ink).bold('Questions:'), ...tasks.flatMap(answerLines)];
  const rows = supervisionCells(tasks);
  return rows.length === 0 ? [] : ['Supervised:', ...tableLines(COLUMNS, rows, sheet), ...questions];
}

/** A user could not type a command that is cut, so it is on its own line. */
const answerLines = (task: Supervised): string[] =>
  questionsOf([task]).flatMap((question) =>
    task.next_action === null ? [question] : [question, `  → ${visible(personLine(task.next_action))}`],
  );

const COLUMNS: readonly Column[] = SUPERVISION_HEADINGS.map((heading, i) => ({
  heading: heading.toUpperCase(),
  ...[{}, {}, { leaveOut: 1 }, {}, {}, { least: 16 }][i],
}));

export const SPENT_HEADINGS = ['day', 'CLI', 'calls', 'tokens', 'USD', 'time'] as const;

type Sums = Omit<DaySpending, 'day' | 'tool' | 'account'>;

/** Formats calls, tokens, USD and time. */
export function spentWords({
  calls,
  tokens,
  calls_without_tokens,
  usd,
  calls_without_price,
  duration_ms,
}: Sums): string[] {
  const without = (n: number) => (n === 0 ? '' : ` (${n} unknown)`);
  return [
    String(calls),
    calls === calls_without_tokens ? '-' : `${figure(tokens)}${without(calls_without_tokens)}`,
    calls === calls_without_price ? '-' : `${dollars(usd).slice(1)}${without(calls_without_price)}`,
    tookWords(duration_ms),
  ];
}

export function spentTotals(spent: readonly DaySpending[]): Sums {
  const sum = (field: keyof Sums) => spent.reduce((all, one) => all + one[field], 0);
  return {
    calls: sum('calls'),
    tokens: sum('tokens'),
    calls_without_tokens: sum('calls_without_tokens'),
    usd: sum('usd'),
    calls_without_price: sum('calls_without_price'),
    duration_ms: sum('duration_ms'),
  };
}

export function spentRows(spent: readonly DaySpending[]): string[][] {
  return spent.map((one) => {
    const { day, tool, account } = one;
    return [day, account === undefined ? tool : `${tool} (${account})`, ...spentWords(one)];
  });
}
