// Implements tollgate budget: shows and sets what a task may pay, or, without a task, the limits over all tasks.

import { rootOf } from '../../loops/task/task.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { PERIODS, UNITS } from '../../policies/limits/limits.ts';
import type { ProjectFile } from '../../policies/manifest/project-file.ts';
import { counted, dollars, figure } from '../../policies/text/display.ts';
import { type Journal, JournalError, openJournal } from '../../state/journal/journal.ts';
import { budgetOf, type Ledger, openCalls } from '../../state/journal/ledger.ts';
import { adoptEdits, refreshStats } from '../../state/journal/stats.ts';
import { missingTask } from '../../state/missing-task.ts';
import { readProject } from '../../state/project/project.ts';
import { isSystemError } from '../../state/system-error.ts';
import { locateTask, type TaskFolder } from '../../state/task-folder.ts';
import { type TaskUsage, type UsedSoFar, usageOf } from '../../state/usage.ts';
import { identify, isAlive } from '../../wrappers/processes/identity.ts';
import { readArguments } from '../command.ts';
import type { CommandSpec } from '../command-line.ts';
import { badInputOf, type Ran } from '../ran.ts';
import { coloursOf, type Sheet, sheetOf } from '../sheet.ts';
import { type Column, tableLines } from '../table.ts';
import { bar, runLimits } from './limits/limits.ts';

const SPEC: CommandSpec = {
  name: 'tollgate budget',
  usage: '[TASK] [--set N] [--reset] [--per PERIOD]',
  about:
    "Shows a task's paid calls and tokens, or changes what it may pay. Without a task: the limits over all of your tasks, with what is used of them.",
  flags: {
    set: { takes: 'number', about: 'allow this many paid calls in all; with --per: in that period' },
    reset: { takes: 'nothing', about: 'count from 0 again' },
    per: {
      takes: 'choice',
      choices: PERIODS,
      about: 'over all tasks: the budget of this period, for --set or --unset',
    },
    of: { takes: 'choice', choices: UNITS, default: 'calls', about: 'over all tasks: the unit of the budget' },
    tool: { takes: 'text', about: 'over all tasks: a limit of this CLI; default: of all CLIs together' },
    unset: { takes: 'nothing', about: 'over all tasks: remove the budget of --per' },
    'at-once': {
      takes: 'number',
      about: 'over all tasks: at most this many calls at the same time; 0: no limit',
    },
    'per-minute': {
      takes: 'number',
      about: 'over all tasks: start at most this many calls in 60 s; 0: no limit',
    },
    'time-zone': {
      takes: 'text',
      about: 'over all tasks: the time zone in which a day begins at midnight (Europe/Berlin); default: UTC',
    },
  },
  words: { min: 0, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate budget fix-login', 'used and remaining, by stage'],
    ['tollgate budget fix-login --set 20', 'allow 20 calls'],
    ['tollgate budget --per day --set 100', 'pay for 100 calls a day, over all tasks'],
    ['tollgate budget --at-once 3', 'three calls at a time, the others wait'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'shown or changed'],
    [TOLLGATE_EXIT.failure, 'the disk refused it'],
    [TOLLGATE_EXIT.badInput, 'no such task, state that cannot be read, or a change from within a call'],
  ],
};

const OVER_ALL = ['per', 'of', 'tool', 'unset', 'at-once', 'per-minute', 'time-zone'];

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  if (args.words.length === 0) return args.given.has('reset') ? invalid('--reset needs a TASK') : runLimits(args);
  const stray = OVER_ALL.find((flag) => args.given.has(flag));
  if (stray !== undefined) return invalid(`--${stray} is of the limits over all tasks; leave the task out`);
  const located = locateTask(args.words[0]!, process.cwd(), process.env);
  if (located.how === 'invalid') return invalid(located.message);
  const clock = () => new Date();
  const journal = openJournal(located.folder.root, clock);
  try {
    const before = journal.read();
    if (before.offset === 0 && located.folder.manifest === null) return invalid(missingTask(located.folder.root));
    const mistake = await adoptEdits(journal, clock);
    if (mistake !== null) return invalid(mistake);
    if (args.number.set !== undefined || args.given.has('reset')) {
      const running = await runningCall(journal);
      if (running !== null) return invalid(running);
    }
    if (args.number.set !== undefined) journal.append({ fact: 'budget', calls: args.number.set, from: 'command' });
    if (args.given.has('reset')) journal.append({ fact: 'reset', used: 0, at_offset: journal.read().offset });
    const { ledger, offset } = journal.read();
    if (offset > 0) await refreshStats(journal, clock);
    const project = await readProject(rootOf(located.folder, process.cwd(), process.env));
    if (project.how === 'invalid') return invalid(project.message);
    const view = viewOf(located.folder, ledger, project.value.prices);
    return {
      exit: 0,
      out: args.given.has('json') ? `${JSON.stringify(view)}\n` : show(view, sheetOf(process.env)),
    };
  } catch (error) {
    if (error instanceof JournalError) return invalid(error.message);
    if (!isSystemError(error)) throw error;
    const why = `the state of ${located.folder.id} cannot be read or written (${error.message}); make ${located.folder.state} writable, with space on its disk`;
    return { exit: TOLLGATE_EXIT.failure, err: `tollgate budget: ${why}\n` };
  }
}

/** While a call runs, this change could not be distinguished from what its agent wrote. */
async function runningCall(journal: Journal): Promise<string | null> {
  const self = (await identify(process.pid))!;
  for (const { reserved } of openCalls(journal.read().ledger))
    if ((await isAlive(reserved.guardian, self)) !== 'dead')
      return `a call of stage ${reserved.stage} is running, and what is changed meanwhile would be taken for its agent's; wait for its end, or stop the run`;
  return null;
}

/** What `--json` prints. */
export interface BudgetObject {
  schema: 1;
  task_id: string;
  used: number;
  total: number;
  left: number;
  calls_by_stage: Record<string, number>;
  usage: TaskUsage;
}

function viewOf(task: TaskFolder, ledger: Ledger, prices: ProjectFile['prices']): BudgetObject {
  const total = budgetOf(ledger);
  const usage = usageOf(task, ledger, prices);
  const calls = Object.entries(usage.stages).map(([stage, used]) => [stage, used.calls] as const);
  return {
    schema: 1,
    task_id: task.id,
    used: ledger.used,
    total,
    left: Math.max(0, total - ledger.used),
    calls_by_stage: Object.fromEntries(calls),
    usage,
  };
}

function show(view: BudgetObject, sheet: Sheet): string {
  const { used, total, left, usage } = view;
  const sentence = `${used} of ${total} paid calls used, ${left} left`;
  const stages = Object.entries(usage.stages);
  if (sheet.width !== null) return showOnTerminal(view, sentence, sheet);
  const lines = [sentence];
  if (stages.length > 0)
    lines.push('Calls by stage, ever:', ...stages.map(([stage, of]) => `  ${stage}: ${usageLine(of)}`));
  if (stages.length > 1) lines.push(`  all: ${usageLine(usage.all)}`);
  return `${lines.join('\n')}\n`;
}

function showOnTerminal({ task_id, used, total, usage }: BudgetObject, sentence: string, sheet: Sheet): string {
  const { bold } = coloursOf(sheet.ink);
  const stages = Object.entries(usage.stages);
  const rows = [...stages, ...(stages.length > 1 ? [['all', usage.all] as const] : [])].map(([stage, of]) => [
    stage,
    String(of.calls),
    of.total_tokens === null ? 'unknown' : figure(of.total_tokens),
    of.usd === null ? 'unknown' : dollars(of.usd),
  ]);
  const unknown = unknownOf(usage.all);
  const below = unknown === '' ? [] : [`Unknown: ${unknown}`];
  const table =
    rows.length === 0 ? [] : ['', bold('Calls by stage, ever:'), ...tableLines(STAGES, rows, sheet), ...below];
  return `${[`${bold(task_id)}`, `${bar(used, total, sheet)}  ${sentence}`, ...table].join('\n')}\n`;
}

const STAGES: readonly Column[] = ['STAGE', 'CALLS', 'TOKENS', 'COST'].map((heading) => ({ heading }));

/** What its sums lack. */
const unknownOf = ({ unknown_calls: calls, unpriced_calls: unpriced }: UsedSoFar): string =>
  [
    ...(calls > 0 ? [`the tokens of ${counted(calls, 'call')}`] : []),
    ...(unpriced > 0 ? [`the cost of ${counted(unpriced, 'call')}`] : []),
  ].join(', ');

function usageLine(of: UsedSoFar): string {
  const { calls, unknown_calls, unpriced_calls, total_tokens, usd } = of;
  const parts = PARTS.flatMap(([word, figure]) => (of[figure] === null ? [] : [`${word} ${of[figure]}`]));
  return [
    counted(calls, 'call'),
    ...(total_tokens === null ? [] : [`${total_tokens} tokens${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`]),
    ...(usd === null ? [] : [`${dollars(usd)}${unpriced_calls === 0 ? '' : ` (${unpriced_calls} without a price)`}`]),
    ...(unknown_calls === 0 ? [] : [`tokens of ${unknown_calls} unknown`]),
  ].join(', ');
}

const PARTS = [
  ['input', 'input_tokens'],
  ['cached', 'cached_tokens'],
  ['output', 'output_tokens'],
] as const satisfies readonly (readonly [string, keyof UsedSoFar])[];

const invalid = badInputOf('tollgate budget');
