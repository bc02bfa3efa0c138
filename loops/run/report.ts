// What a run leaves for its reader, as facts.

import type { NextAction } from '../../policies/facts/next-action.ts';
import type { Failure } from '../../policies/record/task-failure.ts';
import type { IterationCells } from '../../policies/supervise/iteration-table.ts';
import type { LeftHow } from '../../policies/supervise/supervise-facts.ts';
import type { Notified } from '../notify/sent.ts';
import type { SessionUse } from '../session/session-use.ts';
import type { Spent } from '../task/spent.ts';
import type { StageFacts } from '../task/stage-facts.ts';

/** What became of it in this run, or else what the journal says of it. */
type StageState = 'done' | 'failed' | 'interrupted' | StageFacts['state'];

/** A stage in the report of a run: fields as they are printed by `--json`. */
export interface StageReport extends Omit<StageFacts, 'state'> {
  state: StageState;
  /** Paid calls of this run. */
  calls: number;
  /** How the session of its calls was come by; null where none was called. */
  session: SessionUse | null;
  /** What the gate has to say beside what it found. */
  notes: string[];
  /** Paths that this stage has changed in the tree, as far as it was looked at. */
  changed: string[];
  /** Acceptance commands that succeeded. */
  passed_commands: string[];
  warnings: string[];
}

/** Of a supervised task: how it stands, and its iterations as docs/supervise.md has them. */
export interface SupervisionReport {
  how: LeftHow | null;
  /** The last one that was begun. */
  iteration: number;
  /** Of the reasoner, in a row. */
  errors: number;
  /** In force. */
  instruction: string;
  question: string | null;
  /** The reasoner's, of a task that is done. */
  summary: string | null;
  iterations: IterationCells[];
  /** Since it began: `path (how)`. */
  changed: string[];
  saved: string | null;
  /** The line to type. */
  resume: string | null;
}

/** What `tollgate run --json` prints, and `report` reads again. Paths are absolute, secrets are taken out. */
export interface RunReport {
  schema: 1;
  task_id: string;
  goal: string;
  /** `refused`: nothing was run, and `message` says why. `parked`: a supervised task waits for a person's answer; nothing failed. */
  state: 'done' | 'failed' | 'interrupted' | 'refused' | 'parked';
  exit_code: number;
  message: string | null;
  stages: StageReport[];
  failure: Failure | null;
  budget: { used: number; total: number; left: number };
  spent: Spent;
  /** The task's own limits beside its calls. */
  limits: { max_tokens: number | null; max_usd: number | null };
  files: { summary: string; stats: string; last_failure: string | null; outputs: string };
  next_actions: NextAction[];
  notes: string[];
  supervision?: SupervisionReport;
  /** Who was told of its end; absent where nobody was to be. */
  notified?: Notified[];
}
