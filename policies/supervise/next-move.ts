// What a supervision does next: a pure function of where it stands and what it may take.

import { MAX_REASONER_ERRORS, type Standing } from './standing.ts';
import type { LeftHow } from './supervise-facts.ts';

interface SuperviseTerms {
  max_iterations: number;
  /** How often in a row an instruction may be kept that changes nothing. */
  stall_after: number;
}

type Move =
  | { do: 'begin'; iteration: number; instruction: string; worker: 'asked' | 'spared' }
  | { do: 'work' | 'reason' }
  | { do: 'leave'; how: Exclude<LeftHow, 'interrupted'>; reason: LeaveReason; why: string };

export type LeaveReason = 'done' | 'reasoner_errors' | 'save_session' | 'question' | 'max_iterations' | 'stalled';

export function nextMove(standing: Standing, { max_iterations, stall_after }: SuperviseTerms): Move {
  const { step, iteration, instruction, errors, stalled, left } = standing;
  if (step === 'done') return { do: 'leave', how: 'done', reason: 'done', why: lastText(standing) };
  if (step !== 'begin') return { do: step };
  const last = standing.rows.at(-1)?.action ?? null;
  if (left === null) {
    if (errors >= MAX_REASONER_ERRORS)
      return leave('saved', 'reasoner_errors', `the reasoner failed ${errors} times in a row: ${lastText(standing)}`);
    if (last === 'save_session') return leave('saved', 'save_session', lastText(standing));
    // An answer that came meanwhile is what was waited for.
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
  // After these the worker has done what it was told, and the reasoner has something new to hear.
  const isHeard =
    standing.refused !== null || last === 'ask' || (left !== null && last !== null && NOT_HEARD.has(last));
  return { do: 'begin', iteration: iteration + 1, instruction, worker: isHeard ? 'spared' : 'asked' };
}

/** What stopped the loop while the reasoner's word on the last work was owed. */
const NOT_HEARD: ReadonlySet<string> = new Set(['error', 'save_session']);

const leave = (how: Exclude<LeftHow, 'interrupted'>, reason: LeaveReason, why: string): Move => ({
  do: 'leave',
  how,
  reason,
  why,
});

const lastText = ({ rows }: Standing): string => rows.at(-1)?.text ?? '';
