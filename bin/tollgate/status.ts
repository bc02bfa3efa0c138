// Implements tollgate status: lists what exists, what runs, and what waits in line.

import { launcherIn } from '../../loops/launcher.ts';
import { statusOf, type TasksStatus } from '../../loops/report/status.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { personLine } from '../../policies/facts/next-action.ts';
import { failureSentence } from '../../policies/report/failure-sentence.ts';
import { counted, printable, shellWord, spell } from '../../policies/text/display.ts';
import { inPlaceWords } from '../../policies/verdict/stand-ins.ts';
import { readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { ago } from '../from-here.ts';
import type { Ran } from '../ran.ts';
import { coloursOf, type Sheet, sheetOf } from '../sheet.ts';
import { type Column, tableLines } from '../table.ts';
import {
  ALL_ROWS,
  comparisonOf,
  continueComparison,
  costOf,
  costsFor,
  FLEET_FLAG,
  failuresFirst,
  failureWords,
  moreLines,
  mostRows,
  namesOf,
  needsUser,
  neverRunApart,
  neverRunLines,
  parkedWords,
  rowNames,
  STATE_PAINT,
  standingWords,
  supervisionLines,
  type TaskCosts,
  taskCalls,
  timeCell,
  totalsLine,
  WAITS_FOR,
  warningLines,
} from './task-cells.ts';

const SPEC: CommandSpec = {
  name: 'tollgate status',
  usage: '[TASK|DIR] [--all]',
  about:
    'Shows what exists and what runs: each running call with its duration and the last event of its CLI, who waits for whom, and the state of every task. Reads only.',
  flags: { all: ALL_ROWS, database: FLEET_FLAG },
  words: { min: 0, max: 1, called: 'TASK, or DIR with tasks' },
  examples: [
    ['tollgate status', 'of this project'],
    ['tollgate status fix-login', 'of one task'],
    ['tollgate status --json | jq ".running.calls"', 'what runs, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown, whatever became of the tasks; those that cannot be read are named'],
    [TOLLGATE_EXIT.failure, 'the result could not be written'],
    [TOLLGATE_EXIT.badInput, 'usage, or a folder that is not there'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { given, text, words } = read.args;
  if (text.database !== undefined) return (await import('./fleet-views.ts')).showFleet(SPEC.name, 'status', read.args);
  const seen = await statusOf({
    word: words[0] ?? null,
    cwd: process.cwd(),
    environment: process.env,
    clock: () => new Date(),
  });
  if (seen.how === 'invalid') return { exit: TOLLGATE_EXIT.badInput, err: `tollgate status: ${seen.message}\n` };
  const { status } = seen;
  if (given.has('json')) return { exit: 0, out: `${JSON.stringify(status)}\n` };
  const sheet = sheetOf(process.env);
  const costs = await costsFor(sheet, status.tasks);
  return { exit: 0, out: renderStatus(status, sheet, given.has('all'), seen.sentences, costs) };
}

/** @param sentences what happened to each task; without one, its class says it. */
export function renderStatus(
  status: TasksStatus,
  sheet: Sheet,
  isAll: boolean,
  sentences: ReadonlyMap<string, string | null> = new Map(),
  costs: TaskCosts | null = null,
): string {
  const { running, waiting, unreadable } = status;
  const inLine = new Set(waiting.map(({ task_id }) => task_id));
  const most = mostRows(sheet, isAll);
  const tasks = failuresFirst(status.tasks);
  // On a terminal, the tables of what runs and waits show these tasks already.
  const isAbove = new Set(sheet.width === null ? [] : [...running.calls, ...waiting].map(({ task_id }) => task_id));
  const urgent = tasks.filter(needsUser);
  const [neverRun, others] = neverRunApart(
    tasks.filter((task) => !needsUser(task) && !isAbove.has(task.task_id)),
    sheet,
  );
  const taskRows = (rows: TasksStatus['tasks']) => rows.map((task) => taskCells(task, new Date(status.at), sheet));
  const shown = urgent.slice(0, most);
  const listed = others.slice(0, sheet.width === null ? most : Math.max(5, most - shown.length));
  const blocks = [
    [totalsLine(status, sheet, inLine), ...(costs === null ? [] : [costOf(costs)])],
    sheet.width === null
      ? section('Needs you:', TASKS, taskRows(shown), sheet)
      : urgentLines(urgent, status, sheet, isAll, sentences),
    running.batches.map(
      ({ batch_id, pid, tasks, done }) =>
        `Batch ${batch_id} runs (pid ${pid}): ${done} of ${counted(tasks, 'task')} done`,
    ),
    section('Running:', CALLS, running.calls.map(callCells), sheet),
    runsBetweenCalls(status),
    section(
      'Waiting:',
      WAITING,
      waiting.map(({ task_id, stage, pid, what, behind }) => [
        ...[task_id, stage, WAITS_FOR[what], String(pid), behind.join(', ')],
      ]),
      sheet,
    ),
    section('Others:', TASKS, taskRows(listed), sheet),
    moreLines(others.length, listed.length, 'tasks'),
    warningLines(tasks, sheet, isAll),
    neverRunLines(neverRun, sheet, isAll),
    supervisionLines(
      tasks.filter(({ state }) => state === 'running' || state === 'parked'),
      sheet,
      tasks.length === 1,
    ),
    nextLine(urgent, sheet),
    unreadable.map(({ folder, message }) => coloursOf(sheet.ink).red(printable(`Not readable: ${folder}: ${message}`))),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** On a terminal: a line for each cause, which names its tasks. */
function urgentLines(
  urgent: TasksStatus['tasks'],
  { at, folder, running }: TasksStatus,
  { ink }: Sheet,
  isAll: boolean,
  sentences: ReadonlyMap<string, string | null>,
): string[] {
  const causes = new Map<string, TasksStatus['tasks']>();
  for (const task of urgent) {
    // Each question has a line of its own.
    const { task_id, state, class: errorClass, reason } = task;
    const cause = state === 'parked' ? task_id : [state, errorClass, reason, comparisonOf(task_id)].join(' ');
    causes.set(cause, [...(causes.get(cause) ?? []), task]);
  }
  const largestFirst = [...causes.values()].sort((a, b) => b.length - a.length);
  const rows = failuresFirst(largestFirst.map((tasks) => ({ state: tasks[0]!.state, tasks }))).map(({ tasks }) => {
    const [first] = tasks as [TasksStatus['tasks'][number]];
    const { state, class: errorClass, reason, at: last } = first;
    const words = standingWords(first, new Set());
    const still = running.calls.find(({ task_id }) => tasks.length === 1 && task_id === first.task_id);
    const row = { state: `${tasks.length} ${words}`, paint: STATE_PAINT(words) ?? ('bold' as const) };
    if (state === 'parked') {
      const { question, next } = parkedWords(first);
      return { ...row, text: `${first.task_id}: ${question}`, next };
    }
    const said = new Set(tasks.map(({ task_id }) => sentences.get(task_id)));
    const general = errorClass === null ? '' : failureSentence({ class: errorClass, reason });
    // Where the tasks called different CLIs, the sentence names none.
    const sentence = ((said.size === 1 && [...said][0]) || general).replace(/\.$/, ': ');
    const when = errorClass === null ? '' : ` (${ago(last ?? at, new Date(at))})`;
    const ids = tasks.map(({ task_id }) => task_id);
    const comparison = comparisonOf(ids[0]!);
    // `explain` and `report` give the actions after a failure.
    const own = errorClass === null && tasks.length === 1 ? first.next_action : null;
    const next = comparison === null ? own : continueComparison(folder, comparison);
    return {
      ...row,
      text: `${sentence}${namesOf(rowNames(ids), isAll)}${when}${still === undefined ? '' : `: ${still.tool} still runs and may cost more`}`,
      next: next && personLine(next),
    };
  });
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(({ state }) => state.length));
  const colours = coloursOf(ink);
  return [
    colours.bold('Needs you:'),
    ...rows.flatMap(({ state, paint, text, next }) => [
      `  ${colours[paint](state.padEnd(width))}  ${printable(text, MOST_TEXT)}`,
      ...(next === null ? [] : [`${' '.repeat(width + 4)}→ ${next}`]),
    ]),
  ];
}

const MOST_TEXT = 4000;

/** On a terminal: the command that shows what to do. A question shows its own command. */
function nextLine(urgent: TasksStatus['tasks'], sheet: Sheet): string[] {
  const failed = urgent.filter((task) => task.class !== null);
  if (sheet.width === null || failed.length === 0) return [];
  const launcher = launcherIn(process.env);
  const command = failed.length === 1 ? `explain ${shellWord(failed[0]!.task_id)}` : 'report';
  return [`Next: \`${launcher} ${command}\` says what to do`];
}

const taskCells = (task: TasksStatus['tasks'][number], now: Date, sheet: Sheet): string[] => [
  task.task_id,
  task.state.replace('_', ' '),
  task.class === null ? '-' : failureWords(task.class, task.reason),
  timeCell(task.at, now, sheet),
  taskCalls(task.calls),
];

const CALLS: readonly Column[] = [
  { heading: 'TASK', least: 24, isWhole: true },
  { heading: 'STAGE' },
  { heading: 'CLI' },
  { heading: 'FOR' },
  { heading: 'PID', leaveOut: 1 },
  { heading: 'LAST', least: 12, leaveOut: 2 },
];

const WAITING: readonly Column[] = [
  { heading: 'TASK', least: 24, isWhole: true },
  { heading: 'STAGE' },
  { heading: 'WAITS FOR' },
  { heading: 'PID', leaveOut: 1 },
  { heading: 'BEHIND', leaveOut: 2 },
];

const TASKS: readonly Column[] = [
  { heading: 'TASK', least: 24, isWhole: true },
  { heading: 'STATE', paint: STATE_PAINT },
  { heading: 'FAILURE', least: 12, isOptional: true },
  { heading: 'SINCE', leaveOut: 1, isOptional: true },
  { heading: 'CALLS' },
];

const callCells = ({
  task_id,
  stage,
  tool,
  account,
  stand_ins,
  elapsed_ms,
  pid,
  last,
}: TasksStatus['running']['calls'][number]): string[] => [
  task_id,
  stage,
  `${tool}${inPlaceWords(stand_ins, account)}`,
  spell(elapsed_ms),
  String(pid),
  last ?? 'no output yet',
];

/** A run makes no call while it checks an answer, waits for a reset, or waits in line. */
function runsBetweenCalls({ running, waiting }: TasksStatus): string[] {
  const busy = new Set([...running.calls, ...waiting].map(({ task_id }) => task_id));
  return running.runs
    .filter(({ task_id }) => !busy.has(task_id))
    .map(({ task_id, pid }) => `${task_id}: is running (pid ${pid}), and makes no call at the moment`);
}

function section(title: string, columns: readonly Column[], rows: readonly string[][], sheet: Sheet): string[] {
  if (rows.length === 0) return [];
  const lines = tableLines(
    columns,
    rows.map((cells) => cells.map((cell) => printable(cell))),
    sheet,
  );
  return [coloursOf(sheet.ink).bold(title), ...lines];
}
