// Declares the overviews: what runs, grouped failures, budgets, supervisions, books, and the state of the machine.

import type { FailureGroup } from '../../loops/report/collect.ts';
import type { FailureExplanation } from '../../loops/report/explanation.ts';
import type { FleetStatus } from '../../loops/report/fleet-status.ts';
import type { RunsNow } from '../../loops/report/now.ts';
import type { CheckFinding } from '../../policies/facts/finding.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { LimitsReport } from '../../policies/limits/budget-use.ts';
import type { ComparisonReport } from '../../policies/report/comparison.ts';

export type { FailureExplanation } from '../../loops/report/explanation.ts';
export type { NowCall, NowTask, NowWait } from '../../loops/report/now.ts';
export type { LimitsReport as LimitsShown } from '../../policies/limits/budget-use.ts';

export interface AskedQuestion {
  task_id: string;
  question: string;
  /** The end of what the worker answered before it; null if that is not known. */
  worker_said: string | null;
}

export type NowShown = Pick<RunsNow, 'tasks' | 'totals'> & {
  questions: AskedQuestion[];
  /** Tasks whose answer is stored, and that no run has continued yet. */
  answered: string[];
  /** The interrupted tasks whose CLI still runs on this machine. */
  still_running: { task_id: string; tool: string }[];
  /** By call in progress: the ISO time at which its CLI last wrote something. */
  heard: Record<string, string>;
};

export interface FailuresShown {
  groups: FailureShown[];
}

export interface FailureShown extends FailureGroup {
  /** The CLIs of the stages that failed. */
  tools: string[];
  /** How often it was seen, in all its tasks. */
  count: number;
  /** How many of its tasks failed last on each of the latest days, the oldest first; `day` as `2026-11-25`, in UTC. */
  trend: { day: string; tasks: number }[];
  /** Of the task that failed last. */
  next_action: NextAction | null;
}

export interface ExplainedShown {
  /** null if nothing failed. */
  explanation: FailureExplanation | null;
  message: string;
}

export type BudgetShown = LimitsReport['budgets'][number];

export type HoldShown = LimitsReport['holds'][number];

export interface SpentShown {
  tools: string[];
  /** From the first paid call until today, at most a year, without gaps; `day` as `2026-11-25`, in UTC. */
  days: { day: string; by_tool: Record<string, SpentInDay> }[];
}

/** The sums are over the calls that reported the figure. */
export interface SpentInDay {
  calls: number;
  tokens: number;
  calls_without_tokens: number;
  usd: number;
  calls_without_price: number;
}

export interface SupervisionsShown {
  supervisions: SupervisionShown[];
}

interface SupervisionShown {
  task_id: string;
  state: string;
  question: string | null;
  worker_said: string | null;
  /** An answer is stored, and no run has given it to the reasoner yet. */
  answer_waits: boolean;
  instruction: string;
  /** The number of consecutive errors of the reasoner. */
  errors: number;
  /** How many were begun. */
  iterations: number;
  at: string | null;
}

export interface MachineShown {
  findings: CheckFinding[];
  clis: {
    tool: string;
    version: string | null;
    /** null if it is not installed. */
    path: string | null;
    /** In words. */
    signed_in: string;
  }[];
}

export interface ComparisonsShown {
  /** The newest first; `picked`: the name of the variant whose changes were applied. */
  comparisons: { comparison_id: string; at: string; names: string[]; picked: string | null; removed: boolean }[];
}

export interface ComparisonShown {
  report: ComparisonReport;
  /** The changes by the number of the variant, without secrets. */
  diffs: Record<string, string>;
}

export interface BatchesShown {
  /** The newest first. */
  batches: (Pick<BatchShown, 'batch_id' | 'task_ids' | 'at' | 'state' | 'totals'> & {
    /** Its failures in sentences, the most frequent first. */
    causes: string[];
  })[];
}

export interface BatchShown {
  batch_id: string;
  task_ids: string[];
  /** ISO time of its start. */
  at: string | null;
  state: string;
  /** null without a report: the batch runs, or its process was killed. */
  totals: { tasks: number; done: number; calls: number; duration_ms: number } | null;
  /** From the report; empty without one. */
  tasks: {
    task_id: string;
    state: string;
    calls: number;
    /** What happened, in a sentence; null for a task that is done. */
    why: string | null;
  }[];
  /** The most frequent first; `next_actions` are of the first task. */
  failures: {
    sentence: string;
    class: string | null;
    reason: string | null;
    count: number;
    task_ids: string[];
    next_actions: NextAction[];
  }[];
  notes: string[];
  next_actions: NextAction[];
}

export interface BooksShown {
  distillations: BookLine[];
}

export interface BookLine {
  name: string;
  /** The state that `tollgate distill status` reports: `running`, `complete`, `paused (refusal)`. */
  state: string;
  model: string;
  sections: number;
  tokens: number;
  usd: number;
  /** Answers whose price is not known; they are not included in the sum. */
  unpriced_answers: number;
  calls: { used: number; total: number };
}

export interface BookShown extends BookLine {
  evidence: string;
  next_actions: NextAction[];
  /** ISO time at which the service is called again; null if nothing is awaited. */
  waits_until: string | null;
  /** Each section that was requested, in the order of the book. */
  requested: {
    section: number;
    title: string | null;
    state: 'accepted' | 'held' | 'running' | 'open';
    attempts: number;
    /** Of its ended calls. */
    ms: number;
    /** ISO time since when its call runs; null if none does. */
    since: string | null;
    usd: number | null;
    /** Answers whose price is not known; they are not included in the sum. */
    unpriced: number;
  }[];
  document: { section: number; title: string; chars: number; text: string; state: 'kept' | 'held' }[];
  /** The last lines of the trace. */
  trace: string[];
}

/** The tasks of all machines, at most 200, from the database of a fleet. `place`: its host and name. */
export type FleetShown = FleetStatus & { place: string };
