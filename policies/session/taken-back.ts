// What can be brought back of a conversation: every state that an edit of ours took away, as long as it holds something that does not stand.

import type { KnownEdit } from './session-edits.ts';
import { type Fold, foldSlots, isStanding, type Now, type ShownSlot } from './shown-turns.ts';

export interface TakenBack {
  /** To bring it back is to put there what stood before this edit. */
  edit: KnownEdit;
  /** How many turns stood then, and how many of them stand now as they were then, from the first on. */
  turns: number;
  kept: number;
  /** How many turns that stand now would be taken back for it. */
  newTurns: number;
  /** Was what stands now itself brought back, and this not yet in the same row of redos? Then nothing new is taken back. */
  inRow: boolean;
}

/** Oldest first; of several with the same turns the newest. @param now null: nothing came since the last edit. */
export function takenBack(edits: readonly KnownEdit[], now: Now | null): TakenBack[] {
  const fold = foldSlots(edits, now);
  const present = presentOf(edits, fold);
  const byState = new Map<string, TakenBack>();
  for (const edit of edits) {
    const state = takesBack(edit) ? stateBefore(edit, fold) : null;
    if (state === null || isWithin(state, present.stands)) continue;
    const name = nameOf(state);
    byState.delete(name);
    byState.set(name, about(edit, state, present));
  }
  return [...byState.values()];
}

/** The edit of this number, if there is something to bring back of it. */
export function takenBackBy(edits: readonly KnownEdit[], now: Now, n: number): TakenBack | null {
  const edit = edits.find((each) => each.n === n);
  if (edit === undefined || !takesBack(edit)) return null;
  const fold = foldSlots(edits, now);
  const present = presentOf(edits, fold);
  const state = stateBefore(edit, fold);
  return state === null || isWithin(state, present.stands) ? null : about(edit, state, present);
}

/**
 * What a redo brings back: what was taken back last. Of several in a row each brings back what none of them has yet, and
 * then what was there the longest time ago, so that everything is reached.
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

/** The states that the last redos in a row brought back, the newest first; where the conversation went on in between, the row ends. */
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
  stands: readonly ShownSlot[];
  visited: readonly string[];
}

const presentOf = (edits: readonly KnownEdit[], fold: Fold): Present => ({
  stands: fold.slots.filter(isStanding),
  visited: visitedBy(edits, fold),
});

function about(edit: KnownEdit, state: readonly ShownSlot[], { stands, visited }: Present): TakenBack {
  const differs = stands.findIndex((slot, i) => !covers(state[i], slot));
  const kept = differs === -1 ? stands.length : differs;
  const inRow = visited.length > 0 && !visited.includes(nameOf(state));
  return { edit, turns: state.length, kept, newTurns: stands.length - kept, inRow };
}

const isWithin = (state: readonly ShownSlot[], stands: readonly ShownSlot[]): boolean =>
  state.every((slot, i) => covers(stands[i], slot));

/** Is this turn there as well, with at least as much of it? */
const covers = (slot: ShownSlot | undefined, of: ShownSlot): boolean =>
  slot?.id === of.id && (slot.toItem === null || (of.toItem !== null && slot.toItem >= of.toItem));
