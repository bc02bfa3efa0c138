// Plans what each way to revert would change, so that a dry run can report it.

import type { Item } from '../../policies/session/conversation.ts';
import type { KeptEdit } from '../../policies/session/session-edits.ts';
import type { Conversation, Edit } from '../../wrappers/sessions/store.ts';

type Plan =
  | { how: 'planned'; what: 'rolled_back' | 'cleared' | 'undone'; edit: Edit; keeps: KeptEdit }
  | { how: 'planned'; what: 'mended'; edit: Edit }
  /** `why` is a full sentence. */
  | { how: 'nothing'; why: string };

type UndoPlan = (Plan & { how: 'planned'; what: 'undone'; turn: number }) | (Plan & { how: 'nothing' });

const EMPTY: Plan & { how: 'nothing' } = { how: 'nothing', why: 'The conversation has no turn yet.' };

/** Removes the last answer and everything after it, but keeps its prompt. So a second undo reverts one more turn. */
export function planUndo(conversation: Conversation): UndoPlan {
  if (conversation.turns === 0) return EMPTY;
  const turn = lastAnswered(conversation);
  if (turn === null) return { how: 'nothing', why: 'No prompt of it has an answer: there is nothing to take back.' };
  return {
    how: 'planned',
    what: 'undone',
    turn,
    edit: conversation.afterPrompt(turn),
    keeps: { turns: turn - 1, items: 0 },
  };
}

/** Returns the last turn in which the model produced something. */
function lastAnswered(conversation: Conversation): number | null {
  for (let to = conversation.turns; to > 0; to -= LOOK_TURNS) {
    const from = Math.max(1, to - LOOK_TURNS + 1);
    const found = conversation.read(from, to).findLast(({ items }) => items.some(({ how }) => how !== 'noted'));
    if (found !== undefined) return found.number;
  }
  return null;
}

const LOOK_TURNS = 20;

/** Removes the last turn with its prompt. */
export function planRollback(conversation: Conversation): Plan {
  const { turns } = conversation;
  if (turns === 0) return EMPTY;
  return {
    how: 'planned',
    what: 'rolled_back',
    edit: conversation.before(turns),
    keeps: { turns: turns - 1, items: null },
  };
}

/**
 * Removes what is wrong; if nothing is, only the last step.
 * @param cliVersion null is unknown.
 */
export function planClear(conversation: Conversation, cliVersion: string | null): Plan {
  const { turns } = conversation;
  const flaws = conversation.flaws(cliVersion) ?? [];
  if (flaws.length > 0) return { how: 'planned', what: 'mended', edit: conversation.repair(flaws) };
  if (turns === 0) return EMPTY;
  const [last] = conversation.read(turns, turns);
  const kept = beforeLastStep(last!.items);
  // Notes alone are not a step of the model, so the prompt is removed with them.
  const items = last!.items.every(({ how }) => how === 'noted') ? null : kept;
  return { how: 'planned', what: 'cleared', edit: conversation.withoutLastStep(), keeps: { turns: turns - 1, items } };
}

/** Counts from the end: notes, responses, their calls, and the model's thoughts and text before the calls. */
function beforeLastStep(items: readonly Item[]): number {
  let at = items.length;
  for (const kinds of STEP) while (at > 0 && kinds.includes(items[at - 1]!.how)) at -= 1;
  return at;
}

const STEP: readonly (readonly Item['how'][])[] = [['noted'], ['responded', 'noted'], ['called'], ['said', 'thought']];
