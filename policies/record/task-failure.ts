// The failure of a task as machines read it: last_failure.json, and the middle of the summary.

import type { ErrorClass } from '../facts/classes.ts';
import type { Ending } from '../facts/ending.ts';
import type { Verdict } from '../facts/evidence.ts';
import type { NextAction } from '../facts/next-action.ts';
import type { Tool } from '../facts/tools.ts';

export const FAILURE_SCHEMA = 1;

export interface Failure {
  schema: number;
  task_id: string;
  /** The task's folder as it failed; absent in a report, and in records of older versions. */
  folder?: string;
  /** null when the task failed before any stage. */
  stage: string | null;
  tool: Tool | null;
  attempt: number | null;
  at: string;
  class: ErrorClass;
  reason: string | null;
  signature: string | null;
  /** How often this signature was seen in this stage in this run. */
  count: number;
  exit_code: number;
  native_exit_code: number | null;
  signal: string | null;
  ending: Ending | null;
  /** With which the service answered; absent where the CLI told none, and in records of older versions. */
  http_status?: number;
  evidence: Verdict['evidence'];
  /** What the dispatcher did about it, and why. */
  decision: { action: string; why: string };
  retry_at: string | null;
  next_actions: NextAction[];
  /** What the gate found, the weightiest first; not in records of older versions. */
  findings?: { check: string; reason: string; text: string }[];
  /** What the gate found missing or out of scope, by name. */
  missing: string[];
  /** What the stage has changed in the tree, as far as it was looked at. */
  changed: string[];
  stderr_head: string[];
  stderr_tail: string[];
  files: Record<string, string>;
  /** Set by a later success. */
  resolved_at: string | null;
}
