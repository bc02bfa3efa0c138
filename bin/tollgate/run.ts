// Implements tollgate run: dispatches one task.

import { foreseeTask, showForecast } from '../../loops/run/forecast.ts';
import type { RanTask as TaskRan } from '../../loops/run/owned-run.ts';
import type { RunReport } from '../../loops/run/report.ts';
import { runTask } from '../../loops/run/run.ts';
import type { RunRequest } from '../../loops/task/run-context.ts';
import { RUN_FLAGS } from '../../loops/task/run-options.ts';
import type { ErrorClass } from '../../policies/facts/classes.ts';
import { TOLLGATE_EXIT } from '../../policies/facts/exit-codes.ts';
import { isSystemError } from '../../state/system-error.ts';
import { adapterOf } from '../../wrappers/adapters.ts';
import { readArguments, stopOnSignals } from '../command.ts';
import type { Arguments, CommandSpec } from '../command-line.ts';
import { printing } from '../printing.ts';
import type { Ran } from '../ran.ts';
import { publishInCi, withComment } from './ci/publish.ts';
import { ciSystem, startCiReporting, startReporting } from './reporting.ts';
import { answerTo, answerWithoutRun, surprise } from './run-answer.ts';
import { contextOf, DEADLINE_FLAG, deadlineOf, optionsOf } from './run-flags.ts';

const SPEC: CommandSpec = {
  name: 'tollgate run',
  usage: 'TASK [options]',
  about:
    'Runs the stages of a task in order. It reserves each paid call, retries what can succeed, checks each answer, and writes one report.',
  flags: {
    'dry-run': {
      takes: 'nothing',
      about: 'show each call that would be made: arguments, prompt size and hash; pays nothing',
    },
    'show-prompt': { takes: 'nothing', about: 'with --dry-run: show each prompt too, as it would be sent' },
    ...RUN_FLAGS,
    'no-menu': {
      takes: 'nothing',
      about: 'on a terminal: do not prompt for the repair of a conversation that the service refuses',
    },
    ci: {
      takes: 'nothing',
      about:
        'print progress for a CI log: in a folded group, with a line after each 30 s of silence (the default if GITHUB_ACTIONS or GITLAB_CI is set)',
    },
    'no-ci': {
      takes: 'nothing',
      about: 'print progress as on any machine, and write nothing for later steps of a job',
    },
    deadline: DEADLINE_FLAG,
    comment: {
      takes: 'text',
      about:
        'write the text of a comment for a pull or merge request to this file; mentions, commands and HTML in it have no effect',
    },
    'exit-by-class': {
      takes: 'nothing',
      about: 'exit with 75 quota, 76 budget, 77 auth, 65 gate, 66 prompt too large',
    },
  },
  common: ['dry-run', 'redo', 'recheck', 'keep', 'accept-changes', 'wait-for-reset', 'deadline', 'trust-workspace'],
  words: { min: 1, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate run fix-login', 'the task in .tmp/task/fix-login'],
    ['tollgate run ./tasks/fix-login --json', 'one object on stdout, for another program'],
    ['tollgate run fix-login --dry-run', 'which prompts would be sent to which CLI; pays nothing'],
    ['tollgate run fix-login --dry-run --show-prompt', 'each prompt too, whole'],
    ['tollgate run fix-login --wait-for-reset 6h', 'sit out a usage limit'],
    ['tollgate run fix-login --deadline 50m', 'end before the job does; the next one continues'],
  ],
  exits: [
    [TOLLGATE_EXIT.ok, 'every stage is done'],
    [TOLLGATE_EXIT.failure, 'a stage failed, or the budget is used up; _summary.md says which and what to do'],
    [
      TOLLGATE_EXIT.badInput,
      'usage, or a mistake in the manifest or the state; or a done stage whose prompt has changed',
    ],
    ['130, 143', 'stopped by INT, TERM; run again to continue'],
    [70, 'an internal error'],
  ],
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'read') return runWord(read.args, stop).catch(surprise(read.args));
  if (read.mistake === null || !argv.includes('--json')) return read.ran;
  return { ...read.ran, out: answerWithoutRun(null, 'refused', read.ran.exit, read.mistake) };
}

async function runWord(args: Arguments, stop: AbortSignal): Promise<Ran> {
  const options = optionsOf(args);
  if (typeof options === 'string') return answerTo({ how: 'invalid', message: options }, args);
  if (args.given.has('show-prompt') && !args.given.has('dry-run'))
    return answerTo({ how: 'invalid', message: '--show-prompt needs --dry-run' }, args);
  if (args.given.has('recheck') && args.given.has('dry-run'))
    return answerTo(
      { how: 'invalid', message: '--recheck pays for nothing, so there is nothing for --dry-run to show' },
      args,
    );
  const deadline = deadlineOf(args.text.deadline, stop);
  if (typeof deadline === 'string') return answerTo({ how: 'invalid', message: deadline }, args);
  const system = args.given.has('dry-run') ? null : ciSystem(args.given, process.env);
  const { progress, reporter } = system === null ? startReporting(args) : startCiReporting(args, system);
  const request = { word: args.words[0]!, options, context: contextOf(deadline.stop, reporter) };
  const stopTelling = () => {
    deadline.close();
    progress.stop();
  };
  if (args.given.has('dry-run')) return foresee(request, args).finally(stopTelling);
  // The moving line must end before a menu is shown.
  const ran = await runTask(request).finally(stopTelling);
  const answer = system === null ? await answered(ran, args) : publishInCi(system, ran, answerTo(ran, args), args);
  return withComment(args.text.comment, ran, answer);
}

/** If the service still refuses a conversation, offers the menu of tollgate recover to the user at the terminal. */
async function answered(ran: TaskRan, args: Arguments): Promise<Ran> {
  const answer = answerTo(ran, args);
  if (ran.how !== 'ran' || args.given.has('json') || args.given.has('no-menu')) return answer;
  if (process.stdin.isTTY !== true || printing('stderr').isTTY !== true) return answer;
  const refused = await refusedSession(ran.report);
  if (refused === null) return answer;
  const { run: recover } = await import('./sessions/recover.ts');
  const message = ran.report.failure?.evidence?.text ?? null;
  const recovered = await recover([refused.id, `--tool=${refused.tool}`], message);
  return {
    ...answer,
    out: `${answer.out ?? ''}${recovered.out ?? ''}`,
    err: `${answer.err ?? ''}${recovered.err ?? ''}`,
  };
}

async function foresee(request: RunRequest, args: Arguments): Promise<Ran> {
  const seen = await foreseeTask(request, args.given.has('show-prompt') ? 'shown' : 'sized');
  if (seen.how !== 'done') return answerTo(seen, args);
  const { forecast } = seen;
  if (args.given.has('json')) return { exit: 0, out: `${JSON.stringify(forecast)}\n` };
  // A prompt is shown as it would be sent.
  const out = showForecast(forecast);
  return args.given.has('show-prompt') ? { exit: 0, out } : { exit: 0, out, isPage: true };
}

const BAD_REQUEST = 400;

/** These failures concern an account, and no change of the conversation fixes them. */
const OF_ACCOUNTS: ReadonlySet<ErrorClass> = new Set(['auth', 'quota']);

/** @returns null also if the CLI has no file of the session: then the user has nothing to choose from. */
async function refusedSession({ failure, stages }: RunReport) {
  if (failure === null || failure.tool === null || OF_ACCOUNTS.has(failure.class)) return null;
  if (failure.reason !== 'broken_history' && failure.http_status !== BAD_REQUEST) return null;
  const { stage, tool } = failure;
  const id = stages.find((each) => each.stage === stage)?.session_id ?? null;
  if (id === null) return null;
  const store = await adapterOf(tool).sessions();
  try {
    const session = await store.find(id, { environment: process.env, cwd: process.cwd() });
    return session && { id, tool };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return null;
  }
}
