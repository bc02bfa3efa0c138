// What a fleet is doing: its tasks in the shape of local ones, its workers and its limits.

import type { ErrorClass } from '../../policies/facts/classes.ts';
import type { FailureGroup } from './collect.ts';

interface FleetTask {
  /** Its number in the fleet: a task may be submitted several times. */
  id: string;
  task_id: string;
  project: string;
  pool: string;
  state: string;
  /** Its last event, ISO. */
  at: string;
  submitted_at: string;
  ended_at: string | null;
  worker: string | null;
  epoch: number;
  /** The failed stage, or the one that was called last. */
  stage: string | null;
  class: ErrorClass | null;
  reason: string | null;
  sentence: string | null;
  signature: string | null;
  evidence: string | null;
  calls: { used: number; budget: number };
  /** As far as its calls reported them; null if none did. */
  tokens: number | null;
  usd: number | null;
  /** Calls whose end is not booked, and those that were booked after their lease. */
  open_calls: number;
  lost_calls: number;
  late_calls: number;
  message: string | null;
  exit_code: number | null;
}

export interface FleetStatus {
  schema: 1;
  /** By the clock of the database, ISO. */
  at: string;
  totals: Record<string, number> & { tasks: number };
  /** What needs the user first, then what runs. */
  tasks: FleetTask[];
  groups: FailureGroup[];
  workers: { id: string; name: string; version: string; draining: boolean; tasks: number; lease_seconds: number }[];
  limits: {
    tool: string;
    account: string;
    at_once: number | null;
    per_minute: number | null;
    running: number;
    held_seconds: number;
    hold_reason: string | null;
  }[];
  budgets: { scope: string; calls: number | null; used: number }[];
}
