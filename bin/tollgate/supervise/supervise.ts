// Implements tollgate supervise: a worker executes one instruction after another, and a reasoner chooses each.

import { findSupervised } from '../../../loops/supervise/find-supervised.ts';
import { superviseTask } from '../../../loops/supervise/supervise.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { Arguments, CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { startReporting } from '../reporting.ts';
import { answerTo, answerWithoutRun, surprise } from '../run-answer.ts';
import { contextOf, deadlineOf, optionsOf } from '../run-flags.ts';
import { SUPERVISE_EXITS, SUPERVISE_FLAGS, supervisingOf } from './supervise-flags.ts';

const SPEC: CommandSpec = {
  name: 'tollgate supervise',
  usage: 'TASK | --resume ID [options]',
  about:
    'Has a worker CLI execute one instruction after another. A reasoner CLI looks at the last result and gives the next instruction. A failure of the reasoner never reaches the worker: the same instruction remains, and the third failure in a row saves the session.',
  flags: {
    resume: {
      takes: 'text',
      about:
        'continue the task of this session (of the worker or the reasoner); the task may be saved, parked or killed',
    },
    anew: { takes: 'nothing', about: 'start from the beginning: earlier instructions and results are ignored' },
    ...SUPERVISE_FLAGS,
  },
  common: ['resume', 'anew', 'deadline', 'no-wait', 'accept-changes', 'wait-for-reset', 'trust-workspace'],
  words: { min: 0, max: 1, called: 'TASK (an id, or a path with a /)' },
  examples: [
    ['tollgate supervise fix-login', 'begins, or continues where it stopped'],
    ['tollgate supervise --resume 5f0c2d4e-8f5e-4b1c-9f0a-0f6f4f1d2c3b', 'the session that was saved'],
    ['tollgate supervise fix-login --accept-tree', 'continue though the tree has moved on'],
    ['tollgate answer fix-login "Keep the old flag."', 'answers the reasoner, or gives it information'],
  ],
  exits: SUPERVISE_EXITS,
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'read') return named(read.args, stop).catch(surprise(read.args, 'supervise'));
  if (read.mistake === null || !argv.includes('--json')) return read.ran;
  return { ...read.ran, out: answerWithoutRun(null, 'refused', read.ran.exit, read.mistake, 'supervise') };
}

async function named(args: Arguments, stop: AbortSignal): Promise<Ran> {
  const { resume } = args.text;
  const [word] = args.words;
  const invalid = (message: string) => answerTo({ how: 'invalid', message }, args, 'supervise');
  if ((word === undefined) === (resume === undefined))
    return invalid('name the task, or use --resume with the id of a saved session, one of them');
  if (word !== undefined) return superviseWord(word, args, stop, { command: 'supervise' });
  if (args.given.has('anew')) return invalid('--resume and --anew contradict each other; say one of them');
  const supervised = findSupervised(resume!, process.cwd(), process.env);
  if (supervised.how === 'invalid') return invalid(supervised.message);
  const { word: task, found } = supervised;
  return superviseWord(task, args, stop, { command: 'supervise', found });
}

interface SuperviseCall {
  command: 'supervise' | 'answer';
  /** A sentence that says how the task was found; null if the user named the task. */
  found?: string | null;
  /** Called after this command waited for another run: returns true if the task must still be continued. */
  isUnread?(): boolean;
}

export async function superviseWord(
  word: string,
  args: Arguments,
  stop: AbortSignal,
  { command, found = null, isUnread = () => false }: SuperviseCall,
): Promise<Ran> {
  const named = { ...args, words: [word] };
  const options = optionsOf(args, [word]);
  if (typeof options === 'string') return answerTo({ how: 'invalid', message: options }, named, command);
  const deadline = deadlineOf(args.text.deadline, stop);
  if (typeof deadline === 'string') return answerTo({ how: 'invalid', message: deadline }, named, command);
  const { progress, reporter } = startReporting(args);
  if (found !== null) reporter.say(found);
  const request = { word, options, context: contextOf(deadline.stop, reporter) };
  const ran = await superviseTask(request, { ...supervisingOf(args), isUnread }).finally(() => {
    deadline.close();
    progress.stop();
  });
  return answerTo(ran, named, command);
}
