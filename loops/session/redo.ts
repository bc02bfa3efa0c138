// Brings back what an edit reverted: the exact bytes of its backup.

import path from 'node:path';
import {
  foldSlots,
  isStanding,
  type Now,
  nextToBringBack,
  type TakenBack,
  takenBack,
  takenBackBy,
} from '../../policies/session/reverted-turns.ts';
import type { KnownEdit } from '../../policies/session/session-edits.ts';
import { hashesOf, sight } from '../../state/compare-and-swap-file.ts';
import { editsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';
import type { Conversation, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { changeSession, type Edited, type Holder, keptFields } from './edit.ts';
import { lookAtInterruptedEdits } from './interrupted-edits.ts';

type RedoPlan =
  | { how: 'planned'; taken: TakenBack; backup: string; conversation: Conversation }
  /** `why` is a full sentence. */
  | { how: 'nothing'; why: string };

/**
 * Writes nothing. Throws SessionFileError.
 * @param n the number of the edit to revert; null means the last one that can be brought back.
 */
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

/** The redo reverts the new turns of the plan, and these can be brought back later. */
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
export function nowOf(edits: readonly KnownEdit[], conversation: Conversation): Now {
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
