// Lists what can be brought back: each state removed by our edits, if it holds something that is now missing.

import type { KnownEdit } from './session-edits.ts';
import { type Fold, foldSlots, isStanding, type Now, type ShownSlot } from './shown-turns.ts';

export interface TakenBack {
  /** Bringing it back restores the state before this edit. */
  edit: KnownEdit;
  /** The number of turns in that state, and how many of them, from the first on, are unchanged now. */
  turns: number;
  kept: number;
  /** How many current turns a redo would take back. */
  newTurns: number;
  /**
   * Whether the current state itself came from a redo, and this row of redos has not reached this one yet. Then no new turns are
   * taken back.
   */
  inRow: boolean;
}

/**
 * Oldest first; if several edits have the same turns, the newest counts.
 * @param now null if nothing was added since the last edit.
 */
export function takenBack(edits: readonly KnownEdit[], now: Now | null): TakenBack[] {
  const fold = foldSlots(edits, now);
  const present = presentOf(edits, fold);
  const byState = new Map<string, TakenBack>();
  for (const edit of edits) {
    const state = takesBack(edit) ? stateBefore(edit, fold) : null;
    if (state === null || isWithin(state, present.visible)) continue;
    const name = nameOf(state);
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
    const at = visited.indexOf(nameOf(stateBefore(edit, fold) ?? []));
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  return takenBack(edits, now).reduce<TakenBack | undefined>(
    (best, one) => (best === undefined || age(one) >= age(best) ? one : best),
    undefined,
  );
}

/**
 * Returns the states that the last consecutive redos brought back, the newest first. The row ends where the conversation
 * continued in between.
 */
function visitedBy(edits: readonly KnownEdit[], fold: Fold): string[] {
  const visited: string[] = [];
  let present = nameOf(fold.slots.filter(isStanding));
  for (const edit of [...edits].reverse()) {
    if (edit.state !== 'made' || edit.what === 'mended') continue;
    const made = edit.what === 'redone' ? nameOf((fold.before.get(edit.of ?? 0) ?? []).filter(isStanding)) : null;
    if (made !== present) break;
    visited.push(made);
    present = nameOf(stateBefore(edit, fold) ?? []);
  }
  return visited;
}

const takesBack = ({ state, what, reverted_turns }: KnownEdit): boolean =>
  state === 'made' && what !== 'mended' && (what !== 'redone' || reverted_turns > 0);

const stateBefore = ({ n }: KnownEdit, { before }: Fold): readonly ShownSlot[] | null =>
  before.get(n)?.filter(isStanding) ?? null;

const nameOf = (state: readonly ShownSlot[]): string =>
  state.map(({ id, toItem }) => `${id}:${toItem ?? ''}`).join(' ');

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
  const inRow = visited.length > 0 && !visited.includes(nameOf(state));
  return { edit, turns: state.length, kept, newTurns: visible.length - kept, inRow };
}

const isWithin = (state: readonly ShownSlot[], visible: readonly ShownSlot[]): boolean =>
  state.every((slot, i) => covers(visible[i], slot));

/** Whether this turn is present with at least as many items. */
const covers = (slot: ShownSlot | undefined, of: ShownSlot): boolean =>
  slot?.id === of.id && (slot.toItem === null || (of.toItem !== null && slot.toItem >= of.toItem));
