// What each way of taking something back would change, as a plan that a dry run can tell.

import type { Item } from '../../policies/session/conversation.ts';
import type { KeptEdit } from '../../policies/session/session-edits.ts';
import type { Conversation, Edit } from '../../wrappers/sessions/store.ts';

type Plan =
  | { how: 'planned'; what: 'rolled_back' | 'cleared' | 'undone'; edit: Edit; keeps: KeptEdit }
  | { how: 'planned'; what: 'mended'; edit: Edit }
  /** `why` is a whole sentence. */
  | { how: 'nothing'; why: string };

type UndoPlan = (Plan & { how: 'planned'; what: 'undone'; turn: number }) | (Plan & { how: 'nothing' });

const EMPTY: Plan & { how: 'nothing' } = { how: 'nothing', why: 'The conversation has no turn yet.' };

/** The last answer goes, and what was asked after it; its prompt stays. So a second undo goes back another turn. */
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

/** The last turn of which the model made something. */
function lastAnswered(conversation: Conversation): number | null {
  for (let to = conversation.turns; to > 0; to -= LOOK_TURNS) {
    const from = Math.max(1, to - LOOK_TURNS + 1);
    const found = conversation.read(from, to).findLast(({ items }) => items.some(({ how }) => how !== 'noted'));
    if (found !== undefined) return found.number;
  }
  return null;
}

const LOOK_TURNS = 20;

/** The last turn goes, its prompt too. */
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

/** What is wrong goes; where nothing is, the last step alone. @param cliVersion null is unknown. */
export function planClear(conversation: Conversation, cliVersion: string | null): Plan {
  const { turns } = conversation;
  const flaws = conversation.flaws(cliVersion) ?? [];
  if (flaws.length > 0) return { how: 'planned', what: 'mended', edit: conversation.mend(flaws) };
  if (turns === 0) return EMPTY;
  const [last] = conversation.read(turns, turns);
  const kept = beforeLastStep(last!.items);
  // Notes alone are no step of the model's: the prompt goes with them.
  const items = last!.items.every(({ how }) => how === 'noted') ? null : kept;
  return { how: 'planned', what: 'cleared', edit: conversation.withoutLastStep(), keeps: { turns: turns - 1, items } };
}

/** From its end: what was noted, the responses, their calls, and what the model thought and said before it called. */
function beforeLastStep(items: readonly Item[]): number {
  let at = items.length;
  for (const kinds of STEP) while (at > 0 && kinds.includes(items[at - 1]!.how)) at -= 1;
  return at;
}

const STEP: readonly (readonly Item['how'][])[] = [['noted'], ['responded', 'noted'], ['called'], ['said', 'thought']];
