// Formats the cells that several tables of tasks share: states, what was spent, iterations and questions.

import type { TaskRow } from '../../loops/report/task-row.ts';
import type { DaySpending } from '../../policies/report/spending.ts';
import { ITERATION_COLUMNS } from '../../policies/supervise/supervise-text.ts';
import { oneLine, visible } from '../../policies/text/display.ts';
import type { Paint, Sheet } from '../sheet.ts';
import { type Column, tableLines, wrapLine } from '../table.ts';

const PAINTS: Partial<Record<string, Paint>> = {
  done: 'green',
  failed: 'red',
  interrupted: 'yellow',
  parked: 'yellow',
  running: 'cyan',
  'never run': 'dim',
};

export const STATE_PAINT = (cell: string): Paint | null =>
  cell === `done${OF_EARLIER_RUN}` ? 'dim' : (PAINTS[cell.replace(OF_EARLIER_RUN, '')] ?? null);

const OF_EARLIER_RUN = ' (earlier run)';

/** A result of an earlier run says nothing about the current tree. */
export const stateWords = ({ state, checked_by }: Pick<TaskRow, 'state' | 'checked_by'>): string =>
  `${state.replace('_', ' ')}${(state === 'done' || state === 'failed') && checked_by === 'earlier_run' ? OF_EARLIER_RUN : ''}`;

/** `budget` is unknown until a run has read it. */
export const taskCalls = ({ used, budget }: TaskRow['calls']): string => `${used}/${budget ?? '-'}`;

/** Formats a duration as people write it: 8 s, 3 min 20 s, 2 h 5 min. */
export function spell(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

type Supervised = Pick<TaskRow, 'task_id' | 'supervision'>;

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

export function supervisionLines(tasks: readonly Supervised[], sheet: Sheet): string[] {
  const rows = supervisionCells(tasks);
  const questions = questionsOf(tasks).flatMap((line) =>
    sheet.width === null ? [line] : wrapLine(line, sheet.width, 0),
  );
  return rows.length === 0 ? [] : ['Supervised:', ...tableLines(COLUMNS, rows, sheet), ...questions];
}

const COLUMNS: readonly Column[] = SUPERVISION_HEADINGS.map((heading, i) => ({
  heading: heading.toUpperCase(),
  ...[{ least: 12 }, {}, { leaveOut: 1 }, {}, {}, { least: 16 }][i],
}));

export const SPENT_HEADINGS = ['day', 'CLI', 'calls', 'tokens', 'USD', 'time'] as const;

type Sums = Omit<DaySpending, 'day' | 'tool'>;

/** Formats calls, tokens, USD and time. */
export function spentWords({
  calls,
  tokens,
  calls_without_tokens,
  usd,
  calls_without_price,
  duration_ms,
}: Sums): string[] {
  const without = (n: number) => (n === 0 ? '' : ` (${n} not known)`);
  return [
    String(calls),
    calls === calls_without_tokens ? '-' : `${tokens}${without(calls_without_tokens)}`,
    calls === calls_without_price ? '-' : `${usd.toFixed(4)}${without(calls_without_price)}`,
    timeWords(duration_ms),
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
  return spent.map((one) => [one.day, one.tool, ...spentWords(one)]);
}

function timeWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
