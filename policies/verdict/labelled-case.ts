// A labelled case: what one call left behind, and what is true of it.

import type { ErrorClass } from '../facts/classes.ts';
import { ENDINGS, type Ending } from '../facts/ending.ts';
import type { BuiltIn } from '../facts/tools.ts';

export interface LabelledCase {
  /** Unique over its corpus. */
  id: string;
  /** Where it stands, for messages: a path as it was given, and the line from 1. */
  file: string;
  line: number;
  captured: CapturedCall;
  /** When it happened, in UTC: the clock for waits and wall times. */
  at: Date;
  label: Label;
  /** The failure, and how it is told; null where the case says nothing of signatures. */
  identity: string | null;
  rendering: string | null;
}

/** One call as somebody recorded it. */
export interface CapturedCall {
  tool: BuiltIn;
  /** The CLI's own exit code, or the one of its wrapper; null if unknown. */
  exitCode: number | null;
  signal: string | null;
  ending: RecordedEnding | null;
  stderr: string;
  stdout: string;
}

/** `killed`: whoever recorded it ended it, at a retry that the CLI announced or else at a deadline. null: by itself. */
export type RecordedEnding = Ending | 'killed';

export const RECORDED_ENDINGS: readonly string[] = [...Object.keys(ENDINGS), 'killed'];

/** What is not said may be anything. */
export interface Label {
  /** null = success. */
  class: ErrorClass | null;
  reason?: string;
  /** ISO time; null: the service names none. */
  retryAt?: string | null;
}
