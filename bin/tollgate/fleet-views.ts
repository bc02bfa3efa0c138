// Shows a fleet: the pages of fleet status, and what status, report and watch print with --database. Loaded only for these.

import { setTimeout as pause } from 'node:timers/promises';
import type { ServedProject } from '../../console/server/project.ts';
import * as fleets from '../../fleet/fleet.ts';
import type { FleetStatus } from '../../loops/report/fleet-status.ts';
import { wholeDuration } from '../../policies/facts/duration.ts';
import { stopExit, TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { counted, dollars, figure, printable, visible } from '../../policies/text/display.ts';
import { projectRoot } from '../../state/task-folder.ts';
import { unexpected } from '../command.ts';
import type { Arguments } from '../command-line.ts';
import { clockTime } from '../from-here.ts';
import { printResult } from '../printing.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { coloursOf, type Sheet, sheetOf } from '../sheet.ts';
import { type Column, tableLines } from '../table.ts';
import { failureWords, namesOf, timeCell } from './task-cells.ts';

type Database = ReturnType<typeof fleets.openDatabase>;

/** A refusal of the fleet is a sentence. */
export async function inFleet(name: string, act: () => Promise<Ran>): Promise<Ran> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof fleets.DatabaseAway || error instanceof fleets.MachineUnfit)
      return { exit: TOLLGATE_EXIT.failure, err: `${name}: ${error.message}\n` };
    if (error instanceof fleets.FleetRefusal || error instanceof fleets.TravelRefusal)
      return badInputOf(name)(error.message);
    return unexpected(error);
  }
}

/** `-` is the variable, since other users of the machine see an argument. */
export async function withDatabase(
  { text }: Arguments,
  act: (database: Database) => Promise<Ran>,
  connections = 4,
): Promise<Ran> {
  const given = text.database === '-' ? undefined : text.database;
  const database = fleets.openDatabase(given ?? process.env.TOLLGATE_DATABASE, connections);
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}

/** All that a list shows with `--all`, and that `watch` follows. */
const MOST_TASKS = 2000;

/** More rows would make a page slow that is read every two seconds. */
const MOST_SHOWN = 200;

/** `tollgate console --database`: the database is checked until it was found in order once. */
export function fleetReader(database: Database): NonNullable<ServedProject['fleet']> {
  let isChecked = false;
  return async () => {
    try {
      if (!isChecked) await fleets.checkDatabase(database, 'read');
      isChecked = true;
      const status = await fleets.fleetStatus(database, { names: [], most: MOST_SHOWN });
      return { how: 'read', fleet: { ...status, place: database.place } };
    } catch (error) {
      const isAway = error instanceof fleets.DatabaseAway;
      if (!isAway && !(error instanceof fleets.FleetRefusal)) throw error;
      return { how: 'failed', message: error.message, lasts: isAway ? 'a while' : 'until it changes' };
    }
  };
}

/** `tollgate status --database` and `tollgate report --database`. */
export const showFleet = (name: string, what: 'status' | 'report', args: Arguments): Promise<Ran> =>
  inFleet(name, () =>
    withDatabase(args, async (database) => {
      const { given, text, words } = args;
      const others = [...given].filter((flag) => !FLAGS[what].includes(flag) && flag !== 'format');
      if (others.length > 0 || (given.has('format') && !['text', 'json'].includes(text.format!)))
        throw new fleets.FleetRefusal(
          `--database takes only ${FLAGS[what].map((flag) => `--${flag}`).join(', ')}; leave --${others[0] ?? `format ${text.format}`} out`,
        );
      const sinceMs = text.since === undefined ? null : wholeDuration(text.since);
      if (text.since !== undefined && sinceMs === null)
        throw new fleets.FleetRefusal(`--since takes a duration such as 24h or 7d, not "${text.since}"`);
      await fleets.checkDatabase(database, 'read');
      const status = await fleets.fleetStatus(database, {
        names: text.task === undefined ? words : [text.task],
        sinceMs,
        failedOnly: given.has('failed'),
        ...(given.has('all') ? { most: MOST_TASKS } : {}),
      });
      const differences =
        what === 'status'
          ? null
          : await fleets.fetchedDifferences(database, status.tasks, {
              root: projectRoot(process.cwd()),
              environment: process.env,
              clock: () => new Date(),
            });
      const isJson = given.has('json') || text.format === 'json';
      if (isJson)
        return { exit: 0, out: `${JSON.stringify(differences === null ? status : { ...status, differences })}\n` };
      return { exit: 0, out: fleetPage(status, differences), isPage: true };
    }),
  );

const FLAGS = {
  status: ['database', 'json', 'quiet', 'all'],
  report: ['database', 'json', 'quiet', 'all', 'task', 'failed', 'since'],
};

const WATCH_MS = 1000;

/** `tollgate watch --database`: a line for each change, from one query in a second. */
export const watchFleet = (name: string, args: Arguments, stop: AbortSignal): Promise<Ran> =>
  inFleet(name, () =>
    withDatabase(args, async (database) => {
      await fleets.checkDatabase(database, 'read');
      const isJson = args.given.has('json');
      let before: FleetStatus | null = null;
      while (!stop.aborted) {
        const now = await fleets.fleetStatus(database, { names: args.words, most: MOST_TASKS });
        const changed = changesOf(before, now);
        const isOver = args.given.has('until-end') && !now.tasks.some(({ state }) => BUSY.has(state));
        const lines = changed.map((task) =>
          isJson ? `${JSON.stringify({ ...task, at: now.at, change: 'task' })}\n` : changeLine(task, now.at),
        );
        const over = isJson
          ? `${JSON.stringify({ at: now.at, change: 'over', totals: now.totals })}\n`
          : `${clockTime(now.at)} none is at work: ${totalsOf(now)}\n`;
        const lost = await printResult(`${lines.join('')}${isOver ? over : ''}`);
        if (lost !== null) return { exit: TOLLGATE_EXIT.ok, lost: lost === 'EPIPE' ? null : lost };
        if (isOver) return { exit: TOLLGATE_EXIT.ok };
        before = now;
        await pause(WATCH_MS, undefined, { signal: stop }).catch(() => {});
      }
      return { exit: stopExit(stop) };
    }),
  );

const BUSY: ReadonlySet<string> = new Set(['queued', 'running']);

/** At first, those that run or wait; then each whose state or calls have changed. */
function changesOf(before: FleetStatus | null, now: FleetStatus): FleetStatus['tasks'] {
  if (before === null) return now.tasks.filter(({ state }) => BUSY.has(state));
  const known = new Map(before.tasks.map((task) => [task.id, stampOf(task)]));
  return now.tasks.filter((task) => known.get(task.id) !== stampOf(task));
}

const stampOf = ({ state, stage, worker, calls, open_calls }: FleetStatus['tasks'][number]): string =>
  JSON.stringify([state, stage, worker, calls.used, open_calls]);

function changeLine(task: FleetStatus['tasks'][number], at: string): string {
  const where = task.worker === null ? '' : ` on ${task.worker}`;
  const stage = task.stage !== null && task.open_calls > 0 ? `, calls ${task.stage}` : '';
  const why = noteOf(task);
  const words = `${task.task_id} (${task.id}) is ${task.state}${where}${stage}, ${callsOf(task)} calls${why === '' ? '' : `: ${why}`}`;
  return `${printable(`${clockTime(at)} ${words}`)}\n`;
}

const callsOf = ({ calls }: FleetStatus['tasks'][number]): string => `${calls.used}/${calls.budget}`;

const noteOf = (task: FleetStatus['tasks'][number]): string =>
  [task.class === null ? task.message : (task.sentence ?? ''), callNotes(task)].filter(Boolean).join('; ');

const callNotes = ({ lost_calls, late_calls }: FleetStatus['tasks'][number]): string =>
  [
    lost_calls > 0 ? `${counted(lost_calls, 'lost call')} may be paid` : '',
    late_calls > 0 ? `${late_calls} booked late` : '',
  ]
    .filter(Boolean)
    .join(', ');

const totalsOf = ({ totals: { tasks, ...states } }: FleetStatus): string =>
  `${Object.entries(states)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ')}${tasks === 0 ? 'no task was submitted' : ` of ${tasks}`}`;

const COLUMNS: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'TASK', least: 12, isWhole: true },
  { heading: 'STATE', paint: (cell) => PAINTS[cell] ?? null },
  { heading: 'STAGE', leaveOut: 3 },
  { heading: 'SINCE', leaveOut: 2 },
  { heading: 'CALLS' },
  { heading: 'TOKENS', leaveOut: 4, isOptional: true },
  { heading: 'USD', leaveOut: 5, isOptional: true },
  { heading: 'WORKER', leaveOut: 1, isOptional: true },
  { heading: 'NOTE', least: 12, isOptional: true },
];

const PAINTS: Partial<Record<string, 'green' | 'red' | 'yellow' | 'cyan'>> = {
  done: 'green',
  failed: 'red',
  lost: 'red',
  stopped: 'yellow',
  running: 'cyan',
};

/** @param differences between fetched journals and the ledger; null if they were not compared. */
export function fleetPage(status: FleetStatus, differences: readonly string[] | null = null): string {
  const sheet = sheetOf(process.env);
  const { tasks, groups, totals, workers } = status;
  const { bold } = coloursOf(sheet.ink);
  const shown = totals.tasks > tasks.length ? `; ${tasks.length} of them are shown` : '';
  return `${[
    totals.tasks === 0
      ? 'No task was submitted; tollgate submit TASK sends one.'
      : bold(`Tasks: ${totalsOf(status)}${shown}.`),
    ...(differences === null || groups.length === 0 ? [] : ['', bold('Failures:'), ...groups.map(groupLine)]),
    ...(tasks.length === 0 ? [] : ['', ...taskLines(status, sheet)]),
    '',
    workers.length === 0
      ? 'No worker is at work; tollgate worker starts one.'
      : `Workers: ${workers.map(({ name, tasks: count, draining, lease_seconds }) => `${visible(name)} (${count} tasks${draining ? ', draining' : ''}${lease_seconds < 0 ? ', lease over' : ''})`).join(', ')}.`,
    limitsPage(status).trimEnd(),
    ...(tasks.some(({ state }) => state === 'lost')
      ? [
          'A lost task continues when a worker starts with its folder; tollgate submit TASK --again pays for it once more.',
        ]
      : []),
    ...(tasks.some(({ lost_calls }) => lost_calls > 0) ? [LOST_CALLS] : []),
    ...(differences === null ? [] : ['', ...differenceLines(differences)]),
  ].join('\n')}\n`;
}

const LOST_CALLS =
  'A lost call counts as paid. A worker that starts with its folder books what lies there; without an answer it stays lost, and nothing is left to do.';

function groupLine(group: FleetStatus['groups'][number]): string {
  const { task_ids, sentence, class: errorClass, reason, evidence } = group;
  const which = `${failureWords(errorClass, reason)}: ${namesOf(task_ids, false)}`;
  return `  ${printable(`${task_ids.length} × ${sentence} ${which}${evidence === null ? '' : ` — ${evidence}`}`)}`;
}

const differenceLines = (differences: readonly string[]): string[] =>
  differences.length === 0
    ? ['The journals that were fetched here and the ledger of the fleet agree.']
    : [`Differences between fetched journals and the ledger:`, ...differences.map((line) => `  ${visible(line)}`)];

function taskLines({ tasks, at }: FleetStatus, sheet: Sheet): string[] {
  const rows = tasks.map((task) => [
    task.id,
    task.task_id,
    task.state,
    task.stage ?? '-',
    timeCell(task.at, new Date(at), sheet),
    callsOf(task),
    task.tokens === null ? '-' : figure(task.tokens),
    task.usd === null ? '-' : dollars(task.usd).slice(1),
    task.worker ?? '-',
    noteOf(task) || '-',
  ]);
  return tableLines(
    COLUMNS,
    rows.map((cells) => cells.map((cell) => printable(cell))),
    sheet,
  );
}

export function limitsPage({ limits, budgets }: FleetStatus): string {
  const lines = [
    ...budgets.map(({ scope, calls, used }) => `${scope}: ${used} of ${calls ?? 'any number of'} calls`),
    ...limits.map(({ tool, account, at_once, per_minute, running, held_seconds, hold_reason }) =>
      [
        `${tool}${account === '' ? '' : `@${account}`}: ${running} running`,
        ...(at_once === null ? [] : [`at most ${at_once} at once`]),
        ...(per_minute === null ? [] : [`${per_minute} in a minute`]),
        ...(held_seconds > 0 ? [`held for ${held_seconds} s (${hold_reason})`] : []),
      ].join(', '),
    ),
  ];
  return `${lines.length === 0 ? 'No limits are set.' : lines.join('\n')}\n`;
}
