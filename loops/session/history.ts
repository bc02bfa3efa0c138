// Reads a conversation with its reverted turns, from its file and from the backups of our edits.

import path from 'node:path';
import type { ShownTurn } from '../../policies/session/conversation.ts';
import {
  isStanding,
  nextToBringBack,
  type ShownSlot,
  slotsOf,
  takenBack,
} from '../../policies/session/reverted-turns.ts';
import type { KnownEdit } from '../../policies/session/session-edits.ts';
import { sight } from '../../state/compare-and-swap-file.ts';
import { type EditsLedger, editsLedger, readEdits } from '../../state/sessions/edits-ledger.ts';
import {
  type Conversation,
  isSessionFileError,
  type SessionFile,
  type SessionStore,
} from '../../wrappers/sessions/store.ts';
import { lookAtInterruptedEdits } from './edit.ts';
import { nowOf } from './undo.ts';

export interface History {
  session: SessionFile;
  turns: ShownTurn[];
  /** The number of all turns, and the number of those that are reverted. */
  all: number;
  reverted: number;
  /** What `undo --redo N` brings back, the newest first. */
  redo: Redoable[];
  /** Sentences about what could not be read, or was interrupted. */
  notes: string[];
}

export interface Redoable {
  /** The number of the edit that reverted it. */
  n: number;
  /** The ISO time at which it was reverted. */
  at: string;
  /** The number of turns at that time, and the last prompt of them. */
  turns: number;
  last_prompt: string;
  /** The number of current turns that the redo would revert. */
  takes_back: number;
  /** Whether `--redo` without a number brings this one back. */
  next: boolean;
}

/** Throws SessionFileError. @param last the number of turns, counted from the end; null means all. */
export function readHistory(
  store: SessionStore,
  session: SessionFile,
  environment: NodeJS.ProcessEnv,
  last: number | null,
): History {
  const conversation = store.open(session);
  const ledger = editsLedger(session.tool, session.id, environment);
  const { edits, notes } = ledger === null ? { edits: [], notes: [] } : knownEdits(ledger, session);
  const slots = slotsOf(edits, conversation.turns);
  const wanted = last === null ? slots : slots.slice(startOf(slots, last));
  const place = { store, session, ledger, opened: new Map<number, Conversation | null>() };
  const { turns, lost } = readSlots(wanted, conversation, place);
  const gone =
    lost === 0 ? [] : [`${lost} reverted ${lost === 1 ? 'turn' : 'turns'} cannot be shown: the backup is gone`];
  return {
    session,
    turns,
    all: slots.length,
    reverted: slots.filter((slot) => !isStanding(slot)).length,
    redo: redoable(edits, conversation, place),
    notes: [...notes, ...gone],
  };
}

function knownEdits(ledger: EditsLedger, session: SessionFile): { edits: KnownEdit[]; notes: string[] } {
  const read = readEdits(ledger);
  return read.how === 'invalid' ? { edits: [], notes: [read.why] } : lookAtInterruptedEdits(read.edits, session);
}

/** The rest of a turn does not count as a turn. */
function startOf(slots: readonly ShownSlot[], last: number): number {
  let remaining = last;
  let start = slots.length;
  while (start > 0 && remaining > 0) {
    start -= 1;
    if (slots[start]!.fromItem === null) remaining -= 1;
  }
  return start;
}

interface Place {
  store: SessionStore;
  session: SessionFile;
  ledger: EditsLedger | null;
  /** The opened backups, by the number of their edit. */
  opened: Map<number, Conversation | null>;
}

function redoable(edits: readonly KnownEdit[], conversation: Conversation, place: Place): Redoable[] {
  if (edits.length === 0) return [];
  const now = nowOf(edits, conversation);
  const next = nextToBringBack(edits, now)?.edit;
  const found = takenBack(edits, now).flatMap(({ edit, newTurns }): Redoable[] => {
    const backup = backupOf(edit, place);
    if (backup === null) return [];
    const { turns } = backup;
    const last_prompt = turns === 0 ? '' : backup.read(turns, turns)[0]!.prompt;
    return [{ n: edit.n, at: edit.at, turns, last_prompt, takes_back: newTurns, next: edit === next }];
  });
  return found.reverse();
}

/** Reads consecutive turns of one file at once. */
function readSlots(slots: readonly ShownSlot[], conversation: Conversation, place: Place) {
  const turns: ShownTurn[] = [];
  let lost = 0;
  for (let i = 0; i < slots.length; ) {
    const first = slots[i]!;
    let end = i + 1;
    while (end < slots.length && slots[end]!.in === first.in && slots[end]!.turn === first.turn + end - i) end += 1;
    const source = first.in === 'file' ? conversation : backupOf(first.in, place);
    if (source === null) lost += end - i;
    else {
      const read = source.read(first.turn, Math.min(source.turns, first.turn + end - i - 1));
      turns.push(...read.flatMap((turn, k) => shown(turn, slots[i + k]!)));
    }
    i = end;
  }
  return { turns, lost };
}

function shown(turn: ReturnType<Conversation['read']>[number], { in: where, fromItem }: ShownSlot): ShownTurn[] {
  const state = where === 'file' ? 'active' : 'reverted';
  if (fromItem === null) return [{ ...turn, state, part: 'whole' }];
  const items = turn.items.slice(fromItem);
  return items.length === 0 ? [] : [{ ...turn, items, state, part: 'rest' }];
}

function backupOf(edit: KnownEdit, place: Place): Conversation | null {
  const { opened } = place;
  if (!opened.has(edit.n)) opened.set(edit.n, openBackup(edit, place));
  return opened.get(edit.n)!;
}

/** @returns null for a backup that is gone, or that is not the copy that we made. */
function openBackup({ backup, isKept }: KnownEdit, { store, session, ledger }: Place): Conversation | null {
  if (backup === null || !isKept || ledger === null) return null;
  const seen = sight(path.join(ledger.folder, backup));
  if (seen === null) return null;
  try {
    return store.open({ ...session, file: seen.file, bytes: seen.bytes, changedAtMs: seen.changedAtMs });
  } catch (error) {
    if (isSessionFileError(error)) return null;
    throw error;
  }
}
