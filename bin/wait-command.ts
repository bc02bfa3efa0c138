// Implements wait_parallel_tasks: waits for the named calls and tasks, and prints a line as each settles.

import { statSync } from 'node:fs';
import path from 'node:path';
import { readLiving } from '../loops/batch/living-processes.ts';
import { awaitCall, type NamedCall } from '../loops/batch/named-call.ts';
import { type SettledWait, waitForAll } from '../loops/batch/wait.ts';
import { type Awaited, describe, STATUS, type WaitOutcome, type WaitStatus } from '../loops/batch/wait-outcome.ts';
import { awaitTask } from '../loops/batch/wait-run.ts';
import { stopExit, WAIT_EXIT } from '../policies/facts/exit-codes.ts';
import { counted, shellWord } from '../policies/text/display.ts';
import { locateTask } from '../state/task-folder.ts';
import { identify } from '../wrappers/processes/identity.ts';
import { readArguments, stopOnSignals } from './command.ts';
import type { Arguments, CommandSpec } from './command-line.ts';
import { printing } from './printing.ts';
import { startProgress } from './progress-line.ts';
import type { Ran } from './ran.ts';

const FAMILY = /^task-(\d{1,9})-(done|pid|out|label)$/;

const FAMILIES = [
  {
    match: /^task-\d{1,9}-done$/,
    shown: '--task-N-done',
    about: 'the marker that a wrapper writes last (--done-marker)',
  },
  {
    match: /^task-\d{1,9}-pid$/,
    shown: '--task-N-pid',
    about: 'the process of the call: a number, or the file of --pid-file',
  },
  { match: /^task-\d{1,9}-out$/, shown: '--task-N-out', about: 'the answer of the call, for --min-lines' },
  { match: /^task-\d{1,9}-label$/, shown: '--task-N-label', about: 'the name of the call in the output' },
] as const;

/** setTimeout accepts no more than this: 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const WAIT_SPEC = {
  name: 'wait_parallel_tasks',
  usage: '[TASK…] [--task-1-done FILE] [--task-1-pid FILE|PID] [--task-1-out FILE] … [--timeout-ms N]',
  about:
    'Waits for tasks, and prints a line as each ends. Also waits for calls of the wrappers, each named by its files.\n\nA call is done when its done marker exists. It has failed if the marker holds an exit code other than 0, or if its process ended without a marker. A marker counts only for the process that it names, so give the pid too: `$!` of the shell, or the file of --pid-file. A result from before the wait is reported as such.',
  flags: {
    'timeout-ms': {
      takes: 'number',
      max: MAX_TIMEOUT_MS,
      about: 'how long to wait for all of them',
      default: 3_600_000,
    },
    'min-lines': { takes: 'number', about: 'a call has failed if its --task-N-out has fewer lines', min: 1 },
    fresh: {
      takes: 'nothing',
      about: 'ignore done markers and results from before this wait: for a wait that starts before its calls',
    },
    'fail-fast': { takes: 'nothing', about: 'stop waiting at the first failure' },
    label: { takes: 'texts', about: 'a name for each task, in order (repeatable)' },
  },
  families: FAMILIES,
  words: { min: 0, max: Number.POSITIVE_INFINITY, called: 'TASK' },
  examples: [
    ['wait_parallel_tasks api docs --fail-fast', 'two tasks, until one fails'],
    ['wait_parallel_tasks --task-1-done a.done --task-1-pid $!', 'the wrapper that the shell has just started'],
    ['wait_parallel_tasks --task-1-done a.done --task-1-pid a.pid --task-2-done b.done', 'two wrappers'],
    ['wait_parallel_tasks --task-1-pid 4711 --timeout-ms 60000', 'any process, for a minute'],
  ],
  exits: [
    [WAIT_EXIT.ok, 'all are done'],
    [WAIT_EXIT.failure, 'a task failed, or the time was up'],
    [WAIT_EXIT.badInput, 'a flag is wrong, or no task is named, or one that does not exist'],
    ['130/143', 'stopped by INT or TERM'],
  ],
} as const satisfies CommandSpec;

export async function waitCommand(argv: readonly string[], name: string = WAIT_SPEC.name): Promise<Ran> {
  const stop = stopOnSignals();
  const examples = WAIT_SPEC.examples.map(([line, does]) => [line.replace(WAIT_SPEC.name, name), does] as const);
  const read = await readArguments({ ...WAIT_SPEC, name, examples }, argv, WAIT_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  const targets = await readTargets(args, process.cwd(), process.env);
  if (targets.how === 'invalid') return invalid(targets.message);

  const isTerminal = printing('stderr').isTTY === true;
  const detail = args.given.has('quiet') ? 'problems' : 'all';
  let remaining = targets.awaited.length;
  const progress = startProgress(
    printing('stderr'),
    detail,
    () => `waiting for ${remaining} of ${targets.awaited.length}`,
  );
  const settled = await waitForAll(targets.awaited, {
    timeoutMs: args.number['timeout-ms']!,
    onFailure: args.given.has('fail-fast') ? 'stop_waiting' : 'wait_on',
    stop,
    onSettled: ({ label, outcome }) => {
      remaining -= 1;
      const status = STATUS[outcome.how];
      if (status !== 'left' && (detail === 'all' || status !== 'done'))
        progress.print(isTerminal ? terminalLine(label, outcome) : `${label}: ${describe(outcome)}`);
    },
  });
  progress.stop();

  const ok = settled.every(({ outcome }) => STATUS[outcome.how] === 'done');
  return {
    exit: ok ? WAIT_EXIT.ok : stop.aborted ? stopExit(stop) : WAIT_EXIT.failure,
    ...(args.given.has('json') ? { out: `${JSON.stringify(reportOf(settled, ok), null, 2)}\n` } : {}),
    err: `${summarise(settled)}\n${isTerminal ? nextLine(settled.slice(-args.words.length), args) : ''}`,
  };
}

/** Ids that nobody types are omitted: `--json` prints them. */
const terminalLine = (label: string, outcome: WaitOutcome): string =>
  `${STATUS[outcome.how] === 'done' ? '✓' : '✗'} ${label}: ${describe(outcome, 'short')}`;

/** @param tasks those that were named as words. */
function nextLine(tasks: readonly SettledWait[], { words }: Arguments): string {
  const failed = words.find((_, i) => tasks[i] !== undefined && STATUS[tasks[i].outcome.how] === 'failed');
  return failed === undefined ? '' : `\nNext: \`tollgate explain ${shellWord(failed)}\` says what to do\n`;
}

const invalid = (message: string): Ran => ({
  exit: WAIT_EXIT.badInput,
  err: `${WAIT_SPEC.name}: ${message}\nMore: ${WAIT_SPEC.name} --help\n`,
});

/** What `--json` prints. */
export interface WaitReport extends Record<WaitStatus, number> {
  schema: 1;
  ok: boolean;
  tasks: {
    label: string;
    status: WaitStatus;
    exit_code: number | null;
    class: string | null;
    reason: string | null;
    message: string;
    lacks: readonly string[];
    earlier: boolean;
    waited_ms: number;
  }[];
}

function reportOf(settled: readonly SettledWait[], ok: boolean): WaitReport {
  return {
    schema: 1,
    ok,
    ...countByStatus(settled),
    tasks: settled.map(({ label, outcome, afterMs }) => ({
      label,
      status: STATUS[outcome.how],
      exit_code: outcome.how === 'failed' ? outcome.exitCode : outcome.how === 'done' ? 0 : null,
      class: outcome.how === 'failed' ? outcome.class : null,
      reason: outcome.how === 'failed' ? outcome.reason : outcome.how === 'done' ? null : outcome.how,
      message: describe(outcome),
      lacks: outcome.how === 'done' ? (outcome.lacks ?? []) : [],
      earlier: 'earlier' in outcome && outcome.earlier !== undefined,
      waited_ms: afterMs,
    })),
  };
}

function countByStatus(settled: readonly SettledWait[]): Record<WaitStatus, number> {
  const counts: Record<WaitStatus, number> = { done: 0, failed: 0, timed_out: 0, left: 0 };
  for (const { outcome } of settled) counts[STATUS[outcome.how]] += 1;
  return counts;
}

const NAMED = 10;

function summarise(settled: readonly SettledWait[]): string {
  const counts = countByStatus(settled);
  const parts = (Object.keys(counts) as WaitStatus[]).flatMap((status) => {
    if (counts[status] === 0) return [];
    const line = `${counts[status]} ${STATUS_WORDS[status]}`;
    if (status === 'done') return [line];
    const labels = settled.filter(({ outcome }) => STATUS[outcome.how] === status).map(({ label }) => label);
    const more = labels.length > NAMED ? `, and ${labels.length - NAMED} more` : '';
    return [`${line} (${labels.slice(0, NAMED).join(', ')}${more})`];
  });
  return `${counted(settled.length, 'task')}: ${parts.join(', ')}`;
}

const STATUS_WORDS = {
  done: 'done',
  failed: 'failed',
  timed_out: 'timed out',
  left: 'still waiting',
} as const satisfies Record<WaitStatus, string>;

type Targets = { how: 'read'; awaited: Awaited[] } | { how: 'invalid'; message: string };

const PARTS = ['done', 'pid', 'out', 'label'] as const;

type Part = (typeof PARTS)[number];

async function readTargets(args: Arguments, cwd: string, environment: NodeJS.ProcessEnv): Promise<Targets> {
  const calls = [...partsByNumber(args.text)].sort(([a], [b]) => a - b);
  const total = calls.length + args.words.length;
  if (total === 0) return mistake('no task is named: give --task-1-done FILE, --task-1-pid PID, or a task folder');
  const labels = args.texts.label ?? [];
  if (labels.length > total)
    return mistake(`--label is given ${labels.length} times, and there are fewer tasks: ${total}`);
  const minLines = args.number['min-lines'] ?? null;
  if (minLines !== null && !calls.some(([, parts]) => parts.out !== undefined))
    return mistake('--min-lines needs a --task-N-out to count the lines of');

  const earlier = args.given.has('fresh') ? 'never_counts' : 'counts';
  const living = readLiving();
  const awaited: Awaited[] = [];
  for (const [number, parts] of calls) {
    const call = callOf(number, parts, labels[awaited.length] ?? `task ${number}`, { minLines, earlier });
    if (typeof call === 'string') return mistake(call);
    awaited.push(awaitCall(call, living));
  }
  if (args.words.length === 0) return { how: 'read', awaited };

  const self = (await identify(process.pid))!;
  for (const word of args.words) {
    const folder = folderOf(word, cwd, environment);
    if (folder.how === 'invalid') return folder;
    awaited.push(awaitTask(folder.root, labels[awaited.length] ?? path.basename(folder.root), self, earlier, living));
  }
  return { how: 'read', awaited };
}

const mistake = (message: string) => ({ how: 'invalid', message }) as const;

function partsByNumber(text: Arguments['text']): Map<number, Partial<Record<Part, string>>> {
  const calls = new Map<number, Partial<Record<Part, string>>>();
  for (const [flag, value] of Object.entries(text)) {
    const family = FAMILY.exec(flag);
    if (family === null || value === undefined) continue;
    const number = Number(family[1]);
    const parts = calls.get(number) ?? {};
    parts[family[2] as Part] = value;
    calls.set(number, parts);
  }
  return calls;
}

function callOf(
  number: number,
  parts: Partial<Record<Part, string>>,
  name: string,
  { minLines, earlier }: { minLines: number | null; earlier: 'counts' | 'never_counts' },
): NamedCall | string {
  const { done, pid, out, label } = parts;
  const empty = PARTS.find((part) => parts[part] === '');
  if (empty !== undefined) return `--task-${number}-${empty} needs a value`;
  if (done === undefined && pid === undefined)
    return `task ${number} cannot be waited for: give --task-${number}-done or --task-${number}-pid`;
  const isNumber = pid !== undefined && /^-?\d+$/.test(pid);
  if (isNumber && !(Number(pid) > 0 && Number(pid) < 2 ** 31))
    return `--task-${number}-pid takes a process number from 1, or a file, not "${pid}"`;
  return {
    label: label ?? name,
    done: done ?? null,
    pid: pid === undefined ? null : isNumber ? { number: Number(pid) } : { file: pid },
    out: out ?? null,
    minLines,
    earlier,
  };
}

type FolderRead = { how: 'read'; root: string } | { how: 'invalid'; message: string };

/** No user should wait an hour for a word that means something else, or nothing. */
function folderOf(word: string, cwd: string, environment: NodeJS.ProcessEnv): FolderRead {
  const located = locateTask(word, cwd, environment);
  if (located.how === 'invalid') return located;
  const { root } = located.folder;
  const kind = kindOf(root);
  if (kind === 'file') return mistake(`${root} is a file, not a task's folder`);
  if (kind === 'nothing' && !word.includes('/') && kindOf(path.resolve(cwd, word)) === 'folder')
    return mistake(`"${word}" would be the task ${root}; for the folder here write ./${word}`);
  if (kind === 'nothing')
    return mistake(
      `there is no task at ${root}; name one that exists (tollgate report lists them), or make it (tollgate init)`,
    );
  return { how: 'read', root };
}

function kindOf(file: string): 'folder' | 'file' | 'nothing' {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'nothing' : found.isDirectory() ? 'folder' : 'file';
}
