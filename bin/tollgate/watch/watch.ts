// Implements tollgate watch: shows live what runs, as a page with keys on a terminal, elsewhere as a line for each change.

import type { ReadStream, WriteStream } from 'node:tty';
import { collectTasks } from '../../../loops/report/collect.ts';
import { type foldersOf, followNow, placesOf } from '../../../loops/report/follow-now.ts';
import type { NowChange, NowTask, RunsNow } from '../../../loops/report/now.ts';
import type { TaskRow } from '../../../loops/report/task-row.ts';
import { stopExit, TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { visible } from '../../../policies/text/display.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { CommandSpec } from '../../command-line.ts';
import { printing, printResult } from '../../printing.ts';
import { badInputOf, type Ran } from '../../ran.ts';
import { sheetOf } from '../../sheet.ts';
import { cutLine } from '../../wrap.ts';
import { FLEET_FLAG } from '../task-cells.ts';
import { atTop, closePane, logPane, panePage, stopWords, summaryPane } from './task-pane.ts';
import { changeLine, isUrgent, overLine, totalsLine, watchedTasks, watchPage } from './watch-page.ts';

const SPEC: CommandSpec = {
  name: 'tollgate watch',
  usage: '[TASK…] [--until-end]',
  about:
    'Shows what runs, and updates it: the stage of each call, its duration, the last event of its CLI and the tokens that it reported; who waits for what; what has ended since. On a terminal it is a page, with keys to stop a task, to read its log or its summary, and to filter; elsewhere it is a line for each change. Without a key it reads only. It watches folders instead of polling.',
  flags: {
    database: FLEET_FLAG,
    'until-end': {
      takes: 'nothing',
      about: 'end when no task runs, and print the final state of each',
    },
  },
  words: { min: 0, max: Number.POSITIVE_INFINITY, called: 'TASK' },
  examples: [
    ['tollgate watch', 'all tasks of this project, those to come too'],
    ['tollgate watch fix-login fix-logout --until-end', 'two tasks, until both have ended'],
    ['tollgate watch --json | jq -c "select(.change == \\"ended\\")"', 'a line of JSON for each change'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'closed by q, or no task runs; whatever the results of the tasks'],
    [TOLLGATE_EXIT.failure, 'the result could not be written'],
    [TOLLGATE_EXIT.badInput, 'usage, or no such task'],
    ['130, 143', 'stopped by INT, TERM; the tasks continue'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { given, text, words } = read.args;
  if (text.database !== undefined) return (await import('../fleet-views.ts')).watchFleet(SPEC.name, read.args, stop);
  const placed = placesOf(words, process.cwd(), process.env);
  if (placed.how === 'invalid') return badInputOf('tollgate watch')(placed.message);
  const watching: Watching = { places: placed.places, untilEnd: given.has('until-end'), stop };
  if (!given.has('json') && process.stdout.isTTY === true) return onTerminal(watching);
  return inLines(watching, given.has('json') ? JSON_LINES : TEXT_LINES);
}

interface Watching {
  places: Parameters<typeof foldersOf>[0];
  untilEnd: boolean;
  stop: AbortSignal;
}

const clock = () => new Date();

/** Each line includes its line end. `over` is printed when the command ends by itself, even if nothing ever changed. */
interface Lines {
  change(change: NowChange): string;
  over(now: RunsNow): string;
}

const TEXT_LINES: Lines = { change: changeLine, over: overLine };
const JSON_LINES: Lines = {
  change: (change) => `${JSON.stringify(change)}\n`,
  over: ({ at, folder, totals }) => `${JSON.stringify({ at, change: 'over', folder, totals })}\n`,
};

async function inLines({ places, untilEnd, stop }: Watching, lines: Lines): Promise<Ran> {
  for await (const { now, changes } of followNow({ places, environment: process.env, stop, clock })) {
    const over = untilEnd && isOver(now);
    const lost = await printResult(`${changes.map(lines.change).join('')}${over ? lines.over(now) : ''}`);
    // A reader of lines that leaves has read enough.
    if (lost !== null) return { exit: TOLLGATE_EXIT.ok, lost: lost === 'EPIPE' ? null : lost };
    if (over) return { exit: TOLLGATE_EXIT.ok };
  }
  return { exit: stopExit(stop) };
}

/** How often the elapsed time is redrawn. */
const TICK_MS = 1000;

async function onTerminal({ places, untilEnd, stop }: Watching): Promise<Ran> {
  const leaving = new AbortController();
  const both = AbortSignal.any([stop, leaving.signal]);
  const seenAtWork = new Set<string>();
  let now: RunsNow | null = null;
  let view = FIRST_VIEW;
  let pane: ReturnType<typeof logPane> | null = null;
  const rows = new Map<string, TaskRow>();
  const isShown = (task: NowTask) => places.named !== null || seenAtWork.has(task.folder) || isUrgent(task);
  const shown = (): NowTask[] =>
    now === null ? [] : watchedTasks(now, isShown).filter(({ task_id }) => task_id.includes(view.filter));
  const draw = () => {
    if (now === null) return;
    const { width, height } = screen.size();
    const sheet = { ...sheetOf(process.env), width };
    const said = view.message === '' ? [] : [view.message];
    const page =
      pane === null
        ? watchPage({ ...now, at: clock().toISOString() }, shown(), sheet, height - said.length, view.selected, rows)
        : panePage(pane, view.back, sheet, height - 2 - said.length);
    const notes = pane === null && shown().length === 0 ? ['', emptyLine(view.filter)] : [];
    const below = [...notes, '', ...said, keysLine(view, shown().some(isRunning))].map((line) =>
      cutLine(visible(line), width),
    );
    screen.draw([...page, ...below]);
  };
  const say = (message: string) => {
    view = { ...view, message };
    draw();
  };
  const press = (key: string) => {
    const ids = shown().map(({ task_id }) => task_id);
    const running = shown()
      .filter(isRunning)
      .map(({ task_id }) => task_id);
    const { view: next, act } = pressed(view, key, ids, running);
    view = next;
    const task = shown().find(({ task_id }) => task_id === view.selected);
    if (act === 'leave') leaving.abort('q');
    else if (act === 'interrupt') leaving.abort('SIGINT');
    else if (act === 'close') {
      pane?.close();
      pane = null;
    } else if (act !== undefined && task !== undefined) {
      if (act === 'stop') void stopWords(task).then(say);
      else if (act === 'log') pane = logPane(task, draw);
      else {
        pane = summaryPane(task);
        const { width, height } = screen.size();
        view = { ...view, back: atTop(pane, width, height - 2) };
      }
    }
  };
  const screen = openScreen(printing('stdout'), process.stdin, (what) => {
    if (what !== 'resized') for (const key of keysIn(what.key)) press(key);
    draw();
  });
  const timer = setInterval(draw, TICK_MS);
  try {
    for await (const step of followNow({ places, environment: process.env, stop: both, clock })) {
      now = step.now;
      for (const { folder, state } of now.tasks) if (state === 'running') seenAtWork.add(folder);
      for (const { change, folder } of step.changes) if (change === 'ended') seenAtWork.add(folder);
      draw();
      if (untilEnd && isOver(now)) break;
      // Only of tasks that fit on the page: there may be thousands.
      const seen = shown().filter(
        (task) => isUrgent(task) && task.state !== 'unreadable' && rows.get(task.folder)?.at !== task.since,
      );
      for (const { folder } of seen.slice(0, screen.size().height)) {
        const row = await rowOf(folder);
        if (row !== null) rows.set(folder, row);
      }
      if (seen.length > 0) draw();
    }
  } finally {
    clearInterval(timer);
    closePane(pane);
    screen.close();
  }
  const summary = now === null ? '' : `${totalsLine(now, sheetOf(process.env))}\n${isOver(now) ? '' : CONTINUING}`;
  if (!both.aborted || leaving.signal.reason === 'q') return { exit: TOLLGATE_EXIT.ok, out: summary };
  return { exit: stopExit(both), out: summary };
}

/** null for a task that cannot be read. */
async function rowOf(folder: string): Promise<TaskRow | null> {
  const reading = { word: folder, cwd: '/', environment: process.env, sinceMs: null, now: clock() };
  const collected = await collectTasks({ ...reading, which: 'all', stages: 'left_out' });
  return collected.how === 'read' ? (collected.report.tasks[0] ?? null) : null;
}

const isRunning = ({ state }: NowTask): boolean => state === 'running';

const CONTINUING = 'The tasks continue; `tollgate watch` shows them again.\n';

const emptyLine = (filter: string): string =>
  filter === '' ? 'No task is running or waiting.' : `No row matches "${filter}" (Esc shows all).`;

const isOver = ({ totals }: RunsNow): boolean => totals.running === 0;

/** What the user chose on the page. */
interface WatchView {
  /** The task to which the keys apply; null before the first key. */
  selected: string | null;
  /** Only tasks whose id contains it are shown. */
  filter: string;
  mode: 'tasks' | 'filter' | 'confirm' | 'pane';
  /** Lines that a pane is scrolled back from its end. */
  back: number;
  message: string;
}

export const FIRST_VIEW: WatchView = { selected: null, filter: '', mode: 'tasks', back: 0, message: '' };

type Act = 'leave' | 'interrupt' | 'stop' | 'log' | 'summary' | 'close';

const UP = '\u001b[A';
const DOWN = '\u001b[B';
const ESCAPE = '\u001b';
const CTRL_C = '\u0003';

/** Several keys may arrive at once. */
export const keysIn = (text: string): string[] => text.match(/\u001b\[[A-Z]|[\s\S]/gu) ?? [];

/** @param ids the shown tasks, in their order. @param running those that can be stopped. */
export function pressed(
  before: WatchView,
  key: string,
  ids: readonly string[],
  running: readonly string[] = ids,
): { view: WatchView; act?: Act } {
  const view = { ...before, message: '' };
  if (key === CTRL_C) return { view, act: 'interrupt' };
  const move = key === DOWN || key === 'j' ? 1 : key === UP || key === 'k' ? -1 : 0;
  switch (view.mode) {
    case 'filter':
      return { view: filtered(view, key) };
    case 'confirm':
      return { view: { ...view, mode: 'tasks' }, ...(key === 'y' ? { act: 'stop' } : {}) };
    case 'pane':
      if (move !== 0) return { view: { ...view, back: Math.max(0, view.back - move) } };
      return /[qQ]/.test(key) || key === ESCAPE ? { view: { ...view, mode: 'tasks' }, act: 'close' } : { view };
    case 'tasks':
      break;
  }
  const at = view.selected === null ? -1 : ids.indexOf(view.selected);
  if (move !== 0) return { view: { ...view, selected: ids[Math.min(ids.length - 1, Math.max(0, at + move))] ?? null } };
  if (/[qQ]/.test(key)) return { view, act: 'leave' };
  if (key === '/') return { view: { ...view, mode: 'filter' } };
  if (key === ESCAPE) return { view: { ...view, filter: '', selected: null } };
  if (!['s', 'l', 'o', '\r'].includes(key)) return { view };
  const selected = at === -1 ? (ids[0] ?? null) : view.selected;
  if (selected === null) {
    const why = view.filter === '' ? 'no task is shown' : `the filter "${view.filter}" hides all tasks; Esc removes it`;
    return { view: { ...view, message: `Nothing to ${KEY_ACTS[key]}: ${why}.` } };
  }
  const chosen = { ...view, selected, back: 0 };
  if (key === 's' && !running.includes(selected)) return { view: { ...chosen, message: `${selected} does not run.` } };
  if (key === 's') return { view: { ...chosen, mode: 'confirm' } };
  return { view: { ...chosen, mode: 'pane' }, act: key === 'l' ? 'log' : 'summary' };
}

const KEY_ACTS: Record<string, string> = { s: 'stop', l: 'show', o: 'open', '\r': 'open' };

function filtered(view: WatchView, key: string): WatchView {
  if (key === '\r') return { ...view, mode: 'tasks' };
  if (key === ESCAPE) return { ...view, mode: 'tasks', filter: '' };
  if (key === '\u007f' || key === '\b') return { ...view, filter: [...view.filter].slice(0, -1).join('') };
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(key) ? { ...view, filter: view.filter + key, selected: null } : view;
}

/** The last line of the page. */
export function keysLine({ selected, filter, mode }: WatchView, canStop = true): string {
  if (mode === 'filter') return `filter: ${filter}_  (Enter keeps it, Esc removes it)`;
  if (mode === 'confirm') return `stop ${selected}? y stops it, with everything saved; any other key does not`;
  if (mode === 'pane') return 'j/k scroll   q back';
  const kept = filter === '' ? '' : ` (filter: ${filter})`;
  return `j/k choose   l log   o summary   ${canStop ? 's stop   ' : ''}/ filter${kept}   q quit`;
}

interface Screen {
  /** The present size of the terminal. */
  size(): { width: number; height: number };
  /** Replaces what was shown before; lines beyond the height are omitted. */
  draw(lines: readonly string[]): void;
  /** Restores the terminal; a second call does nothing. */
  close(): void;
}

/** Another screen, no cursor, and no wrapped lines. With wrapping, a wide character would displace the others. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_PAGE = '\u001b[J';

/** @param wake called with each key, as it arrives, and with `resized`. */
function openScreen(output: WriteStream, input: ReadStream, wake: (what: { key: string } | 'resized') => void): Screen {
  const reads = input.isTTY === true;
  const hear = (data: Buffer) => wake({ key: data.toString('utf8') });
  const resized = () => wake('resized');
  let isOpen = true;
  if (reads) {
    input.setRawMode(true);
    input.on('data', hear).resume();
  }
  output.on('resize', resized);
  output.write(ENTER);
  return {
    size: () => ({ width: output.columns || 80, height: output.rows || 24 }),
    draw(lines) {
      if (!isOpen) return;
      // Erased first: after a line of the full width, the cursor is still on its last character.
      const shown = lines.slice(0, output.rows || 24).map((line) => `${REST_OF_LINE}${line}`);
      output.write(`${HOME}${shown.join('\r\n')}${REST_OF_PAGE}`);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      output.removeListener('resize', resized);
      output.write(LEAVE);
      if (!reads) return;
      input.removeListener('data', hear).pause();
      input.setRawMode(false);
    },
  };
}
