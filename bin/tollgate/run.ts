// tollgate run: dispatches one task.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTask, type Ran as TaskRan } from '../../loops/run/run.ts';
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
  if (read.how === 'read') return runWord(read.args, stop).then((ran) => answerTo(ran, read.args), surprise(read.args));
  if (read.mistake === null || !argv.includes('--json')) return read.ran;
  return { ...read.ran, out: answerWithoutRun(null, 'refused', read.ran.exit, read.mistake) };
}

async function runWord({ texts, given, words }: Arguments, stop: Stop): Promise<TaskRan> {
  const detail = given.has('quiet') ? 'problems' : 'all';
  let last = '';
  const progress = startProgress(printing('stderr'), detail, () => `tollgate: ${last}`);
  const say = (sentence: string) => {
    last = sentence;
    if (detail === 'all') progress.print(`tollgate: ${sentence}`);
  };
  return runTask({
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
    say,
  }).finally(() => progress.stop());
}
