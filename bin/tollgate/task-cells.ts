// Formats the cells that several tables of tasks share: states, what was spent, iterations and questions.

import path from 'node:path';
import { findComparison, resumeLine } from '../../loops/compare/comparison.ts';
import { launcherIn } from '../../loops/launcher.ts';
import { paidCalls, type TasksReport } from '../../loops/report/collect.ts';
import type { TaskRow, TaskSupervision } from '../../loops/report/task-row.ts';
import type { TaskState } from '../../loops/report/task-state.ts';
import { type NextAction, personLine, toType } from '../../policies/facts/next-action.ts';
import { lackLines } from '../../policies/facts/requirements.ts';
import { type DaySpending, type SpentCall, spendingByDay } from '../../policies/report/spending.ts';
import { ITERATION_COLUMNS } from '../../policies/supervise/supervise-text.ts';
import { counted, dollars, figure, printable, tookWords, visible } from '../../policies/text/display.ts';
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

/** On a terminal, tasks that were never run are one line, after the table of the others. A single task is always in the table. */
export function neverRunApart<T extends { task_id: string; state: TaskState }>(
  tasks: readonly T[],
  { width }: Sheet,
): [never: T[], others: T[]] {
  if (width === null || tasks.length <= 1) return [[], [...tasks]];
  const isApart = ({ state }: T) => state === 'never_run';
  return [tasks.filter(isApart), tasks.filter((task) => !isApart(task))];
}

export const neverRunLines = (tasks: readonly { task_id: string }[], { ink }: Sheet, isAll: boolean): string[] =>
  tasks.length === 0
    ? []
    : [
        coloursOf(ink).dim(
          `${tasks.length} never run: ${visible(namesOf(rowNames(tasks.map(({ task_id }) => task_id)), isAll))}`,
        ),
      ];

/** How many rows fit on a page. A pipe gets all of them. */
export const mostRows = (sheet: Sheet, isAll: boolean, most = MOST_TASKS): number =>
  isAll || sheet.width === null ? Number.POSITIVE_INFINITY : most;

export const moreLines = (all: number, shown: number, what: string): string[] =>
  all <= shown
    ? []
    : all - shown === 1
      ? [`… and 1 more ${what.replace(/s$/, '')}: --all shows it`]
      : [`… and ${all - shown} more ${what}: --all shows them`];

/** `5 tasks in .tmp/task: 2 failed, 3 done`. On a terminal: the folder from here, and the states as in the rows. */
export function totalsLine(
  { totals, folder, tasks: shown }: Pick<TasksReport, 'totals' | 'folder'> & { tasks: readonly Standing[] },
  sheet: Sheet,
  waiting: ReadonlySet<string> = new Set(),
): string {
  const colours = coloursOf(sheet.ink);
  const near = path.relative(process.cwd(), folder);
  const place = sheet.width === null || near.startsWith('..') ? folder : near || '.';
  const parts = STATE_ORDER.flatMap((state) => {
    const counts = new Map([[spaced(state), totals[state]]]);
    for (const task of sheet.width === null ? [] : shown.filter((each) => each.state === state)) {
      counts.set(spaced(state), counts.get(spaced(state))! - 1);
      const words = standingWords(task, waiting);
      counts.set(words, (counts.get(words) ?? 0) + 1);
    }
    return [...counts].flatMap(([words, n]) => (n <= 0 ? [] : [colours[PAINTS[words] ?? 'bold'](`${n} ${words}`)]));
  });
  const { tasks, unreadable } = totals;
  const head = colours.bold(counted(tasks, 'task'));
  const first = tasks === 0 && sheet.width !== null ? '; `tollgate init NAME --goal "…"` creates one' : '';
  const line = `${head} in ${visible(place)}${parts.length === 0 ? first : `: ${parts.join(', ')}`}`;
  return unreadable === 0 ? line : `${line}; ${colours.red(`${unreadable} not readable`)}`;
}

type Lacking = { task_id: string; lacks: readonly string[] };

/** What the tasks that are done lack. */
export const warningLines = (tasks: readonly Lacking[], sheet: Sheet, isAll: boolean): string[] =>
  lackLines(tasks, mostRows(sheet, isAll)).map((line) => coloursOf(sheet.ink).yellow(line));

/** A terminal shows how long ago it was; a pipe gets the minute, in UTC as in all records. */
export function timeCell(at: string | null, now: Date, sheet: Sheet): string {
  if (at === null) return '-';
  return sheet.width === null ? `${at.slice(0, 16)}Z` : ago(at, now);
}

type Standing = { task_id: string; state: TaskState; supervision: TaskSupervision | null };

const spaced = (state: TaskState): string => state.replace('_', ' ');

/** The state for a person, who also wants to know whether a running task waits for its turn, and what a parked task needs. */
export function standingWords({ task_id, state, supervision }: Standing, waiting: ReadonlySet<string>): string {
  if (state === 'running' && waiting.has(task_id)) return 'waiting';
  if (state !== 'parked' || supervision === null) return spaced(state);
  return supervision.answer_waits ? 'answered' : supervision.question === null ? spaced(state) : 'asks you';
}

const PAINTS: Partial<Record<string, Paint>> = {
  done: 'green',
  failed: 'red',
  refused: 'red',
  interrupted: 'yellow',
  parked: 'yellow',
  'asks you': 'yellow',
  answered: 'yellow',
  running: 'cyan',
  waiting: 'cyan',
  'never run': 'dim',
};

export const STATE_PAINT = (cell: string): Paint | null =>
  cell === `done${OF_EARLIER_RUN}` ? 'dim' : (PAINTS[cell.replace(OF_EARLIER_RUN, '')] ?? null);

const OF_EARLIER_RUN = ' (earlier run)';

/** A result of an earlier run says nothing about the current tree. */
export const stateWords = ({ state, checked_by }: TaskRow): string =>
  `${spaced(state)}${(state === 'done' || state === 'failed') && checked_by === 'earlier_run' ? OF_EARLIER_RUN : ''}`;

export const WAITS_FOR = { tree: 'working tree', session: 'session' } as const;

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

/** The comparison that made the task as one of its variants; null for another task. */
export const comparisonOf = (id: string): string | null => /^(compare-\d{14}-[0-9a-f]{4})-\d+$/.exec(id)?.[1] ?? null;

/** What continues it; null if its worktrees were removed. @param folder that holds the tasks. */
export function continueComparison(folder: string, id: string): NextAction | null {
  const found = findComparison(path.dirname(folder), id);
  if (typeof found === 'string' || found.removed !== null) return null;
  return toType('continue the comparison', resumeLine(found, launcherIn(process.env)), 'pays');
}

/** The names for a person: a comparison is named once, and not each of its variants. */
export function rowNames(ids: readonly string[]): string[] {
  const variants = new Map<string, number>();
  for (const id of ids) variants.set(comparisonOf(id) ?? id, (variants.get(comparisonOf(id) ?? id) ?? 0) + 1);
  return [...variants].map(([name, n]) => (ids.includes(name) ? name : `${name} (${countOf(n, 'variant')})`));
}

const countOf = (n: number, what: string): string => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;

/** Returns a sentence for each task that waits for an answer, and for each whose answer waits for a run. */
export const questionsOf = (tasks: readonly Supervised[]): string[] =>
  tasks.flatMap(({ task_id, supervision }) => {
    if (supervision === null || supervision.how === null) return [];
    if (supervision.answer_waits)
      return [`${task_id} has an answer that its reasoner has not received: tollgate supervise ${task_id}`];
    if (supervision.how !== 'parked' || supervision.question === null) return [];
    return [`${task_id} asks: ${printable(supervision.question, MAX_QUESTION)}`];
  });

const MAX_QUESTION = 2000;

/** A terminal shows only the iterations, and only those of a single task: each question is shown with its state. */
export function supervisionLines(tasks: readonly Supervised[], sheet: Sheet, isSingle = tasks.length === 1): string[] {
  const rows = sheet.width === null || isSingle ? supervisionCells(tasks) : [];
  if (rows.length === 0) return [];
  return ['Supervised:', ...tableLines(COLUMNS, rows, sheet), ...(sheet.width === null ? questionsOf(tasks) : [])];
}

/** What a parked task needs, and how to give it. */
export function parkedWords({ supervision, next_action }: Supervised): { question: string; next: string | null } {
  const question = supervision?.answer_waits
    ? 'your answer is stored, and no run has used it yet'
    : (supervision?.question ?? 'it waits for you');
  return {
    question: printable(question, MAX_QUESTION),
    next: next_action && visible(personLine(next_action)),
  };
}

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

export type TaskCosts = ReadonlyMap<string, readonly SpentCall[]>;

/** For a terminal. Of more tasks, reading the record of each call would take seconds: `report --spent` does so. */
export const costsFor = async (
  { width }: Sheet,
  tasks: readonly { task_id: string; folder: string }[],
): Promise<TaskCosts | null> =>
  width === null || tasks.length > MOST_COUNTED ? null : paidCalls(tasks, process.cwd(), process.env);

const MOST_COUNTED = 1000;

/** @param ids some of its tasks; absent for all. */
export const costOf = (costs: TaskCosts, ids: Iterable<string> = costs.keys()): string =>
  costWords(spentTotals(spendingByDay([...ids].flatMap((id) => costs.get(id) ?? []))));

/** `3 paid calls, 1,234 tokens (unknown for 1 call), $0.02`. An unknown value is always named, and never counted as zero. */
function costWords({ calls, tokens, calls_without_tokens, usd, calls_without_price }: Sums): string {
  const part = (known: string, unknown: number, what: string): string => {
    if (unknown === calls) return `${what} unknown`;
    return unknown === 0 ? known : `${known} (unknown for ${countOf(unknown, 'call')})`;
  };
  if (calls === 0) return 'no paid call';
  const ofTokens = part(countOf(tokens, 'token'), calls_without_tokens, 'tokens');
  const ofPrice = part(dollars(usd), calls_without_price, 'cost');
  const both =
    ofTokens === 'tokens unknown' && ofPrice === 'cost unknown' ? ['tokens and cost unknown'] : [ofTokens, ofPrice];
  return [countOf(calls, 'paid call'), ...both].join(', ');
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
