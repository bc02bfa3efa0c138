// Decides what a supervision does next, as a pure function of its state and its limits.

import { MAX_REASONER_ERRORS, type Standing } from './standing.ts';
import type { LeftHow } from './supervise-facts.ts';

interface SuperviseTerms {
  max_iterations: number;
  /** How many times in a row an instruction that changes nothing may be kept. */
  stall_after: number;
}

type Move =
  | { do: 'begin'; iteration: number; instruction: string; worker: 'asked' | 'spared' }
  | { do: 'work' | 'reason' }
  | { do: 'leave'; how: Exclude<LeftHow, 'interrupted'>; reason: LeaveReason; why: string };

export type LeaveReason = 'done' | 'reasoner_errors' | 'save_session' | 'question' | 'max_iterations' | 'stalled';

export function nextMove(standing: Standing, { max_iterations, stall_after }: SuperviseTerms): Move {
  const { step, iteration, instruction, errors, stalled, lastEnd } = standing;
  if (step === 'done') return { do: 'leave', how: 'done', reason: 'done', why: lastText(standing) };
  if (step !== 'begin') return { do: step };
  const last = standing.rows.at(-1)?.action ?? null;
  if (lastEnd === null) {
    if (errors >= MAX_REASONER_ERRORS)
      return leave('saved', 'reasoner_errors', `the reasoner failed ${errors} times in a row: ${lastText(standing)}`);
    if (last === 'save_session') return leave('saved', 'save_session', lastText(standing));
    // If an answer came meanwhile, the supervision no longer waits.
    if (last === 'ask' && standing.notes.length === 0) return leave('parked', 'question', standing.question ?? '');
    if (stalled >= stall_after)
      return leave('stopped', 'stalled', `the same instruction changed nothing in the tree ${stalled} times in a row`);
  }
  if (last === 'ask' && standing.question !== null && standing.notes.length === 0)
    return leave('parked', 'question', standing.question);
  if (iteration >= max_iterations)
    return leave(
      'stopped',
      'max_iterations',
      `${iteration} iterations are over, and supervise.max_iterations is ${max_iterations}`,
    );
  // In these cases the worker has done its work, and only the reasoner has new information to read.
  const isHeard =
    standing.refused !== null || last === 'ask' || (lastEnd !== null && last !== null && NOT_HEARD.has(last));
  return { do: 'begin', iteration: iteration + 1, instruction, worker: isHeard ? 'spared' : 'asked' };
}

/** Actions that stop the loop before the reasoner has assessed the last work. */
const NOT_HEARD: ReadonlySet<string> = new Set(['error', 'save_session']);

const leave = (how: Exclude<LeftHow, 'interrupted'>, reason: LeaveReason, why: string): Move => ({
  do: 'leave',
  how,
  reason,
  why,
});

const lastText = ({ rows }: Standing): string => rows.at(-1)?.text ?? '';
