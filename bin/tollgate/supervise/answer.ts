// Implements tollgate answer: passes a user's message to a supervised task, which continues if it waits for it.

import { hearing } from '../../../loops/supervise/find-supervised.ts';
import { TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { leaveNote, MAX_NOTE_BYTES, notesLeft } from '../../../state/supervise/texts.ts';
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
  const refusal = textMistake(text);
  if (refusal !== null) return invalid(refusal);
  const target = await hearing(word, process.cwd(), process.env);
  if (target.how === 'invalid') return invalid(target.message);
  const { task, notes } = target;
  const note = await leaveNote(notes, text, new Date());
  const state = await target.state();
  // This command may wait for a run that is about to end. That run may end without having read the note.
  const isUnread = () => notesLeft(notes).some((pending) => pending.note === note);
  if (state === 'waiting' && !args.given.has('later')) {
    return superviseWord(word, args, stop, { command: 'answer', isUnread });
  }
  const message = MESSAGES[state](`${word}${args.given.has('trust-workspace') ? ' --trust-workspace' : ''}`);
  return args.given.has('json')
    ? { exit: 0, out: `${JSON.stringify({ schema: 1, task_id: task.id, note, state, message })}\n` }
    : { exit: 0, out: `${message}\n` };
}

const MESSAGES = {
  running: () => 'Noted: the reasoner hears it at its next iteration; where the run ends before, in the next run.',
  waiting: (words: string) => `Noted. To continue: tollgate supervise ${words}`,
  at_rest: (words: string) => `Noted for the next run: tollgate supervise ${words}`,
  done: (words: string) =>
    `Noted; but the task is done, so the note is read only after a new start: tollgate supervise ${words} --anew`,
} as const;

function textMistake(text: string): string | null {
  if (text.trim() === '') return 'there is no text in the answer; say something';
  if (text.includes('\0')) return 'the text holds a NUL character';
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_NOTE_BYTES ? `the text has ${bytes} bytes; at most ${MAX_NOTE_BYTES} are taken` : null;
}

const invalid = (message: string): Ran => ({ exit: TOLLGATE_EXIT.badInput, err: `tollgate answer: ${message}\n` });
