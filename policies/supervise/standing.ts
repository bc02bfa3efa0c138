// Where a supervision stands: its facts folded, by the table of docs/supervise.md. Pure: the same facts give every reader the same answer.

import type { LeftHow, ReasonedAction, SuperviseFact } from './supervise-facts.ts';

/** A reasoner may fail so often in a row; the last of them saves the session. */
export const MAX_REASONER_ERRORS = 3;

type SuperviseStep =
  /** The next iteration is to be begun. */
  | 'begin'
  /** The instruction is on disk; the worker is to be asked. */
  | 'work'
  /** The worker has answered, or is spared; the reasoner is to be asked. */
  | 'reason'
  | 'done';

export interface IterationRow {
  iteration: number;
  /** What the reasoner answered; null where it has not. */
  action: ReasonedAction | null;
  /** Its failures in a row, this one included. */
  errors: number;
  /** Some stood before it. */
  isReset: boolean;
  /** In force after it, by its hash; and whether it is another one than before. */
  instruction: string;
  isNew: boolean;
  /** Paths that its worker changed; null where it has not answered, or was spared. */
  changed: number | null;
  failed: readonly string[];
  /** Summary, reason, question or failure. */
  text: string;
  /** A `done` that was not believed. */
  refused: boolean;
}

export interface Standing {
  /** null before the first. */
  supervision: string | null;
  goal: string | null;
  step: SuperviseStep;
  /** The one that is under way, or was the last; 0 before the first. */
  iteration: number;
  /** In force, by its hash. A failure never touches it. */
  instruction: string;
  /** Reasoner failures in a row. */
  errors: number;
  /** How often in a row the reasoner kept an instruction that had changed nothing. */
  stalled: number;
  /** Was the worker asked in this iteration? */
  worker: 'asked' | 'spared';
  /** The last worker's call, and the checks that it did not pass. */
  worked: string | null;
  failed: readonly string[];
  /** Why the last `done` was not believed; null where that is not what is said next. */
  refused: readonly string[] | null;
  question: string | null;
  /** Of people, which the reasoner has not been told yet. */
  notes: readonly { note: string; text: string }[];
  seenNotes: ReadonlySet<string>;
  rows: readonly IterationRow[];
  /** The last end of the loop, if nothing came after it. */
  left: { how: LeftHow; why: string } | null;
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
  left: null,
};

/** In one pass: a long supervision is folded many times. */
export function standingAfter(facts: readonly SuperviseFact[]): Standing {
  const rows: IterationRow[] = [];
  let standing: Standing = { ...NOT_SUPERVISED, rows };
  for (const fact of facts) standing = after(standing, fact, rows);
  return standing;
}

/** A fact that does not fit is of nobody's making that counts: it changes nothing. */
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
      return { ...standing, iteration, instruction, worker, step, left: null };
    }
    case 'worked': {
      if (standing.step !== 'work' || fact.iteration !== standing.iteration) return standing;
      const { failed, changed, call_id: worked } = fact;
      Object.assign(rows.at(-1)!, { changed, failed });
      return { ...standing, step: 'reason', worked, failed, left: null };
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
      // Who goes on begins with a clean count; what is in force stays in force.
      return { ...standing, errors: 0, stalled: 0, left: { how: fact.how, why: fact.why } };
  }
}

/** People edit journals: what does not say what follows from it is not taken for a word of the reasoner's. */
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
  const told = new Set(fact.notes);
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
    // Of what it failed to answer it has heard nothing.
    notes: isError ? standing.notes : standing.notes.filter(({ note }) => !told.has(note)),
    left: null,
  };
}
