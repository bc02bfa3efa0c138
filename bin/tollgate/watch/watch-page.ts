// Renders tollgate watch: a page within a terminal's width and height, and lines for output that is not a terminal.

import type { NowChange, NowTask, NowWait, RunsNow } from '../../../loops/report/now.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import { personLine } from '../../../policies/facts/next-action.ts';
import { failureSentence } from '../../../policies/report/failure-sentence.ts';
import { firstNames, printable, spell } from '../../../policies/text/display.ts';
import { inPlaceWords } from '../../../policies/verdict/stand-ins.ts';
import { ago, clockTime, fromHere, readerHere, whenWords } from '../../from-here.ts';
import { coloursOf, type Sheet } from '../../sheet.ts';
import { type Column, tableLines } from '../../table.ts';
import { cutLine, lengthOf, wrapped } from '../../wrap.ts';
import { needsUser, parkedWords, STATE_PAINT, taskCalls, WAITS_FOR } from '../task-cells.ts';

const RUNNING: readonly Column[] = [
  { heading: '  TASK', least: 12, isWhole: true },
  { heading: 'STAGE', least: 10 },
  { heading: 'CLI', leaveOut: 3 },
  { heading: 'FOR', leaveOut: 1 },
  { heading: 'TOKENS', leaveOut: 2 },
  { heading: 'LAST', least: 14 },
];
const RESTING: readonly Column[] = [
  { heading: '  TASK', least: 12, isWhole: true },
  { heading: 'STATE', paint: STATE_PAINT },
  { heading: 'WHY', least: 12, isOptional: true },
  { heading: 'SINCE', leaveOut: 1 },
  { heading: 'TOKENS', leaveOut: 3, isOptional: true },
  { heading: 'CALLS', leaveOut: 2 },
];

/** Whether the user has something to do; a task that cannot be read too. */
export const isUrgent = ({ state }: NowTask): boolean =>
  state === 'unreadable' || (state !== 'gone' && needsUser({ state }));

/** The tasks of the page in its order: those at work first. @param isShown selects those at rest. */
export const watchedTasks = ({ tasks }: RunsNow, isShown: (task: NowTask) => boolean): NowTask[] => [
  ...tasks.filter(({ state }) => state === 'running'),
  ...tasks.filter((task) => task.state !== 'running' && isShown(task)),
];

/**
 * @param tasks to show, in their order.
 * @param height lines of the terminal.
 * @param selected the id of the task that has a mark; null for none.
 * @param rows what is known of a task at rest, by its folder.
 */
export function watchPage(
  now: RunsNow,
  tasks: readonly NowTask[],
  sheet: Sheet,
  height: number,
  selected: string | null = null,
  rows: ReadonlyMap<string, TaskRow> = new Map(),
): string[] {
  const busy = tasks.filter(({ state }) => state === 'running');
  const resting = tasks.filter(({ state }) => state !== 'running');
  const marked = (row: string[]): string[] => {
    const [id, ...cells] = row.map((cell) => printable(cell));
    return [`${row[0] === selected ? '>' : ' '} ${id}`, ...cells];
  };
  const isMarked = ([id]: readonly string[]): boolean => id!.startsWith('> ');
  const chosen =
    resting.find(({ task_id }) => task_id === selected) ?? (selected === null ? resting.find(isUrgent) : undefined);
  const detail =
    chosen === undefined || height < LEAST_DETAILED ? [] : detailLines(chosen, rows.get(chosen.folder), sheet);
  // Reserves lines for the heading, the empty lines and the line of the keys.
  const room = Math.max(2, height - 7 - (detail.length === 0 ? 0 : detail.length + 1));
  const busyRoom = resting.length === 0 ? room : Math.max(Math.ceil(room / 2), room - resting.length);
  const blocks = [
    [totalsLine(now, sheet, rows)],
    table(
      RUNNING,
      busy.flatMap((task) => runningCells(task, now.at)).map(marked),
      busyRoom,
      'at work',
      sheet,
      isMarked,
    ),
  ];
  const space = Math.max(1, room - Math.max(0, blocks[1]!.length - 1));
  const restingRows = resting.map((task) => restingCells(task, rows.get(task.folder), now.at)).map(marked);
  blocks.push(table(RESTING, restingRows, space, 'at rest', sheet, isMarked), detail);
  return blocks.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
}

const LEAST_DETAILED = 16;
const MOST_DETAIL = 5;

/** Why the task is at rest, and what to do: of the chosen task, or of the first that needs the user. */
function detailLines({ task_id }: NowTask, row: TaskRow | undefined, { width, ink }: Sheet): string[] {
  if (row === undefined || row.next_action === null) return [];
  const why = row.state === 'parked' ? parkedWords(row).question : (row.sentence ?? row.state.replace('_', ' '));
  const near = fromHere(personLine(row.next_action), readerHere()!);
  const lines = wrapped(`${printable(`${task_id}: ${why}`)}\n  → ${printable(near)}`, width).split('\n');
  const [first, ...others] = lines.slice(0, MOST_DETAIL);
  return [coloursOf(ink).bold(first!), ...others];
}

export function totalsLine(now: RunsNow, sheet: Sheet, rows: ReadonlyMap<string, TaskRow> = new Map()): string {
  const colours = coloursOf(sheet.ink);
  const parked = now.tasks.filter(({ state }) => state === 'parked');
  const allAsk = parked.every((task) => restingState(task, rows.get(task.folder)) === 'asks you');
  const named = (text: string): string => (allAsk ? text.replace('parked', 'asks you') : text);
  const plain = printable(totalsOf(now, named));
  if (sheet.width !== null && lengthOf(plain) > sheet.width) return cutLine(plain, sheet.width);
  return colours.bold(totalsOf(now, (text, state) => colours[STATE_PAINT(state) ?? 'bold'](named(text))));
}

function table(
  columns: readonly Column[],
  rows: readonly string[][],
  room: number,
  what: string,
  sheet: Sheet,
  isMarked: (cells: readonly string[]) => boolean,
): string[] {
  if (rows.length === 0) return [];
  const at = rows.findIndex(isMarked);
  // A long id has a line of its own, so fewer rows may fit. On a very low terminal there is no room for that.
  const fitting = room < LEAST_ROOM ? columns.map(({ isWhole: _, ...column }) => column) : columns;
  for (let most = Math.min(rows.length, room); ; most -= 1) {
    const start = Math.max(0, at - most + 1);
    const lines = tableLines(fitting, rows.slice(start, start + most), sheet).flatMap((line) => line.split('\n'));
    const more = rows.length - most;
    if (more > 0) lines.push(cutLine(`… and ${more} more ${what}`, sheet.width));
    if (lines.length <= room + 1 || most === 0) return lines;
  }
}

const LEAST_ROOM = 4;

function runningCells(task: NowTask, at: string): string[][] {
  const { task_id, running, waits, since, tokens } = task;
  const rows = running.map((call) => [
    task_id,
    call.stage,
    `${call.tool}${inPlaceWords(call.stand_ins, call.account)}`,
    forTime(call.since, at),
    figure(call.tokens),
    call.last ?? 'no output yet',
  ]);
  if (waits !== null) rows.push([task_id, waits.stage, '-', forTime(since, at), figure(tokens), waitWords(waits, at)]);
  return rows.length > 0
    ? rows
    : [[task_id, '-', '-', forTime(since, at), figure(tokens), 'makes no call at the moment']];
}

const restingState = ({ state }: NowTask, row: TaskRow | undefined): string =>
  row?.state === 'parked' && row.supervision?.question ? 'asks you' : state.replace('_', ' ');

const restingCells = (task: NowTask, row: TaskRow | undefined, at: string): string[] => [
  task.task_id,
  restingState(task, row),
  task.message ?? whyOf(task, row) ?? '-',
  task.since === null ? '-' : ago(task.since, new Date(at)),
  figure(task.tokens),
  taskCalls(task.calls),
];

function whyOf({ state, class: errorClass, reason }: NowTask, row: TaskRow | undefined): string | null {
  if (state === 'parked') return row === undefined ? null : parkedWords(row).question;
  return row?.sentence ?? (errorClass === null ? null : failureSentence({ class: errorClass, reason }));
}

const forTime = (since: string | null, at: string): string =>
  since === null ? '-' : spell(Math.max(0, Date.parse(at) - Date.parse(since)));

const figure = (tokens: number | null): string => (tokens === null ? '-' : tokens.toLocaleString('en'));

/** Includes the line end. */
export const changeLine = (change: NowChange): string =>
  `${printable(`${clockTime(change.at)} ${change.task_id}: ${wordsOf(change)}`)}\n`;

/** Reports the totals when no task is at work any more. Includes the line end. */
export const overLine = (now: RunsNow): string =>
  `${printable(`${clockTime(now.at)} none is at work: ${totalsOf(now)}`)}\n`;

/** Counts the tasks by state, in a few words. A running task that waits is counted as waiting. */
function totalsOf({ totals, tasks, folder }: RunsNow, paint = (text: string, _state: string): string => text): string {
  const { tasks: all, running, ...others } = totals;
  const waiting = tasks.filter(({ waits }) => waits !== null).length;
  const parts = Object.entries({ running: running - waiting, waiting, ...others }).flatMap(([state, n]) => {
    const name = state.replace('_', ' ');
    return n <= 0 ? [] : [paint(`${n} ${name}`, name)];
  });
  return parts.length === 0
    ? `no task in ${folder}; tollgate init NAME --goal "…" creates one`
    : `${parts.join(', ')} of ${all}`;
}

function wordsOf(change: NowChange): string {
  switch (change.change) {
    case 'began':
      return 'is at work';
    case 'called':
      return `${change.call.stage}: asks ${change.call.tool}${inPlaceWords(change.call.stand_ins, change.call.account)} (attempt ${change.call.attempt})`;
    case 'said':
      return `${change.call.stage}: ${change.call.last}`;
    case 'call_ended':
      return `${change.call.stage}: the call of ${change.call.tool} has ended`;
    case 'waits':
      return `${change.waits.stage}: ${waitWords(change.waits, change.at)}`;
    case 'ended': {
      const { state, stage, class: errorClass, reason } = change;
      return errorClass === null
        ? state.replace('_', ' ')
        : `${state.replace('_', ' ')}: ${stage ?? 'the start'}, ${errorClass} (${reason})`;
    }
    case 'unreadable':
      return `cannot be read: ${change.message}`;
    case 'gone':
      return 'is gone: archived, or deleted';
  }
}

function waitWords(waits: NowWait, at: string): string {
  if (waits.what === 'time') return `waits until ${whenWords(waits.until, new Date(at))}`;
  return `waits for its ${WAITS_FOR[waits.what]} behind ${firstNames(waits.behind, 3)}`;
}
