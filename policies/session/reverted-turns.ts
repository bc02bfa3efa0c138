// Locates the turns that our edits took back, and decides which can be brought back and which backups are kept.

import type { KnownEdit, Version } from './session-edits.ts';

export interface TakenBack {
  /** Bringing it back restores the state before this edit. */
  edit: KnownEdit;
  /** The number of turns in that state, and how many of them, from the first on, are unchanged now. */
  turns: number;
  kept: number;
  /** How many current turns a redo would take back. */
  newTurns: number;
  /** Whether this state came from a redo whose row has not reached this one: then no new turns are taken back. */
  inRow: boolean;
}

/** Oldest first; of several edits with the same turns, the newest counts. @param now null if nothing came since. */
export function takenBack(edits: readonly KnownEdit[], now: Now | null): TakenBack[] {
  const fold = foldSlots(edits, now);
  const present = presentOf(edits, fold);
  const byState = new Map<string, TakenBack>();
  for (const edit of edits) {
    const state = takesBack(edit) ? stateBefore(edit, fold) : null;
    if (state === null || isWithin(state, present.visible)) continue;
    const name = keyOf(state);
    byState.delete(name);
    byState.set(name, about(edit, state, present));
  }
  return [...byState.values()];
}

/** Returns the entry for the edit with this number, if it can bring something back. */
export function takenBackBy(edits: readonly KnownEdit[], now: Now, n: number): TakenBack | null {
  const edit = edits.find((each) => each.n === n);
  if (edit === undefined || !takesBack(edit)) return null;
  const fold = foldSlots(edits, now);
  const present = presentOf(edits, fold);
  const state = stateBefore(edit, fold);
  return state === null || isWithin(state, present.visible) ? null : about(edit, state, present);
}

/**
 * Chooses what a redo brings back: what was taken back last. In a row of redos, each brings back a state that the row has not
 * reached yet. After those, it brings back the state that was reached the longest time ago, so that every state can be reached.
 */
export function nextToBringBack(edits: readonly KnownEdit[], now: Now): TakenBack | undefined {
  const fold = foldSlots(edits, now);
  const visited = visitedBy(edits, fold);
  const age = ({ edit }: TakenBack): number => {
    const at = visited.indexOf(keyOf(stateBefore(edit, fold) ?? []));
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  return takenBack(edits, now).reduce<TakenBack | undefined>(
    (best, one) => (best === undefined || age(one) >= age(best) ? one : best),
    undefined,
  );
}

/** The states of the last consecutive redos, newest first. A continued conversation ends the row. */
function visitedBy(edits: readonly KnownEdit[], fold: Fold): string[] {
  const visited: string[] = [];
  let present = keyOf(fold.slots.filter(isStanding));
  for (const edit of [...edits].reverse()) {
    if (edit.state !== 'made' || edit.what === 'mended') continue;
    const made = edit.what === 'redone' ? keyOf((fold.before.get(edit.of ?? 0) ?? []).filter(isStanding)) : null;
    if (made !== present) break;
    visited.push(made);
    present = keyOf(stateBefore(edit, fold) ?? []);
  }
  return visited;
}

const takesBack = ({ state, what, reverted_turns }: KnownEdit): boolean =>
  state === 'made' && what !== 'mended' && (what !== 'redone' || reverted_turns > 0);

const stateBefore = ({ n }: KnownEdit, { before }: Fold): readonly ShownSlot[] | null =>
  before.get(n)?.filter(isStanding) ?? null;

const keyOf = (state: readonly ShownSlot[]): string => state.map(({ id, toItem }) => `${id}:${toItem ?? ''}`).join(' ');

interface Present {
  visible: readonly ShownSlot[];
  visited: readonly string[];
}

const presentOf = (edits: readonly KnownEdit[], fold: Fold): Present => ({
  visible: fold.slots.filter(isStanding),
  visited: visitedBy(edits, fold),
});

function about(edit: KnownEdit, state: readonly ShownSlot[], { visible, visited }: Present): TakenBack {
  const differs = visible.findIndex((slot, i) => !covers(state[i], slot));
  const kept = differs === -1 ? visible.length : differs;
  const inRow = visited.length > 0 && !visited.includes(keyOf(state));
  return { edit, turns: state.length, kept, newTurns: visible.length - kept, inRow };
}

const isWithin = (state: readonly ShownSlot[], visible: readonly ShownSlot[]): boolean =>
  state.every((slot, i) => covers(visible[i], slot));

/** Whether this turn is present with at least as many items. */
const covers = (slot: ShownSlot | undefined, of: ShownSlot): boolean =>
  slot?.id === of.id && (slot.toItem === null || (of.toItem !== null && slot.toItem >= of.toItem));

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
interface Now {
  turns: number;
  /** Whether the last turn got new items after some of its items were taken back. */
  reanswered: boolean;
}

interface Fold {
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
    slots = base === undefined ? slots.flatMap((slot) => takeBack(slot, edit)) : joined(base, slots, edit);
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

function takeBack(slot: ShownSlot, edit: KnownEdit): ShownSlot[] {
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

/** How many backups are kept of edits that can still be brought back (`standing`) and of the `others`, and for how long. */
export const KEPT_BACKUPS = { standing: 20, others: 3, bytes: 2 * 1024 ** 3, days: 90, unaskedDays: 180 } as const;

/** A backup made before this time is too old. It holds the secrets of its conversation unredacted. */
export const oldestKept = (now: Date): Date => new Date(now.getTime() - KEPT_BACKUPS.days * 86_400_000);

/** Older backups go only with a requested sweep: a clock that once was a year ahead makes all seem old. */
export const isForSweep = (at: Date, now: Date): boolean =>
  at.getTime() < now.getTime() - KEPT_BACKUPS.unaskedDays * 86_400_000;

export const agedBackups = (edits: readonly KnownEdit[], now: Date): KnownEdit[] =>
  edits.filter(({ isKept, at }) => isKept && Date.parse(at) < oldestKept(now).getTime());

/**
 * Returns the backups to delete. These are all that are too old, except those that only a sweep deletes, and surplus ones among
 * the rest. The newest of the rest is always kept.
 * @param edits in their order
 */
export function oldBackups(edits: readonly KnownEdit[], now: Date): KnownEdit[] {
  const standing = new Set(takenBack(edits, null).map(({ edit }) => edit));
  const aged = new Set(agedBackups(edits, now).filter(({ at }) => !isForSweep(new Date(at), now)));
  const there = edits.filter((edit) => edit.isKept && !aged.has(edit));
  const kept = new Set([
    ...there.filter((edit) => standing.has(edit)).slice(-KEPT_BACKUPS.standing),
    ...there.filter((edit) => !standing.has(edit)).slice(-KEPT_BACKUPS.others),
  ]);
  let room: number = KEPT_BACKUPS.bytes;
  for (const edit of [...kept].sort((a, b) => b.n - a.n)) {
    room -= edit.before.bytes;
    if (room < 0 && edit !== there.at(-1)) kept.delete(edit);
  }
  return edits.filter((edit) => edit.isKept && !kept.has(edit));
}
