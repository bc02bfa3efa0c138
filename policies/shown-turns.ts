// Where each turn stands that a conversation ever had, as far as we took any back: those that stand, with the others between them.

import type { KnownEdit } from './session-edits.ts';

/** A turn, and where it is read: in the file as it is now, or in the backup of the edit that took it back. */
export interface Slot {
  turn: number;
  in: 'file' | KnownEdit;
  /** The first item that belongs here; its prompt does too where it is null. */
  fromItem: number | null;
}

/** @param edits in their order. @param turns how many stand now. */
export function slotsOf(edits: readonly KnownEdit[], turns: number): Slot[] {
  const before = new Map<number, Slot[]>();
  let slots: Slot[] = [];
  for (const edit of edits) {
    if (edit.state !== 'made' || edit.what === 'mended') continue;
    slots = grown(slots, edit.turns);
    before.set(edit.n, slots);
    const base = edit.what === 'redone' ? before.get(edit.of ?? 0) : undefined;
    slots = base === undefined ? slots.flatMap((slot) => takenBack(slot, edit)) : joined(base, slots, edit);
  }
  return grown(slots, turns);
}

/** With the turns that came since; its CLI may also have taken some back itself. */
function grown(slots: readonly Slot[], turns: number): Slot[] {
  const stand = slots.filter((slot) => slot.in !== 'file' || slot.turn <= turns);
  const last = stand.filter((slot) => slot.in === 'file').length;
  const fresh = Array.from({ length: Math.max(0, turns - last) }, (_, i) => standing(last + i + 1));
  return [...stand, ...fresh];
}

const standing = (turn: number): Slot => ({ turn, in: 'file', fromItem: null });

function takenBack(slot: Slot, edit: KnownEdit): Slot[] {
  if (slot.in !== 'file' || slot.turn <= edit.kept_turns) return [slot];
  if (slot.turn > edit.kept_turns + 1 || edit.kept_items === null) return [{ ...slot, in: edit }];
  return [slot, { ...slot, in: edit, fromItem: edit.kept_items }];
}

/** What stood before the edit that is brought back, with what came since then behind it, taken back. */
function joined(base: readonly Slot[], since: readonly Slot[], edit: KnownEdit): Slot[] {
  if (edit.reverted_turns === 0) return [...base];
  const known = new Set(base.map(keyOf));
  const later = since.flatMap((slot) => takenBack(slot, edit)).filter((slot) => slot.in !== 'file');
  const fresh = later.filter((slot) => !known.has(keyOf(slot)) && !(slot.in !== 'file' && slot.in.n === edit.of));
  const at = base.findLastIndex((slot) => slot.in === 'file' && slot.turn <= edit.kept_turns) + 1;
  return [...base.slice(0, at), ...fresh, ...base.slice(at)];
}

const keyOf = (slot: Slot): string => `${slot.in === 'file' ? 'file' : slot.in.n} ${slot.turn} ${slot.fromItem}`;
