// Implements tollgate batch: dispatches many tasks at once on this machine, and shows their progress.

import { availableParallelism } from 'node:os';
import { runBatch } from '../../loops/batch/batch.ts';
import { type BatchReport, lacksOf, sentenceOf } from '../../loops/batch/report.ts';
import type { BatchProgress } from '../../loops/batch/request.ts';
import type { BatchRow } from '../../loops/batch/row.ts';
import { launcherIn } from '../../loops/launcher.ts';
import { RUN_FLAGS } from '../../loops/task/run-options.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { type NextAction, toType } from '../../policies/facts/next-action.ts';
import { readArguments, stopOnSignals, unexpected } from '../command.ts';
import type { Arguments, CommandSpec } from '../command-line.ts';
import { printing } from '../printing.ts';
import { startProgress } from '../progress-line.ts';
import type { Ran } from '../ran.ts';
import { coloursOf, type Sheet, sheetOf } from '../sheet.ts';
import { onSheet } from '../terminal-page.ts';
import { contextOf, flagsOf, optionsOf } from './run-flags.ts';
import { MARKS } from './run-page.ts';
import { readInput } from './triage/input.ts';

const MOST = 64;
const HERE = Math.min(MOST, availableParallelism());

const SPEC: CommandSpec = {
  name: 'tollgate batch',
  usage: 'TASK… [options]',
  about:
    'Runs many tasks at once, each like tollgate run. Checks all of them before it pays for one. Tools get equal shares, and stages that write to one tree take turns. Prints one report at the end.',
  flags: {
    concurrency: {
      takes: 'number',
      about: 'the number of paid calls at the same time',
      default: HERE,
      min: 1,
      max: MOST,
    },
    from: { takes: 'text', about: 'read more tasks from this file, one per line (-: stdin)' },
    'skip-bad': { takes: 'nothing', about: 'skip tasks that cannot be run, and run the others' },
    'fail-fast': {
      takes: 'nothing',
      about: 'start no further task once one has failed; running tasks continue to their end',
    },
    'max-minutes': { takes: 'number', about: 'after this time, end all runs, as INT would, and start no more', min: 1 },
    'exit-by-class': {
      takes: 'nothing',
      about: 'exit with the first of these that a task has: 77 auth, 76 budget, 75 quota, 66 prompt too large, 65 gate',
    },
    ...RUN_FLAGS,
  },
  common: [
    'concurrency',
    'from',
    'fail-fast',
    'max-minutes',
    'redo',
    'recheck',
    'wait-for-reset',
    'exit-by-class',
    'trust-workspace',
  ],
  words: { min: 0, max: Number.MAX_SAFE_INTEGER, called: 'TASK (ids, or paths with a /)' },
  examples: [
    ['tollgate batch fix-login fix-logout --concurrency 2', 'two tasks, two calls at once'],
    ['tollgate batch api docs --fail-fast --max-minutes 30 --exit-by-class', 'for a job in CI'],
    ['ls .tmp/task | tollgate batch --from - --json', 'all tasks of the project; one object on stdout'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'every task is done'],
    [TOLLGATE_EXIT.failure, 'some task is not (or the time was over); the report says which, and how to continue'],
    [TOLLGATE_EXIT.badInput, 'usage, or a mistake in a task; nothing was paid'],
    ['130, 143', 'stopped by INT, TERM; the same command continues'],
    [70, 'an internal error'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended')
    return read.mistake !== null && argv.includes('--json')
      ? { ...read.ran, out: refusal(read.mistake, help()) }
      : read.ran;
  const { args } = read;
  const words = wordsOf(args);
  if (words.how === 'invalid') return answerTo({ ...words, next_actions: help() }, args);
  return runWords(words.words, args, stop).then((ran) => answerTo(ran, args), unexpected);
}

function wordsOf({ text, words }: Arguments): { how: 'read'; words: string[] } | { how: 'invalid'; message: string } {
  const listed = text.from === undefined ? { how: 'read' as const, text: '' } : readInput(text.from);
  if (listed.how === 'invalid') return { how: 'invalid', message: `--from: ${listed.message}` };
  const lines = listed.text.split('\n').map((line) => line.trim());
  const all = [...words, ...lines.filter((line) => line !== '')];
  if (all.length === 0)
    return {
      how: 'invalid',
      message: `${SPEC.words.called} is missing${text.from === undefined ? '' : `, and ${text.from} names none`}`,
    };
  return { how: 'read', words: all };
}

async function runWords(words: readonly string[], args: Arguments, stop: AbortSignal): ReturnType<typeof runBatch> {
  const { number, given } = args;
  const options = optionsOf(args);
  if (typeof options === 'string') return { how: 'invalid', message: options, next_actions: help() };
  const progress = startBatchProgress(given.has('quiet') ? 'problems' : 'all');
  return runBatch({
    options,
    context: contextOf(stop, { say: progress.say, watch: () => {} }),
    words,
    concurrency: number.concurrency!,
    flags: [...ownFlagsOf(args), ...flagsOf(args)],
    badTasks: given.has('skip-bad') ? 'skip' : 'refuse',
    onFailure: given.has('fail-fast') ? 'stop' : 'go_on',
    maxMinutes: number['max-minutes'] ?? null,
    exitCode: given.has('exit-by-class') ? 'by_class' : 'plain',
    tell: progress.tell,
  }).finally(progress.stop);
}

/** The given flags, for a line that runs tasks again. It names tasks that were checked before, so it needs no --skip-bad. */
const ownFlagsOf = ({ number, given }: Arguments): string[] => [
  ...(given.has('fail-fast') ? ['--fail-fast'] : []),
  ...(number['max-minutes'] === undefined ? [] : [`--max-minutes ${number['max-minutes']}`]),
  ...(given.has('exit-by-class') ? ['--exit-by-class'] : []),
];

function answerTo(ran: Awaited<ReturnType<typeof runBatch>>, { given }: Arguments): Ran {
  if (ran.how === 'invalid') {
    const invalid = { exit: TOLLGATE_EXIT.badInput, err: `tollgate batch: ${ran.message}\n` };
    return given.has('json') ? { ...invalid, out: refusal(ran.message, ran.next_actions) } : invalid;
  }
  const exit = ran.report.exit_code;
  if (given.has('json')) return { exit, out: `${JSON.stringify(ran.report)}\n` };
  return { exit, out: batchPage(ran.report.state, ran.summary, sheetOf(process.env)) };
}

/** On a terminal, a mark and a colour show how it ended. */
function batchPage(state: BatchReport['state'], summary: string, sheet: Sheet): string {
  if (sheet.width === null) return summary;
  const [mark, paint] = MARKS[state];
  const colours = coloursOf(sheet.ink);
  const [title, ...rest] = summary.split('\n');
  const head = colours.bold(colours[paint](title!.replace(/^# Batch/, `${mark} Batch`)));
  return `${head}\n${onSheet(rest.join('\n'), sheet)}`;
}

const help = () => [toType('see how it is called', `${launcherIn(process.env)} batch --help`)];

const refusal = (message: string, next_actions: NextAction[]): string =>
  `${JSON.stringify({ schema: 1, state: 'refused', exit_code: TOLLGATE_EXIT.badInput, message, next_actions })}\n`;

interface BatchReporting {
  tell(progress: BatchProgress): void;
  /** A message about the whole batch, such as a failed notification of its end. */
  say(sentence: string): void;
  stop(): void;
}

export function startBatchProgress(detail: 'all' | 'problems'): BatchReporting {
  const stream = printing('stderr');
  let last: BatchProgress | null = null;
  const line = startProgress(stream, detail, () => (last === null ? 'starting' : movingLine(last)));
  return {
    tell(progress) {
      last = progress;
      const { row } = progress;
      // On a terminal, only problems get a line that remains.
      if (row !== null && detail === 'all' && (stream.isTTY !== true || row.state !== 'done'))
        line.print(`tollgate: ${endedLine(row, progress)}`);
    },
    say(sentence) {
      if (detail === 'all') line.print(`tollgate: ${sentence}`);
    },
    stop: () => line.stop(),
  };
}

function movingLine({ done, failed, active, total, calls, running }: BatchProgress): string {
  const calling = Object.values(running).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const tools = Object.entries(running).filter(([, count]) => count);
  const names = tools.map(([tool, count]) => (tools.length > 1 && count! > 1 ? `${count} ${tool}` : tool)).join(', ');
  const now = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(calling === 0 ? [] : [`${calling} running (${names})`]),
    ...(active > calling
      ? [`${active - calling} ${done + failed + calling === 0 ? 'starting' : 'between calls'}`]
      : []),
    ...(calls === 0 ? [] : [`${calls} paid ${calls === 1 ? 'call' : 'calls'} by ended tasks`]),
  ];
  return [`${done} of ${total} done`, ...now].join(', ');
}

function endedLine(row: BatchRow, { done, failed, total }: BatchProgress): string {
  const what = `${row.state.replace('_', ' ')}${row.failed_stage === null ? '' : ` at ${row.failed_stage}`}`;
  const [why] = sentenceOf(row)?.split('\n') ?? [];
  const said = why?.replace(/\.$/, '') ?? (row.state === 'done' ? lacksOf(row).join('; ') : '');
  return `${row.task_id}: ${what}${said === '' ? '' : `: ${said}`} [${done + failed} of ${total}]`;
}
