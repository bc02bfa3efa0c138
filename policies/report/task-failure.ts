// Defines the failure of a task for machines: last_failure.json, and the middle of the summary.

import type { ErrorClass } from '../facts/classes.ts';
import type { Ending, Verdict } from '../facts/evidence.ts';
import type { NextAction } from '../facts/next-action.ts';
import type { Tool } from '../facts/tools.ts';

export const FAILURE_SCHEMA = 1;

export interface Failure {
  schema: number;
  task_id: string;
  /** The task's folder at the failure; absent in a report, and in records of older versions. */
  folder?: string;
  /** null if the task failed before any stage. */
  stage: string | null;
  tool: Tool | null;
  attempt: number | null;
  at: string;
  class: ErrorClass;
  reason: string | null;
  signature: string | null;
  /** How many times this signature occurred in this stage in this run. */
  count: number;
  exit_code: number;
  native_exit_code: number | null;
  signal: string | null;
  ending: Ending | null;
  /** The service's HTTP status; absent if the CLI reported none, and in records of older versions. */
  http_status?: number;
  evidence: Verdict['evidence'];
  decision: { action: string; why: string };
  retry_at: string | null;
  next_actions: NextAction[];
  /** The gate's findings, the most serious first; absent in records of older versions. */
  findings?: { check: string; reason: string; text: string }[];
  /** What the gate found missing or out of scope, by name. */
  missing: string[];
  /** What the stage changed in the tree, as far as it was examined. */
  changed: string[];
  stderr_head: string[];
  stderr_tail: string[];
  files: Record<string, string>;
  /** Set by a later success. */
  resolved_at: string | null;
}
