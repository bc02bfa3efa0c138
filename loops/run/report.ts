// Defines the facts that a run reports to its reader.

import type { NextAction } from '../../policies/facts/next-action.ts';
import type { Failure } from '../../policies/report/task-failure.ts';
import type { IterationCells } from '../../policies/supervise/supervise-text.ts';
import type { LeftHow } from '../../policies/supervise/supervision.ts';
import type { Spent } from '../../state/usage.ts';
import type { SessionUse } from '../task/attempt-request.ts';
import type { RecordedStage, StageFacts } from '../task/stage-facts.ts';
import type { Notified } from '../upkeep/notified.ts';

/** The result in this run, or else the state from the journal. */
type StageState = 'done' | 'failed' | 'interrupted' | RecordedStage['state'];

/** A stage in the report of a run. `--json` prints these fields. */
export interface StageReport extends StageFacts {
  state: StageState;
  /** Paid calls of this run. */
  calls: number;
  /** How the session of its calls was obtained; null if no call was made. */
  session: SessionUse | null;
  /** The remarks of the gate besides its findings. */
  notes: string[];
  /** Paths that this stage changed in the tree, as far as the tree was checked. */
  changed: string[];
  /** Acceptance commands that succeeded. */
  passed_commands: string[];
  warnings: string[];
}

/** The state of a supervised task, and its iterations as docs/supervise.md describes them. */
export interface SupervisionReport {
  how: LeftHow | null;
  /** The last iteration that was begun. */
  iteration: number;
  /** Consecutive errors of the reasoner. */
  errors: number;
  instruction: string;
  question: string | null;
  /** The reasoner's summary of a task that is done. */
  summary: string | null;
  iterations: IterationCells[];
  /** Changes since the supervision began: `path (how)`. */
  changed: string[];
  saved: string | null;
  /** The command line that resumes it. */
  resume: string | null;
}

/** `tollgate run --json` prints this, and `report` reads it again. Paths are absolute, and secrets are removed. */
export interface RunReport {
  schema: 1;
  task_id: string;
  goal: string;
  /** `refused`: nothing was run, see `message`. `parked`: a supervised task waits for the user; nothing failed. */
  state: 'done' | 'failed' | 'interrupted' | 'refused' | 'parked';
  exit_code: number;
  message: string | null;
  stages: StageReport[];
  failure: Failure | null;
  budget: { used: number; total: number; left: number };
  spent: Spent;
  /** The task's own limits besides its calls. */
  limits: { max_tokens: number | null; max_usd: number | null };
  files: { summary: string; stats: string; last_failure: string | null; outputs: string };
  next_actions: NextAction[];
  notes: string[];
  supervision?: SupervisionReport;
  /** With `--commit`, if the run passed: its commit, or null if there was nothing to commit. `branch` is null on a detached HEAD. */
  commit?: { id: string; branch: string | null; files: string[] } | null;
  /** The notified recipients of its end; absent if none were configured. */
  notified?: Notified[];
}
