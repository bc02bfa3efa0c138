// Locates every turn a conversation ever had: those that remain, and those that we took back, in order.

import type { KnownEdit, Version } from './session-edits.ts';

/** A turn, and where it is stored: in the current file, or in the backup of the edit that took it back. */
export interface ShownSlot {
  /** The id of a turn does not change, even if the turn is taken back and brought back. */
  id: number;
  turn: number;
  in: 'file' | KnownEdit;
  /** The first item of this slot; null if the slot also includes the prompt. */
  fromItem: number | null;
  /** The index after the last item of this slot; null if the slot goes to the end of the turn. */
  toItem: number | null;
}

/** The current state of the conversation. */
export interface Now {
  turns: number;
  /** Whether the last turn got new items after some of its items were taken back. */
  reanswered: boolean;
}

export interface Fold {
  slots: ShownSlot[];
  /** The slots before each edit, by the number of the edit. */
  before: ReadonlyMap<number, readonly ShownSlot[]>;
}

/** @param edits in their order. @param turns the current number of turns. */
export const slotsOf = (edits: readonly KnownEdit[], turns: number): ShownSlot[] =>
  foldSlots(edits, { turns, reanswered: false }).slots;

/** @param now null if nothing was added since the last edit. */
export function foldSlots(edits: readonly KnownEdit[], now: Now | null): Fold {
  let lastId = 0;
  const nextId = () => (lastId += 1);
  const before = new Map<number, readonly ShownSlot[]>();
  let slots: ShownSlot[] = [];
  let lastVersion: Version | null = null;
  for (const edit of edits) {
    if (edit.state !== 'made') continue;
    const reanswered = (lastVersion !== null && !isSameVersion(lastVersion, edit.before)) || takesMore(edit, slots);
    slots = grown(slots, { turns: edit.turns, reanswered }, nextId);
    lastVersion = edit.after;
    if (edit.what === 'mended') continue;
    before.set(edit.n, slots);
    const base = edit.what === 'redone' ? before.get(edit.of ?? 0) : undefined;
    slots = base === undefined ? slots.flatMap((slot) => takenBack(slot, edit)) : joined(base, slots, edit);
  }
  return { slots: now === null ? slots : grown(slots, now, nextId), before };
}

const isSameVersion = (a: Version, b: Version): boolean => a.bytes === b.bytes && a.sha256 === b.sha256;

/** Whether the edit takes back items of a turn that should have none of them any more. If so, the turn got new items since. */
function takesMore({ what, kept_turns, kept_items }: KnownEdit, slots: readonly ShownSlot[]): boolean {
  const last = slots.findLast(isStanding);
  if (what === 'redone' || kept_items === null || last === undefined || last.toItem === null) return false;
  return last.turn === kept_turns + 1 && last.toItem <= kept_items;
}

export const isStanding = (slot: ShownSlot): boolean => slot.in === 'file';

/** Adds the turns that came since. The CLI itself may also have taken some back. */
function grown(slots: readonly ShownSlot[], { turns, reanswered }: Now, nextId: () => number): ShownSlot[] {
  const stand = slots.filter((slot) => !isStanding(slot) || slot.turn <= turns);
  const last = stand.findLast(isStanding);
  const count = stand.filter(isStanding).length;
  const fresh = Array.from({ length: Math.max(0, turns - count) }, (_, i) => standing(nextId(), count + i + 1));
  if (last === undefined || last.toItem === null || !reanswered || fresh.length > 0) return [...stand, ...fresh];
  return stand.map((slot) => (slot === last ? standing(nextId(), last.turn) : slot));
}

const standing = (id: number, turn: number): ShownSlot => ({ id, turn, in: 'file', fromItem: null, toItem: null });

function takenBack(slot: ShownSlot, edit: KnownEdit): ShownSlot[] {
  if (!isStanding(slot) || slot.turn <= edit.kept_turns) return [slot];
  if (slot.turn > edit.kept_turns + 1 || edit.kept_items === null) return [{ ...slot, in: edit }];
  const { kept_items: kept } = edit;
  return [
    { ...slot, toItem: kept },
    { ...slot, in: edit, fromItem: kept },
  ];
}

/** Restores the state before the edit that is brought back. The turns that came since are placed after it, as taken back. */
function joined(base: readonly ShownSlot[], since: readonly ShownSlot[], edit: KnownEdit): ShownSlot[] {
  const visible = new Map(since.filter(isStanding).map((slot) => [slot.id, slot]));
  const known = new Set(base.map(({ id }) => id));
  const later = since
    .filter(({ id }) => !known.has(id))
    .map((slot) => (isStanding(slot) ? { ...slot, in: edit } : slot));
  // It remained until now. The newest backup is the one that is kept longest.
  const first = base.map((slot) => {
    const whole = isStanding(slot) ? undefined : visible.get(slot.id);
    return whole === undefined || whole.toItem !== null ? slot : { ...slot, in: edit, turn: whole.turn };
  });
  const at = first.findLastIndex((slot) => isStanding(slot) && visible.has(slot.id)) + 1;
  return [...first.slice(0, at), ...later, ...first.slice(at)];
}
