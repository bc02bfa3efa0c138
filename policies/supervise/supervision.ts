// Defines the facts of a supervision, folds them into its state (docs/supervise.md), and decides its next step.

import type { ErrorClass } from '../facts/classes.ts';
import type { REASONER_ACTIONS } from './reasoner-answer.ts';

/** A text that has its own file is represented here by its SHA-256. */
export type SuperviseFact =
  /** The supervision begins, or begins again. `goal`: the goal it was started with, which is the first instruction. */
  | { fact: 'supervised'; run_id: string; supervision: string; goal: string }
  /** An iteration begins. This is written before its worker is paid. The worker is spared if only the reasoner has new input. */
  | { fact: 'instructed'; run_id: string; iteration: number; instruction: string; worker: 'asked' | 'spared' }
  /** The worker answered. `changed`: the number of paths; `failed`: the checks that it did not pass. */
  | {
      fact: 'worked';
      run_id: string;
      iteration: number;
      call_id: string;
      changed: number;
      failed: string[];
    }
  /** Written before the worker is called again. */
  | ({
      fact: 'reasoned';
      run_id: string;
      iteration: number;
      call_id: string | null;
      /** The notes of users that the reasoner received. */
      notes: string[];
    } & Reasoned)
  /** A user's note to the reasoner. */
  | { fact: 'noted'; note: string; text: string }
  /** The loop ended. It can be resumed from this point. */
  | { fact: 'left'; run_id: string; how: LeftHow; why: string };

export type Reasoned =
  | { action: 'continue'; instruction: string }
  /** `refused`: why it was rejected; empty if it was accepted. */
  | { action: 'done'; text: string; refused: string[] }
  | { action: 'no_op' }
  | { action: 'save_session' | 'ask'; text: string }
  | { action: 'error'; class: ErrorClass; reason: string | null; text: string };

type ReasonedAction = keyof typeof REASONER_ACTIONS | 'error';

export type LeftHow = 'done' | 'saved' | 'parked' | 'stopped' | 'interrupted';

/** The reasoner may fail this many times in a row. The last failure saves the session. */
export const MAX_REASONER_ERRORS = 3;

type SuperviseStep =
  /** The next iteration must begin. */
  | 'begin'
  /** The instruction is on disk; the worker is called next. */
  | 'work'
  /** The worker has answered or is skipped; the reasoner is called next. */
  | 'reason'
  | 'done';

export interface IterationRow {
  iteration: number;
  /** The reasoner's action; null if it has not answered. */
  action: ReasonedAction | null;
  /** Consecutive failures of the reasoner, including this one. */
  errors: number;
  /** The error count was above 0 before this iteration. */
  isReset: boolean;
  /** The hash of the instruction after the iteration. `isNew`: it differs from the one before. */
  instruction: string;
  isNew: boolean;
  /** The number of paths that its worker changed; null if the worker has not answered or was skipped. */
  changed: number | null;
  failed: readonly string[];
  /** Summary, reason, question or failure. */
  text: string;
  /** A `done` that was rejected. */
  refused: boolean;
  /** null if the reasoner answered. */
  failure: { class: ErrorClass; reason: string | null } | null;
}

export interface Standing {
  /** null before the first supervision. */
  supervision: string | null;
  goal: string | null;
  step: SuperviseStep;
  /** The current or last iteration; 0 before the first. */
  iteration: number;
  /** The hash of the current instruction. A failure never changes it. */
  instruction: string;
  /** Reasoner failures in a row. */
  errors: number;
  /** How many times in a row the reasoner kept an instruction that had changed nothing. */
  stalled: number;
  /** Whether the worker is called in this iteration. */
  worker: 'asked' | 'spared';
  /** The worker's last call, and the checks that it did not pass. */
  worked: string | null;
  failed: readonly string[];
  /** Why the last `done` was rejected; null if the reasoner need not be informed of it next. */
  refused: readonly string[] | null;
  question: string | null;
  /** Notes of users that the reasoner has not received yet. */
  notes: readonly { note: string; text: string }[];
  seenNotes: ReadonlySet<string>;
  rows: readonly IterationRow[];
  /** The last end of the loop, if nothing came after it. */
  lastEnd: { how: LeftHow; why: string } | null;
}

const NOT_SUPERVISED: Standing = {
  supervision: null,
  goal: null,
  step: 'begin',
  iteration: 0,
  instruction: '',
  errors: 0,
  stalled: 0,
  worker: 'asked',
  worked: null,
  failed: [],
  refused: null,
  question: null,
  notes: [],
  seenNotes: new Set(),
  rows: [],
  lastEnd: null,
};

/** Folds the facts in one pass, because a long supervision is folded many times. */
export function standingAfter(facts: readonly SuperviseFact[]): Standing {
  const rows: IterationRow[] = [];
  let standing: Standing = { ...NOT_SUPERVISED, rows };
  for (const fact of facts) standing = after(standing, fact, rows);
  return standing;
}

/** A fact that does not fit the current state changes nothing. */
function after(standing: Standing, fact: SuperviseFact, rows: IterationRow[]): Standing {
  switch (fact.fact) {
    case 'supervised': {
      const { notes, seenNotes } = standing;
      const { supervision, goal } = fact;
      rows.length = 0;
      return { ...NOT_SUPERVISED, rows, supervision, goal, instruction: goal, notes, seenNotes };
    }
    case 'instructed': {
      const { iteration, instruction, worker } = fact;
      if (standing.step !== 'begin' || iteration !== standing.iteration + 1) return standing;
      rows.push({ ...BEGUN, iteration, instruction });
      const step = worker === 'asked' ? 'work' : 'reason';
      return { ...standing, iteration, instruction, worker, step, lastEnd: null };
    }
    case 'worked': {
      if (standing.step !== 'work' || fact.iteration !== standing.iteration) return standing;
      const { failed, changed, call_id: worked } = fact;
      Object.assign(rows.at(-1)!, { changed, failed });
      return { ...standing, step: 'reason', worked, failed, lastEnd: null };
    }
    case 'reasoned':
      if (standing.step !== 'reason' || fact.iteration !== standing.iteration || isHalf(fact)) return standing;
      return reasoned(standing, fact, rows.at(-1)!);
    case 'noted': {
      const { note, text } = fact;
      if (standing.seenNotes.has(note)) return standing;
      const seenNotes = new Set([...standing.seenNotes, note]);
      return { ...standing, notes: [...standing.notes, { note, text }], seenNotes };
    }
    case 'left':
      // A resumed supervision begins with error count 0; the current instruction remains.
      return { ...standing, errors: 0, stalled: 0, lastEnd: { how: fact.how, why: fact.why } };
  }
}

/** Users may edit journals. An incomplete fact is not taken for an answer of the reasoner. */
function isHalf(fact: SuperviseFact & { fact: 'reasoned' }): boolean {
  if (fact.action === 'continue') return typeof fact.instruction !== 'string';
  return fact.action === 'done' && !Array.isArray(fact.refused);
}

const BEGUN = {
  action: null,
  errors: 0,
  isReset: false,
  isNew: false,
  changed: null,
  failed: [],
  text: '',
  refused: false,
  failure: null,
};

function reasoned(standing: Standing, fact: SuperviseFact & { fact: 'reasoned' }, row: IterationRow): Standing {
  const { action } = fact;
  const isError = action === 'error';
  const instruction = action === 'continue' ? fact.instruction : standing.instruction;
  const isNew = instruction !== standing.instruction;
  const errors = isError ? standing.errors + 1 : 0;
  const isStill = !isNew && standing.worker === 'asked' && row.changed === 0;
  const sent = new Set(fact.notes);
  const cells: Partial<IterationRow> = {
    action,
    errors,
    isReset: !isError && standing.errors > 0,
    instruction,
    isNew,
    text: 'text' in fact ? fact.text : '',
    refused: action === 'done' && fact.refused.length > 0,
    failure: isError ? { class: fact.class, reason: fact.reason } : null,
  };
  Object.assign(row, cells);
  return {
    ...standing,
    instruction,
    errors,
    stalled: isError ? standing.stalled : isStill ? standing.stalled + 1 : 0,
    step: action === 'done' && fact.refused.length === 0 ? 'done' : 'begin',
    refused: action === 'done' && fact.refused.length > 0 ? fact.refused : isError ? standing.refused : null,
    question: action === 'ask' ? fact.text : isError ? standing.question : null,
    // If it failed to answer, the notes count as not received.
    notes: isError ? standing.notes : standing.notes.filter(({ note }) => !sent.has(note)),
    lastEnd: null,
  };
}

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
