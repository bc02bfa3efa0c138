// Plans what each way to revert turns would change, so that a dry run can report it, and brings back what was reverted.

import path from 'node:path';
import type { Item } from '../../policies/session/conversation.ts';
import {
  foldSlots,
  isStanding,
  nextToBringBack,
  type TakenBack,
  takenBack,
  takenBackBy,
} from '../../policies/session/reverted-turns.ts';
import type { KeptEdit, KnownEdit } from '../../policies/session/session-edits.ts';
import { hashesOf, sight } from '../../state/compare-and-swap-file.ts';
import { editsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';
import type { Conversation, Edit, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { changeSession, type Edited, type Holder, keptFields, lookAtInterruptedEdits } from './edit.ts';

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

/** Removes what is wrong; if nothing is, only the last step. @param cliVersion null is unknown. */
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

type RedoPlan =
  | { how: 'planned'; taken: TakenBack; backup: string; conversation: Conversation }
  /** `why` is a full sentence. */
  | { how: 'nothing'; why: string };

/** Writes nothing. Throws SessionFileError. @param n the edit to revert; null: the last that can be brought back. */
export function planRedo(
  store: SessionStore,
  session: SessionFile,
  environment: NodeJS.ProcessEnv,
  n: number | null,
): RedoPlan {
  const ledger = editsLedger(session.tool, session.id, environment);
  const read = ledger === null ? null : readEdits(ledger);
  if (ledger === null || read === null) return nothing('There is nothing to bring back: the user has no home.');
  if (read.how === 'invalid') return nothing(`${read.why}.`);
  const { edits } = lookAtInterruptedEdits(read.edits, session);
  const conversation = store.open(session);
  const now = nowOf(edits, conversation);
  const taken = (n === null ? nextToBringBack(edits, now) : takenBackBy(edits, now, n)) ?? null;
  if (taken === null) return nothing(n === null ? NOTHING : noSuch(n, takenBack(edits, now)));
  const { edit } = taken;
  if (edit.backup === null || !edit.isKept) return nothing('What was taken back is gone: its backup was deleted.');
  const backup = path.join(ledger.folder, edit.backup);
  if (!isVersion(backup, edit.before))
    return nothing(`The backup ${backup} is not what it was, and is not safe to continue from.`);
  return { how: 'planned', taken, backup, conversation };
}

/** Restores the exact bytes of the edit's backup. The redo reverts the new turns of the plan, and these can be brought back later. */
export function redo(
  { taken, backup, conversation }: RedoPlan & { how: 'planned' },
  { environment, clock, holder }: { environment: NodeJS.ProcessEnv; clock: () => Date; holder: Holder },
): Edited {
  const { edit, newTurns, kept } = taken;
  const { turns, session } = conversation;
  const keeps = newTurns > 0 ? { turns: kept, items: null } : { turns: edit.kept_turns, items: edit.kept_items };
  return changeSession({
    session,
    change: { how: 'restore', from: backup, bytes: edit.before.bytes },
    after: edit.before,
    entry: { what: 'redone', of: edit.n, turns, ...keptFields(keeps), reverted_turns: newTurns },
    environment,
    clock,
    holder,
  });
}

/** Returns the current state, as far as the edits alone do not show it. */
export function nowOf(edits: readonly KnownEdit[], conversation: Conversation): Parameters<typeof nextToBringBack>[1] {
  const { turns } = conversation;
  const last = foldSlots(edits, { turns, reanswered: false }).slots.findLast(isStanding);
  if (last === undefined || last.toItem === null || last.turn !== turns) return { turns, reanswered: false };
  const items = conversation.read(turns, turns)[0]?.items ?? [];
  return { turns, reanswered: items.filter(({ how }) => how !== 'noted').length > last.toItem };
}

const NOTHING = 'There is nothing to bring back: nothing is taken back in this conversation.';

function noSuch(n: number, others: readonly TakenBack[]): string {
  if (others.length === 0) return NOTHING;
  const numbers = others.map(({ edit }) => edit.n).join(', ');
  return `There is nothing to bring back under the number ${n}; tollgate history shows what there is: ${numbers}.`;
}

function isVersion(file: string, { bytes, sha256 }: { bytes: number; sha256: string }): boolean {
  return sight(file)?.bytes === bytes && hashesOf(file, [bytes])[0] === sha256;
}

const nothing = (why: string): RedoPlan => ({ how: 'nothing', why });
