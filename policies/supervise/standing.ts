// Computes the state of a supervision by folding its facts, by the table of docs/supervise.md. It is a pure function.

import type { LeftHow, ReasonedAction, SuperviseFact } from './supervise-facts.ts';

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
