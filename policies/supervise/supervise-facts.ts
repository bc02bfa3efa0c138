// Defines the journal's facts of a supervision: instructions to the worker, its results, and the reasoner's answers.

import type { ErrorClass } from '../facts/classes.ts';
import type { ReasonerAction } from './reasoner-answer.ts';

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

export type ReasonedAction = ReasonerAction | 'error';

export type LeftHow = 'done' | 'saved' | 'parked' | 'stopped' | 'interrupted';
