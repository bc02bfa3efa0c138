// Implements tollgate undo: takes back the last answer of a conversation, or restores it.

import { type Edited, editSession } from '../../../loops/session/edit.ts';
import type { LocatedSession } from '../../../loops/session/locate.ts';
import { planRedo, planUndo, redo } from '../../../loops/session/undo.ts';
import { waitUntilIdle } from '../../../loops/session/wait-until-idle.ts';
import { stopExit, TOLLGATE_EXIT } from '../../../policies/facts/exit-codes.ts';
import { readArguments, stopOnSignals } from '../../command.ts';
import type { Arguments } from '../../command-line.ts';
import type { Ran } from '../../ran.ts';
import { answerOf, modeOf, UNDO, type Undoing, type UndoResult, undoMistake } from './undo-flags.ts';
import { sendInstead } from './undo-send.ts';
import { inUse, unreadable, waitingSay, whichSession } from './which-session.ts';

export async function run(argv: readonly string[]): Promise<Ran> {
  const read = await readArguments(UNDO, argv, TOLLGATE_EXIT.badInput);
  if (read.how === 'ended') return read.ran;
  const { args } = read;
  const mistake = undoMistake(args);
  if (mistake !== null) return refusal(mistake, TOLLGATE_EXIT.badInput);
  const which = await whichSession(args);
  if (which.how === 'invalid') return refusal(which.message, TOLLGATE_EXIT.badInput);
  try {
    return await onceFree(which, args);
  } catch (error) {
    return refusal(unreadable(error), TOLLGATE_EXIT.badInput);
  }
}

async function onceFree({ store, session, environment, feature }: LocatedSession, args: Arguments): Promise<Ran> {
  const lookup = { environment, cwd: process.cwd() };
  const target = { store, session, lookup, clock: () => new Date() };
  // Reads the file before the wait: an unreadable file is not worth a wait.
  store.open(session);
  const stop = stopOnSignals();
  const waiting = waitingSay('tollgate undo', args);
  if (args.given.has('dry-run')) return act({ store, session, environment, feature, args, stop });
  const freed = await waitUntilIdle(target, waiting.say, stop).finally(waiting.stop);
  if (freed.how === 'stopped') return refusal('stopped; nothing was changed', stopExit(stop));
  if (freed.how === 'refused') return refusal(inUse(session, freed.by), TOLLGATE_EXIT.failure);
  return act({ store, session: freed.session, environment, feature, args, stop }).finally(freed.release);
}

async function act(undoing: Undoing): Promise<Ran> {
  const mode = modeOf(undoing.args);
  if (mode === 'undo') return undo(undoing);
  if (mode === 'redo') return bringBack(undoing);
  return sendInstead(undoing, mode);
}

async function undo({ store, session, environment, feature, args }: Undoing): Promise<Ran> {
  const conversation = store.open(session);
  const plan = planUndo(conversation);
  if (plan.how === 'nothing') return refusal(`${plan.why}${WAYS_ON}`, TOLLGATE_EXIT.failure);
  const { turns } = conversation;
  const { turn } = plan;
  const [answered] = conversation.read(turn, turn);
  const result: UndoResult = {
    did: 'undone',
    session,
    reverted: turns - turn + 1,
    says: `the answer to turn ${turn} ("${answered!.prompt}") is taken back${AFTER(turns - turn)}; the prompt stays`,
  };
  if (args.given.has('dry-run'))
    return plan.edit.how === 'impossible' ? refusal(plan.edit.why, TOLLGATE_EXIT.failure) : answerOf(result, args);
  const holder = feature === null ? {} : { feature };
  const edited = await editSession({ ...plan, conversation, environment, clock, holder });
  return ended(edited, result, args);
}

/** The prompts after it, which have no answer. */
const AFTER = (turns: number): string => {
  if (turns === 0) return '';
  return turns === 1
    ? ', with the prompt after it, which has no answer'
    : `, with the ${turns} prompts after it, which have none`;
};

const WAYS_ON = ' --resend sends the prompt again, and tollgate recover goes back to before it.';

async function bringBack({ store, session, environment, feature, args }: Undoing): Promise<Ran> {
  const plan = planRedo(store, session, environment, args.number.redo ?? null);
  if (plan.how === 'nothing') return refusal(plan.why, TOLLGATE_EXIT.failure);
  const { newTurns, edit, inRow } = plan.taken;
  const since = `${newTurns} ${newTurns === 1 ? 'turn' : 'turns'}`;
  if (newTurns > 0 && !inRow && !args.given.has('force'))
    return refusal(
      `the conversation has continued: ${since} would be taken back for it; --force does so (nothing was changed)`,
      TOLLGATE_EXIT.failure,
    );
  const result: UndoResult = {
    did: 'redone',
    session,
    reverted: newTurns,
    says: `what was taken back at ${edit.at} is restored${newTurns === 0 ? '' : `; ${since} that came since then are taken back`}`,
  };
  if (args.given.has('dry-run')) return answerOf(result, args);
  const holder = feature === null ? {} : { feature };
  return ended(redo(plan, { environment, clock, holder }), result, args);
}

function ended(edited: Edited, result: UndoResult, args: Arguments): Ran {
  switch (edited.how) {
    case 'edited':
      return answerOf({ ...result, edit: edited.entry.n }, args);
    case 'unchanged':
      return refusal(`There is nothing to take back.${WAYS_ON}`, TOLLGATE_EXIT.failure);
    case 'refused':
      return refusal(edited.why, TOLLGATE_EXIT.failure);
  }
}

const clock = () => new Date();

const refusal = (message: string, exit: number): Ran => ({ exit, err: `tollgate undo: ${message}\n` });
