// tollgate run: dispatches one task.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastEvent, type Underway } from '../../loops/run/last-event.ts';
import { type RunRequest, runTask } from '../../loops/run/run.ts';
import { durationAt } from '../../policies/duration.ts';
import { TOLLGATE_EXIT } from '../../policies/exit-codes.ts';
import { abortOn, type Ran, readArguments, type Stop, stopOnSignals } from '../command.ts';
import type { Arguments, CommandSpec } from '../command-line.ts';
import { printing } from '../printing.ts';
import { startProgress } from '../progress-line.ts';
import { answerTo, answerWithoutRun, surprise } from './run-answer.ts';

const SPEC: CommandSpec = {
  name: 'tollgate run',
  usage: 'TASK [options]',
  about:
    'Runs the stages of a task in order: reserves each paid call, retries what can succeed, and leaves one report.',
  flags: {
    'no-wait': { takes: 'nothing', about: 'refuse, instead of waiting, while another run has the task' },
    force: {
      takes: 'nothing',
      about: 'take the task, and its open calls, from a run on another host or in another container that is gone',
    },
    redo: { takes: 'texts', about: 'run this stage again though it is done (repeatable)' },
    keep: { takes: 'texts', about: 'keep this done stage though its prompt has changed (repeatable)' },
    'retry-dirty': {
      takes: 'nothing',
      about: 'begin anew even where an attempt ran tools and its session cannot be gone on with',
    },
    'dry-run': {
      takes: 'nothing',
      about: 'show each call that would be made: argv, prompt size and hash; pays nothing',
    },
    'wait-for-reset': {
      takes: 'text',
      about: 'wait for the reset of a usage limit, if it is no further than this (30m, 5h, 2d)',
    },
    restore: {
      takes: 'nothing',
      about: 'put back what a stage changed out of scope; what stood there is kept beside the attempt',
    },
    'trust-brief': { takes: 'nothing', about: 'let the gate run the verification commands that a brief proposes' },
    'trust-workspace': { takes: 'nothing', about: 'let the CLIs use the hooks and servers that the folder configures' },
    'exit-by-class': {
      takes: 'nothing',
      about: 'exit with 75 quota, 76 budget, 77 auth, 65 gate, 66 prompt too large',
    },
  },
  words: { min: 1, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate run fix-login', 'the task in .tmp/task/fix-login'],
    ['tollgate run ./tasks/fix-login --json', 'one object on stdout, for another program'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'every stage is done'],
    [TOLLGATE_EXIT.failure, 'a stage failed, or the budget is used up; _summary.md says which and what to do'],
    [TOLLGATE_EXIT.badInput, 'usage, or a mistake in the manifest or the state; nothing was paid'],
    ['130, 143', 'stopped by INT, TERM; run again to go on'],
    [70, 'a bug of ours'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'read') {
    const waitForResetMs = durationOf(read.args.text['wait-for-reset']);
    if (waitForResetMs === null) return badDuration(read.args);
    return runWord(read.args, waitForResetMs, stop).catch(surprise(read.args));
  }
  if (read.mistake === null || !argv.includes('--json')) return read.ran;
  return { ...read.ran, out: answerWithoutRun(null, 'refused', read.ran.exit, read.mistake) };
}

async function runWord(args: Arguments, waitForResetMs: number, stop: Stop): Promise<Ran> {
  const { texts, given, words } = args;
  const detail = given.has('quiet') ? 'problems' : 'all';
  let last = '';
  let underway: Underway | null = null;
  const doing = () => (underway === null ? null : lastEvent(underway));
  const progress = startProgress(
    printing('stderr'),
    detail,
    () => `tollgate: ${[last, doing()].filter(Boolean).join('; ')}`,
  );
  const say = (sentence: string) => {
    last = sentence;
    if (detail === 'all') progress.print(`tollgate: ${sentence}`);
  };
  const request: RunRequest = {
    word: words[0]!,
    cwd: process.cwd(),
    environment: process.env,
    // Beside this very file, however the command was found: npm puts a link to it elsewhere.
    commandFolder: path.dirname(fileURLToPath(import.meta.url)),
    whenTaken: given.has('force') ? 'force' : given.has('no-wait') ? 'refuse' : 'wait',
    redo: texts.redo ?? [],
    keep: texts.keep ?? [],
    dirtyRetries: given.has('retry-dirty') ? 'allowed' : 'never',
    trustWorkspace: given.has('trust-workspace'),
    stop: { signal: abortOn(stop), by: stop.by },
    clock: () => new Date(),
    random: Math.random,
    outOfScope: given.has('restore') ? 'restored' : 'reported',
    briefCommands: given.has('trust-brief') ? 'trusted' : 'proposed',
    waitForResetMs,
    say,
    watch: (now) => {
      underway = now;
    },
  };
  if (given.has('dry-run')) return foresee(request, given).finally(() => progress.stop());
  return answerTo(await runTask(request).finally(() => progress.stop()), args);
}

/** Milliseconds; 0 when nothing was said, null when it is no duration. */
function durationOf(text: string | undefined): number | null {
  if (text === undefined) return 0;
  return /^\d/.test(text) ? durationAt(text, 0) : null;
}

function badDuration({ text, given, words }: Arguments): Ran {
  const message = `--wait-for-reset takes a duration such as 30m, 5h or 2d, not "${text['wait-for-reset']}"`;
  const exit = TOLLGATE_EXIT.badInput;
  const out = given.has('json') ? { out: answerWithoutRun(words[0]!, 'refused', exit, message) } : {};
  return { exit, err: `tollgate run: ${message}\n`, ...out };
}

async function foresee(request: RunRequest, given: Arguments['given']): Promise<Ran> {
  const { foreseeTask, showForecast } = await import('../../loops/run/forecast.ts');
  const seen = await foreseeTask(request);
  if (seen.how === 'mistaken') {
    const exit = TOLLGATE_EXIT.badInput;
    const out = given.has('json') ? { out: answerWithoutRun(request.word, 'refused', exit, seen.message) } : {};
    return { exit, err: `tollgate run: ${seen.message}\n`, ...out };
  }
  return { exit: 0, out: given.has('json') ? `${JSON.stringify(seen.forecast)}\n` : showForecast(seen.forecast) };
}
