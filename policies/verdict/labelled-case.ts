// Defines a labelled case: the output of one call, and the correct verdict on it.

import type { ErrorClass } from '../facts/classes.ts';
import { ENDINGS, type Ending } from '../facts/ending.ts';
import type { BuiltIn } from '../facts/tools.ts';

export interface LabelledCase {
  /** Unique in its corpus. */
  id: string;
  /** Its location, for messages: a path as it was given, and the line from 1. */
  file: string;
  line: number;
  captured: CapturedCall;
  /** When it happened, in UTC: the clock for waits and wall times. */
  at: Date;
  label: Label;
  /** The failure, and how it is reported; null if the case has no label for signatures. */
  identity: string | null;
  rendering: string | null;
}

/** One call as it was recorded. */
export interface CapturedCall {
  tool: BuiltIn;
  /** The CLI's own exit code, or the one of its wrapper; null if unknown. */
  exitCode: number | null;
  signal: string | null;
  ending: RecordedEnding | null;
  stderr: string;
  stdout: string;
}

/** `killed`: the recorder ended it, at a retry that the CLI announced or otherwise at a deadline. null: it ended by itself. */
export type RecordedEnding = Ending | 'killed';

export const RECORDED_ENDINGS: readonly string[] = [...Object.keys(ENDINGS), 'killed'];

/** A field that is missing may have any value. */
export interface Label {
  /** null = success. */
  class: ErrorClass | null;
  reason?: string;
  /** ISO time; null: the service names none. */
  retryAt?: string | null;
}
