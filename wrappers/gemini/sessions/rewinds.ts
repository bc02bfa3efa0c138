// Where a conversation is cut off so that a turn, an answer or the last step is taken back.

import type { GeminiEntry } from './fold.ts';
import { promptsIn } from './turns.ts';

/** The first entry that goes: its place among those that stand. */
export type Rewind = { how: 'from'; at: number } | { how: 'none' } | { how: 'impossible'; why: string };

/** gemini takes a session without a prompt for none at all. */
const EMPTY = {
  how: 'impossible',
  why: 'Nothing would be left of this session, and gemini resumes no empty one: start a fresh session instead.',
} as const satisfies Rewind;

export function rewindBefore(entries: readonly GeminiEntry[], turn: number): Rewind {
  const at = promptsIn(entries)[turn - 1];
  if (at === undefined) return noSuchTurn(turn);
  return turn === 1 ? EMPTY : { how: 'from', at };
}

export function rewindAfterPrompt(entries: readonly GeminiEntry[], turn: number): Rewind {
  const at = promptsIn(entries)[turn - 1];
  if (at === undefined) return noSuchTurn(turn);
  return at + 1 === entries.length ? { how: 'none' } : { how: 'from', at: at + 1 };
}

/** A step is a message of the model and the responses to its calls; notes go with what they follow. */
export function rewindLastStep(entries: readonly GeminiEntry[]): Rewind {
  const at = entries.findLastIndex(({ type, prompt }) => prompt || type === 'gemini');
  if (at === -1) return { how: 'none' };
  return at === promptsIn(entries)[0] ? EMPTY : { how: 'from', at };
}

const noSuchTurn = (turn: number): Rewind => ({
  how: 'impossible',
  why: `This session has no turn ${turn}: look at its turns with "tollgate history".`,
});
