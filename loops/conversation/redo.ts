// Brings back what an edit took back: the very bytes that its backup holds.

import path from 'node:path';
import { type KnownEdit, standingEdits } from '../../policies/session-edits.ts';
import { editsLedger, readEdits } from '../../state/edits-ledger.ts';
import { hashesOf, sight } from '../../state/exact-file.ts';
import type { Conversation, SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import { lookAtCutOff } from './cut-off.ts';
import { changeSession, type Edited, type Holder, keptFields } from './edit.ts';

export type RedoPlan =
  | { how: 'planned'; target: KnownEdit; backup: string; conversation: Conversation; newTurns: number }
  /** `why` is a whole sentence. */
  | { how: 'nothing'; why: string };

/** Writes nothing. Throws SessionFileError. */
export function planRedo(store: SessionStore, session: SessionFile, environment: NodeJS.ProcessEnv): RedoPlan {
  const ledger = editsLedger(session.tool, session.id, environment);
  const read = ledger === null ? null : readEdits(ledger);
  if (ledger === null || read === null) return nothing('There is nothing to bring back: the user has no home.');
  if (read.how === 'mistaken') return nothing(`${read.why}.`);
  const target = standingEdits(lookAtCutOff(read.edits, session).edits).at(-1);
  if (target === undefined)
    return nothing('There is nothing to bring back: nothing is taken back in this conversation.');
  if (target.backup === null || !target.isKept) return nothing('What was taken back is gone: its backup was deleted.');
  const backup = path.join(ledger.folder, target.backup);
  if (!isVersion(backup, target.before))
    return nothing(`The backup ${backup} is not what it was, and nobody should go on from it.`);
  const conversation = store.open(session);
  const newTurns = isVersion(session.file, target.after) ? 0 : turnsSince(conversation, target);
  return { how: 'planned', target, backup, conversation, newTurns };
}

/** `newTurns` of the plan are taken back by it, and can be brought back in turn. */
export function redo(
  plan: RedoPlan & { how: 'planned' },
  { environment, clock, holder }: { environment: NodeJS.ProcessEnv; clock: () => Date; holder: Holder },
): Edited {
  const { target, backup, conversation, newTurns } = plan;
  const { turns, session } = conversation;
  const stood = standingAfter(target);
  const keeps = turns > stood ? { turns: stood, items: null } : { turns: target.kept_turns, items: target.kept_items };
  return changeSession({
    session,
    change: { how: 'restore', from: backup, bytes: target.before.bytes },
    after: target.before,
    entry: { what: 'redone', of: target.n, turns, ...keptFields(keeps), reverted_turns: newTurns },
    environment,
    clock,
    holder,
  });
}

/** How many turns stood when it was made, one of them perhaps without its answer. */
const standingAfter = ({ kept_turns, kept_items }: KnownEdit): number => kept_turns + (kept_items === null ? 0 : 1);

/** A last turn that got another answer counts as one. */
function turnsSince(conversation: Conversation, target: KnownEdit): number {
  const { turns } = conversation;
  const stood = standingAfter(target);
  if (turns !== stood || target.kept_items === null) return Math.max(0, turns - stood);
  const [last] = conversation.read(turns, turns);
  return last!.items.filter(({ how }) => how !== 'noted').length > target.kept_items ? 1 : 0;
}

function isVersion(file: string, { bytes, sha256 }: { bytes: number; sha256: string }): boolean {
  return sight(file)?.bytes === bytes && hashesOf(file, [bytes])[0] === sha256;
}

const nothing = (why: string): RedoPlan => ({ how: 'nothing', why });
