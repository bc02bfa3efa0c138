// The facts of a supervision as the journal holds them: what the worker was told, what came of it, what the reasoner made of that.

import type { ErrorClass } from '../facts/classes.ts';
import type { ReasonerAction } from './reasoner-answer.ts';

/** A text that is kept in a file of its own stands here by its SHA-256. */
export type SuperviseFact =
  /** It begins, or begins anew. `goal`: what it was begun for, which is the first instruction. */
  | { fact: 'supervised'; run_id: string; supervision: string; goal: string }
  /** An iteration begins. Written before its worker is paid; a worker is spared where only the reasoner has something new to look at. */
  | { fact: 'instructed'; run_id: string; iteration: number; instruction: string; worker: 'asked' | 'spared' }
  /** Its worker answered. `changed`: paths; `failed`: checks that it did not pass. */
  | {
      fact: 'worked';
      run_id: string;
      iteration: number;
      call_id: string;
      changed: number;
      failed: string[];
    }
  /** Written before the worker is asked again. */
  | ({
      fact: 'reasoned';
      run_id: string;
      iteration: number;
      call_id: string | null;
      /** What people had to say that it was told. */
      notes: string[];
    } & Reasoned)
  /** What a person says to the reasoner. */
  | { fact: 'noted'; note: string; text: string }
  /** The loop was left. It is gone on with from there. */
  | { fact: 'left'; run_id: string; how: LeftHow; why: string };

export type Reasoned =
  | { action: 'continue'; instruction: string }
  /** `refused`: why it is not believed; empty where it is. */
  | { action: 'done'; text: string; refused: string[] }
  | { action: 'no_op' }
  | { action: 'save_session' | 'ask'; text: string }
  | { action: 'error'; class: ErrorClass; reason: string | null; text: string };

export type ReasonedAction = ReasonerAction | 'error';

export type LeftHow = 'done' | 'saved' | 'parked' | 'stopped' | 'interrupted';
