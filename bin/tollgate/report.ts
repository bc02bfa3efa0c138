// Implements tollgate report: shows all tasks and their failures in several formats, or the failures of the services.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { renderStart, savedReport } from '../../loops/batch/report.ts';
import { launcherIn } from '../../loops/launcher.ts';
import { collectSpending, collectTasks, type TasksReport } from '../../loops/report/collect.ts';
import { reportProblems } from '../../loops/report/problems.ts';
import { readFailure } from '../../loops/report/task-row.ts';
import { waitingIn } from '../../loops/report/waiting.ts';
import { collectErrors, collectHealth } from '../../loops/upkeep/collect-errors.ts';
import manifest from '../../package.json';
import { wholeDuration } from '../../policies/facts/duration.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import { annotationsOf } from '../../policies/report/github-actions.ts';
import { withRelativePaths } from '../../policies/report/problem.ts';
import { codeQualityOf, sarifOf } from '../../policies/report/problem-formats.ts';
import type { DaySpending } from '../../policies/report/spending.ts';
import { visible } from '../../policies/text/display.ts';
import { missingTask } from '../../state/missing-task.ts';
import { locateTask, projectRoot, projectState } from '../../state/task-folder.ts';
import { identify } from '../../wrappers/processes/identity.ts';
import { readArguments } from '../command.ts';
import type { Arguments, CommandSpec } from '../command-line.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { sheetOf } from '../sheet.ts';
import { onSheet } from '../terminal-page.ts';
import { errorsObject, type HealthObject, renderErrors, renderHealth } from './report/errors-page.ts';
import { renderHtml } from './report/html-page.ts';
import { renderJunit } from './report/junit-page.ts';
import { renderMarkdown, renderText } from './report-page.ts';
import { ALL_ROWS, costsFor, FLEET_FLAG } from './task-cells.ts';

interface ReportRequest {
  report: TasksReport;
  cwd: string;
  environment: NodeJS.ProcessEnv;
  /** Whether text, json and md include what was spent; an HTML page always does. */
  spent: boolean;
  isAll: boolean;
}

const FORMATS = {
  text: async (request) => {
    const { report, environment, isAll } = request;
    const sheet = sheetOf(environment);
    const state = path.dirname(report.folder);
    const waiting = sheet.width === null ? [] : await waitingIn(state, environment, await lookingHere());
    return renderText(report, {
      ...{ sheet, isAll, spent: await spentIf(request), costs: await costsFor(sheet, report.tasks), actionsOf },
      waiting: new Set(waiting.map(({ task_id }) => task_id)),
    });
  },
  json: async (request) => {
    const spent = await spentIf(request);
    return `${JSON.stringify(spent === null ? request.report : { ...request.report, spent })}\n`;
  },
  md: async (request) => renderMarkdown(posted(request), await spentIf(request)),
  html: async (request) => renderHtml(posted(request), await problems(request), await spending(request)),
  junit: async (request) => renderJunit(posted(request)),
  sarif: async (request) => sarifOf(await problems(request), { version: manifest.version, at: request.report.at }),
  github: async (request) => annotationsOf(await problems(request)),
  gitlab: async (request) => codeQualityOf(await problems(request)),
} as const satisfies Record<string, (request: ReportRequest) => Promise<string>>;

type ReportFormat = keyof typeof FORMATS;

const SPEC: CommandSpec = {
  name: 'tollgate report',
  usage: '[DIR] [options]',
  about:
    'Shows all tasks. On a terminal, first their failures in groups: what failed, why, what to do, and what it cost. Or shows the logged API failures.',
  flags: {
    format: { takes: 'choice', choices: Object.keys(FORMATS), about: 'the format', default: 'text' },
    since: { takes: 'text', about: 'only tasks with activity within this time, such as 24h or 7d' },
    spent: { takes: 'nothing', about: 'also show what was spent, by day and CLI; html always includes it' },
    failed: { takes: 'nothing', about: 'only failed tasks' },
    all: ALL_ROWS,
    database: FLEET_FLAG,
    task: { takes: 'text', about: 'only this task (an id, or a path with a /)' },
    batch: { takes: 'text', about: 'the report of this batch, by its id or "last", instead of the tasks' },
    errors: { takes: 'nothing', about: 'the logged API failures, the newest last, instead of the tasks' },
    last: { takes: 'number', min: 1, about: 'with --errors: how many (default: 20; with --since: all)' },
    full: { takes: 'nothing', about: 'with --errors: each in full, with its conversation' },
    health: {
      takes: 'nothing',
      about: 'the days without an unrecoverable API failure, and the failures of the last 30 days',
    },
  },
  common: ['format', 'since', 'failed', 'all', 'task', 'spent', 'batch', 'errors', 'health'],
  words: { min: 0, max: 1, called: 'DIR' },
  examples: [
    ['tollgate report', 'the tasks in .tmp/task of this project'],
    ['tollgate report --failed --since 24h --format md', 'what failed today, as a page'],
    ['tollgate report ./tasks --json', 'one object, for another program'],
    ['tollgate report --format html > report.html', 'one page to look at, without a network'],
    ['tollgate report --format sarif > report.sarif', 'what gates and reviews found, for a code scanning service'],
    ['tollgate report --batch last', 'the report of the last batch'],
    ['tollgate report --errors --last 1 --full', 'the last API failure, with all that is known of it'],
    ['tollgate report --health --since 90d', 'how well it went with the services'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown, whatever became of the tasks'],
    [TOLLGATE_EXIT.badInput, 'usage, or a folder, a task or a batch that is not there'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { text, given, words } = read.args;
  if (text.database !== undefined) return (await import('./fleet-views.ts')).showFleet(SPEC.name, 'report', read.args);
  const clash = clashOf(read.args);
  if (clash !== null) return invalid(clash);
  const sinceMs = text.since === undefined ? null : wholeDuration(text.since);
  if (text.since !== undefined && sinceMs === null)
    return invalid(`--since takes a duration such as 24h or 7d, not "${text.since}"`);
  if (given.has('json') && given.has('format') && text.format !== 'json')
    return invalid(`--json and --format ${text.format} are two formats; leave one of them out`);
  if (text.batch !== undefined) return batch(text.batch, read.args);
  const task = text.task === undefined ? null : locateTask(text.task, process.cwd(), process.env);
  if (task?.how === 'invalid') return invalid(task.message);
  if (task !== null && !existsSync(task.folder.root)) return invalid(missingTask(task.folder.root));
  const from = {
    word: task?.folder.root ?? words[0] ?? null,
    cwd: process.cwd(),
    environment: process.env,
    now: new Date(),
  };
  if (given.has('errors')) return errors(from, read.args, sinceMs);
  if (given.has('health')) return health(from, given.has('json'), sinceMs ?? MONTH_MS);
  const format = given.has('json') ? 'json' : (text.format as ReportFormat);
  const collected = await collectTasks({
    ...from,
    sinceMs,
    which: given.has('failed') ? 'failed' : 'all',
    stages: format === 'text' || format === 'md' ? 'left_out' : 'read',
  });
  if (collected.how === 'invalid') return invalid(collected.message);
  const { cwd, environment } = from;
  const { tasks } = collected.report.totals;
  const { report } = collected;
  const request = { report, cwd, environment, spent: given.has('spent'), isAll: given.has('all') };
  const out = await FORMATS[format](request);
  const err = tasks > MANY ? { err: slow(tasks, environment) } : {};
  return { exit: 0, out, ...(format === 'text' ? { isPage: true } : {}), ...err };
}

const lookingHere = async () => ({ self: (await identify(process.pid))!, clock: () => new Date() });

function actionsOf({ task_id, folder, next_action }: TasksReport['tasks'][number]): readonly NextAction[] {
  const own = next_action === null ? [] : [next_action];
  try {
    return readFailure({ id: task_id, root: folder, state: path.join(folder, 'state') })?.next_actions ?? own;
  } catch {
    // Named among what is not readable.
    return own;
  }
}

const MANY = 10_000;

const slow = (tasks: number, environment: NodeJS.ProcessEnv) =>
  `tollgate report: ${tasks} tasks were read, which takes seconds; \`${launcherIn(environment)} archive\` moves those that have not run for 30 days\n`;

const BATCH_FORMATS = ['text', 'json', 'md'];

async function batch(word: string, { given, text }: Arguments): Promise<Ran> {
  if (!BATCH_FORMATS.includes(text.format!))
    return invalid(`--batch supports only the formats ${BATCH_FORMATS.join(', ')}; leave --format ${text.format} out`);
  const saved = await savedReport(projectState(process.cwd(), process.env), word);
  if (saved.how === 'invalid') return invalid(saved.message);
  const object = saved.how === 'open' ? saved.start : saved.report;
  if (given.has('json') || text.format === 'json') return { exit: 0, out: `${JSON.stringify(object)}\n` };
  const summary = visible(saved.how === 'open' ? renderStart(saved.start, launcherIn(process.env)) : saved.summary);
  return text.format === 'md'
    ? { exit: 0, out: summary }
    : { exit: 0, out: onSheet(summary, sheetOf(process.env)), isPage: true };
}

type From = Parameters<typeof collectErrors>[0];

const MONTH_MS = 30 * 86_400_000;
const LAST = 20;

function errors(from: From, { given, number }: Arguments, sinceMs: number | null): Ran {
  const since = sinceMs === null ? null : isoBefore(from.now, sinceMs);
  const collected = collectErrors(from, since, number.last ?? (since === null ? LAST : null));
  if (collected.how === 'invalid') return invalid(collected.message);
  const how = given.has('full') ? 'full' : 'short';
  if (!given.has('json')) return { exit: 0, out: renderErrors(collected.value, how), isPage: true };
  return { exit: 0, out: `${JSON.stringify(errorsObject(collected.value, from.now, how))}\n` };
}

function health(from: From, asJson: boolean, sinceMs: number): Ran {
  const since = isoBefore(from.now, sinceMs);
  const collected = collectHealth(from, since);
  if (collected.how === 'invalid') return invalid(collected.message);
  if (!asJson) return { exit: 0, out: renderHealth(collected.value, since), isPage: true };
  const object: HealthObject = { schema: 1, at: from.now.toISOString(), since, ...collected.value };
  return { exit: 0, out: `${JSON.stringify(object)}\n` };
}

/** A time before 1970 counts as the start of 1970. */
const isoBefore = (now: Date, ms: number): string => new Date(Math.max(0, now.getTime() - ms)).toISOString();

/** Flags that cannot be combined, in the order in which they are reported. */
const CLASHES: readonly [one: string, other: string][] = [
  ...['failed', 'since', 'task', 'errors', 'health'].map((other) => ['batch', other] as [string, string]),
  ...['errors', 'health'].map((other) => ['task', other] as [string, string]),
  ...['batch', 'errors', 'health'].map((one) => [one, 'spent'] as [string, string]),
  ['errors', 'health'],
  ['errors', 'failed'],
  ['errors', 'format'],
  ['health', 'failed'],
  ['health', 'format'],
  ['health', 'last'],
  ['health', 'full'],
];

function clashOf({ given, words }: Arguments): string | null {
  const named = ['task', 'batch'].find((flag) => given.has(flag));
  if (named !== undefined && words.length > 0) return `--${named} says what is meant; leave ${words[0]} out`;
  const clash = CLASHES.find((pair) => pair.every((flag) => given.has(flag)));
  if (clash !== undefined) return `--${clash[0]} and --${clash[1]} do not go together; leave one of them out`;
  const lone = ['last', 'full'].find((flag) => given.has(flag) && !given.has('errors'));
  return lone === undefined ? null : `--${lone} needs --errors`;
}

const invalid = badInputOf('tollgate report');

/** Makes paths relative, because a reader on another machine cannot use the paths of this one. */
function posted(request: ReportRequest): TasksReport {
  const root = JSON.stringify(rootOf(request)).slice(1, -1);
  return JSON.parse(withRelativePaths(JSON.stringify(request.report), [root])) as TasksReport;
}

const rootOf = ({ report, cwd, environment }: ReportRequest): string =>
  projectRoot(environment.TOLLGATE_STATE ? cwd : report.folder);

const problems = (request: ReportRequest) => reportProblems(request.report, rootOf(request), request.environment);

const spending = ({ report, cwd, environment }: ReportRequest) => collectSpending(report.tasks, cwd, environment);

const spentIf = async (request: ReportRequest): Promise<DaySpending[] | null> =>
  request.spent ? spending(request) : null;
