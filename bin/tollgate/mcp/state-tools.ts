// Defines the tools that only read (tasks, their failures, budgets, the machine), and what a client may read of a task.

import path from 'node:path';
import { localClock } from '../../../loops/local-clock.ts';
import { carriedFolder, standingOf, startsIn } from '../../../loops/report/carried-run.ts';
import { type FollowedLine, followCalls } from '../../../loops/report/follow.ts';
import { readOwnRules, triage } from '../../../loops/report/triage.ts';
import { CLASSES } from '../../../policies/facts/classes.ts';
import { type BuiltIn, TOOLS as CLIS } from '../../../policies/facts/tools.ts';
import { visible } from '../../../policies/text/display.ts';
import { namesIfAny } from '../../../state/disk/folder.ts';
import { isRegular, readRegularOrNull } from '../../../state/disk/regular-file.ts';
import { missingTask } from '../../../state/missing-task.ts';
import { locateTask, projectState } from '../../../state/task-folder.ts';
import { askForObject } from '../../command.ts';
import { preflightCommand } from '../../preflight-command.ts';
import { run as budget } from '../budget.ts';
import { status as distillStatus } from '../distill/distill-status.ts';
import { run as report } from '../report.ts';
import { hiddenVerdict } from '../secrets.ts';
import { run as status } from '../status.ts';
import { run as explain } from '../triage/explain.ts';
import { refused } from './run-object.ts';
import {
  COUNT,
  type FieldSchema,
  giving,
  LIST,
  type McpTool,
  OBJECT,
  type ServerSettings,
  TASK,
  type ToolCaller,
  type ToolResult,
  taking,
  WORD,
  WORD_OR_NONE,
} from './tool.ts';
import { verbTool } from './verb.ts';

const MOST: { type: string; minimum: number; maximum: number } = { type: 'integer', minimum: 1, maximum: 200 };

/** Only the latest rows, because a model cannot read thousands. */
const MOST_ROWS = 50;

/** No address from a model: the user has registered the server with one. */
const FLEET: FieldSchema = {
  type: 'boolean',
  description: 'the tasks of the fleet instead of those of this project, if the server was started with --database',
};

const needsFleet = ({ fleet }: Record<string, unknown>, { database }: ServerSettings): string | null =>
  fleet === true && database === null ? 'this server knows no fleet; start it as tollgate mcp --database URL' : null;

const databaseArgs = ({ fleet }: Record<string, unknown>, { database }: ServerSettings): string[] =>
  fleet === true ? [`--database=${database}`] : [];

const wordOf = ({ task }: Record<string, unknown>): string[] => (task === undefined ? [] : [String(task)]);

const STATUS = verbTool({
  name: 'status',
  title: 'State of the tasks',
  about:
    'What exists and what runs: each running call, who waits in the queue, the state of every task, or of one, and of every distilled book; and the runs that other tools started.',
  takes: taking({ task: { ...TASK, description: 'the id of a task; default: all tasks' }, fleet: FLEET }),
  refuses: needsFleet,
  gives: giving({ totals: OBJECT, running: OBJECT, waiting: LIST, tasks: LIST, books: LIST, more: COUNT }),
  changes: 'nothing',
  run: status,
  argv: (given, server) => [
    ...databaseArgs(given, server),
    ...(given.fleet === true ? wordOf(given) : wordOf(given).map((task) => path.join(tasksFolder(), task))),
  ],
  tells({ totals, tasks, running, waiting, groups: _, ...fleet }, given) {
    const rows = tasks as unknown[];
    return {
      totals,
      ...(given.fleet === true ? fleet : { running, waiting }),
      tasks: rows.slice(0, MOST_ROWS),
      more: Math.max(0, rows.length - MOST_ROWS),
    };
  },
});

export const STATE_TOOLS: readonly McpTool[] = [
  {
    ...STATUS,
    async act(given, caller) {
      const { how, object } = await STATUS.act(given, caller);
      return how === 'failed' || given.fleet === true
        ? { how, object }
        : {
            how,
            object: {
              ...object,
              ...(given.task === undefined ? { books: await booksHere() } : {}),
              runs: await runsHere(),
            },
          };
    },
  },
  verbTool({
    name: 'explain_failure',
    title: 'Why a task failed',
    about:
      "Why a task's last call failed: its class and reason, the line of evidence, the rule that matched, how often this was seen, and what to do, the best first.",
    takes: taking({ task: TASK }, 'task'),
    gives: giving({
      task_id: WORD,
      class: WORD,
      reason: WORD_OR_NONE,
      evidence: { type: ['object', 'null'] },
      next_actions: LIST,
    }),
    changes: 'nothing',
    run: explain,
    argv: wordOf,
  }),
  {
    name: 'logs',
    title: 'What a call said',
    about:
      "The last lines of a task's call: its answer, tools, errors and stderr, in words; of the call under way, or else of the last one.",
    takes: taking(
      {
        task: TASK,
        stage: { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,127}$', description: 'only calls of this stage' },
        last: { ...MOST, description: 'so many lines from the end; 50 by default' },
      },
      'task',
    ),
    gives: giving({ task_id: WORD, lines: LIST, more: COUNT, missing: LIST }),
    changes: 'nothing',
    act: logged,
  },
  {
    name: 'triage',
    title: 'Classify an output',
    about:
      'Classifies the captured output of a CLI that was called elsewhere: class, reason, evidence, signature. Uses the rules of tollgate.yaml too. Calls nothing.',
    takes: taking(
      {
        cli: { type: 'string', enum: CLIS },
        stderr: { type: 'string', maxLength: 1_000_000 },
        stdout: { type: 'string', maxLength: 1_000_000, description: 'its event stream, or its plain answer' },
        exit_code: { type: 'integer', minimum: 0, maximum: 255 },
      },
      'cli',
      'stderr',
    ),
    gives: giving({ verdict: OBJECT, signature: WORD_OR_NONE, next: WORD_OR_NONE }),
    changes: 'nothing',
    act: triaged,
  },
  verbTool({
    name: 'list_failures',
    title: 'Failures by signature',
    about: 'Lists the failures of all tasks, the most frequent first: one row for one failure of many tasks.',
    takes: taking({
      last: { ...MOST, description: 'the number of rows; default: 20' },
      since: { type: 'string', pattern: '^[0-9]{1,6}[smhd]$', description: 'only of this time, such as 24h or 7d' },
      fleet: FLEET,
    }),
    refuses: needsFleet,
    gives: giving({ totals: OBJECT, groups: LIST, more: COUNT }),
    changes: 'nothing',
    run: report,
    argv: (given, server) => [
      '--failed',
      ...(given.since === undefined ? [] : [`--since=${given.since}`]),
      ...databaseArgs(given, server),
    ],
    tells: ({ totals, groups }, { last = 20 }) => {
      const rows = groups as unknown[];
      return { totals, groups: rows.slice(0, Number(last)), more: Math.max(0, rows.length - Number(last)) };
    },
  }),
  verbTool({
    name: 'budget',
    title: 'Paid calls and tokens',
    about:
      "What a task may pay, has paid and used, by stage; without a task the limits over all of the user's tasks. Only a person changes them (tollgate budget).",
    takes: taking({ task: { ...TASK, description: 'the id of a task; without one, the limits over all' } }),
    gives: giving({ schema: COUNT }),
    changes: 'nothing',
    run: budget,
    argv: wordOf,
  }),
  verbTool({
    name: 'preflight',
    title: 'Is the machine ready?',
    about:
      'Checks CLIs, their versions and sign-in, disk and proxies, before any call is paid, and says how to fix each problem. Starts no CLI, unless `thorough`.',
    takes: taking({
      tools: {
        ...{ type: 'array', maxItems: CLIS.length, items: { type: 'string', enum: CLIS } },
        description: 'the CLIs that are needed; default: all',
      },
      thorough: { type: 'boolean', description: 'also ask each CLI for its version, which takes seconds' },
    }),
    gives: giving({ ok: { type: 'boolean' }, findings: LIST }),
    changes: 'nothing',
    run: preflightCommand,
    argv: ({ tools, thorough }) => [
      ...(Array.isArray(tools) && tools.length > 0 ? [`--tools=${tools.join(',')}`] : []),
      ...(thorough === true ? [] : ['--quick']),
      '--quiet',
    ],
    answersWith: [0, 1],
  }),
];

async function booksHere(): Promise<unknown[]> {
  const { object } = await askForObject(distillStatus, []);
  const books = (object.distillations ?? []) as Record<string, unknown>[];
  return books.slice(0, MOST_ROWS).map(({ name, state, sections, tokens, usd, calls }) => ({
    ...{ name, state, sections, tokens, usd, calls },
  }));
}

/** The runs that a server began, the latest first. */
async function runsHere(): Promise<object[]> {
  const folder = carriedFolder(process.cwd(), process.env);
  const starts = startsIn(folder).slice(0, MOST_ROWS);
  return Promise.all(
    starts.map(async ({ run_id, at }) => {
      const { how } = await standingOf(folder, run_id, new Date());
      return { run_id, since: at, state: how };
    }),
  );
}

async function logged(
  { task, stage, last = MOST_ROWS }: Record<string, unknown>,
  caller: ToolCaller,
): Promise<ToolResult> {
  const located = locateTask(String(task), process.cwd(), process.env);
  if (located.how === 'invalid') return refused(located.message);
  const kept: FollowedLine[] = [];
  let all = 0;
  const followed = await followCalls({
    ...{ task: located.folder, stage: stage === undefined ? null : String(stage), until: 'now', events: 'words' },
    ...{ environment: process.env, stop: caller.signal, clock: () => new Date(), begin: () => {} },
    async take(lines) {
      all += lines.length;
      kept.push(...lines);
      kept.splice(0, Math.max(0, kept.length - Number(last)));
      return 'more';
    },
  });
  if (followed.how === 'invalid') return refused(followed.message);
  if (followed.calls === 0 && located.folder.manifest === null) return refused(missingTask(located.folder.root));
  return { how: 'done', object: { task_id: task, lines: kept, more: all - kept.length, missing: followed.missing } };
}

async function triaged({ cli, stderr, stdout = '', exit_code = null }: Record<string, unknown>): Promise<ToolResult> {
  const own = await readOwnRules(process.cwd());
  if (own.how === 'invalid') return refused(own.message);
  const captured = {
    tool: cli as BuiltIn,
    stderr: String(stderr),
    stdout: String(stdout),
    exitCode: exit_code as number | null,
  };
  const { verdict, signature } = triage({ ...captured, signal: null, ending: null }, localClock(new Date()), own.rules);
  const next = verdict.class === null ? null : CLASSES[verdict.class].next;
  return { how: 'done', object: { verdict: hiddenVerdict(verdict), signature: signature?.signature ?? null, next } };
}

interface TaskFile {
  name: string;
  uri: string;
  title: string;
  mimeType: string;
  /** The ids of tasks that have the file. */
  list(): string[];
  /** Throws a sentence if there is none. */
  read(task: string): string;
}

export const RESOURCES: readonly TaskFile[] = [
  taskFile('summary', 'The summary', 'text/markdown', 'outputs/_summary.md'),
  taskFile('failure', 'The failure record', 'application/json', 'state/last_failure.json'),
];

function taskFile(name: string, title: string, mimeType: string, file: string): TaskFile {
  return {
    ...{ name, uri: `tollgate://task/{task}/${name}`, title, mimeType },
    list: () =>
      tasks()
        .filter((task) => isRegular(path.join(tasksFolder(), task, file)))
        .slice(0, MOST_LISTED),
    read(task) {
      const located = task.includes('/') ? null : locateTask(task, process.cwd(), process.env);
      if (located?.how !== 'found') throw new Error(`"${task}" is not a task id`);
      const text = readRegularOrNull(path.join(located.folder.root, file));
      if (text === null)
        throw new Error(`the task ${task} has no ${file}; the tool status tells which tasks there are`);
      // The file was written without secrets. A second redaction would mistake a signature for a secret.
      return visible(text);
    },
  };
}

/** A project may have 100,000 tasks; the template reads any of them. */
const MOST_LISTED = 200;

const tasksFolder = (): string => path.join(projectState(process.cwd(), process.env), 'task');

const tasks = (): string[] => namesIfAny(tasksFolder()).sort();
