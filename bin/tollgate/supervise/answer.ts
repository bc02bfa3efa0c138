// Implements tollgate answer: passes a user's message to a supervised task, which continues if it waits for it.

import { leaveAnswer } from '../../../loops/supervise/find-supervised.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { Arguments, CommandSpec } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { surprise } from '../run-answer.ts';
import { superviseWord } from './supervise.ts';
import { SUPERVISE_EXITS, SUPERVISE_FLAGS } from './supervise-flags.ts';

const SPEC: CommandSpec = {
  name: 'tollgate answer',
  usage: 'TASK TEXT [options]',
  about:
    'Sends a text to the reasoner of a supervised task, which reads it at its next iteration, also while the task runs. A task that waits for an answer continues at once.',
  flags: {
    later: { takes: 'nothing', about: 'keep it for the next run, and start none' },
    ...SUPERVISE_FLAGS,
  },
  common: ['later', 'deadline', 'no-wait', 'accept-changes', 'wait-for-reset', 'trust-workspace'],
  words: { min: 2, max: 2, called: 'TASK (an id, or a path with a /) and TEXT (one word: put it in quotes)' },
  examples: [
    ['tollgate answer fix-login "Keep the old flag."', 'answers its question, and continues'],
    ['tollgate answer fix-login "Leave the CSS alone." --later', 'a note for the next run'],
  ],
  exits: SUPERVISE_EXITS,
};

export async function run(argv: readonly string[]): Promise<Ran> {
  const stop = stopOnSignals();
  const read = await readArguments(SPEC, argv, TOLLGATE_EXIT.badInput);
  return read.how === 'read' ? answered(read.args, stop).catch(surprise(read.args, 'answer')) : read.ran;
}

async function answered(args: Arguments, stop: AbortSignal): Promise<Ran> {
  const [word, text] = args.words as [string, string];
  const left = await leaveAnswer(word, text, process.cwd(), process.env);
  if (left.how === 'invalid') return invalid(left.message);
  const { task, note, state, isUnread } = left;
  if (state === 'waiting' && !args.given.has('later')) {
    return superviseWord(word, args, stop, { command: 'answer', isUnread });
  }
  const message = left.message(`${word}${args.given.has('trust-workspace') ? ' --trust-workspace' : ''}`);
  return args.given.has('json')
    ? { exit: 0, out: `${JSON.stringify({ schema: 1, task_id: task.id, note, state, message })}\n` }
    : { exit: 0, out: `${message}\n` };
}

const invalid = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate answer: ${message}\n` });
