// Defines a supervision in progress, the end of one of its steps, and what its steps share.

import type { Failure } from '../../policies/report/task-failure.ts';
import type { ReasonerView } from '../../policies/supervise/supervise-text.ts';
import { type LeftHow, type Standing, standingAfter } from '../../policies/supervise/supervision.ts';
import { keptText } from '../../state/supervise/texts.ts';
import type { TaskFolder } from '../../state/task-folder.ts';
import type { StageReport } from '../run/report.ts';
import type { Baseline } from '../stage/baseline.ts';
import type { Prompt } from '../task/prompt.ts';
import type { StagePlan } from '../task/stage-plan.ts';
import type { StageEnd, StageRun, TaskRun } from '../task/stage-run.ts';
import type { OpenTask } from '../task/task.ts';

export type Part = 'worker' | 'reasoner';

export interface SuperviseCourse {
  task: TaskRun;
  asking: Asking;
  plans: Record<Part, StagePlan>;
  /** Measured on the clock of `nowMs`; null without a limit. */
  endsAtMs: number | null;
  /** The tree before the first iteration; null if no caller needs it. */
  whole: Baseline | null;
  /** The note for the first call in a session that replaces one that is not on this machine. */
  handOff: Record<Part, string | null>;
  /** Findings about the last work, for the reasoner. */
  seen: Pick<ReasonerView, 'acceptance' | 'findings'> | null;
  reports: Partial<Record<Part, StageReport>>;
  notes: string[];
}

/** All steps that cost money: the call of a part, and the check of a `done`. */
export interface Asking {
  part(course: SuperviseCourse, task: TaskRun, request: PartRequest): Promise<StepEnd>;
  /** Returns the reasons to refuse the `done`; see done.ts. */
  done(course: SuperviseCourse, standing: Standing): Promise<string[] | 'stopped'>;
}

export interface PartRequest {
  part: Part;
  /** The number in the journal. It identifies a call that outlived its dispatcher. */
  iteration: number;
  supervision: string;
  text: string;
  /** Handles a call that an earlier run paid for without success. Returns null if the part is to be called. */
  before?(run: StageRun, prompt: Prompt): Promise<StepEnd> | null;
  /** Runs while the part still has its turn. `noted`: the result is on disk. */
  after(ended: PartEnd): Promise<{ step: StepEnd; noted: boolean }>;
}

export interface PartEnd {
  run: StageRun;
  prompt: Prompt;
  end: StageEnd;
}

/** null: continue with the next step. */
export type StepEnd = null | Leaving;

export interface Leaving {
  how: LeftHow;
  why: string;
  failure: Failure | null;
  retryAt: string | null;
}

export const standingOf = ({ journal }: OpenTask): Standing => standingAfter(journal.read().ledger.supervised);

export const interruptedBy = (why: string, retryAt: string | null = null): Leaving => ({
  how: 'interrupted',
  why,
  failure: null,
  retryAt,
});

export const leftWith = (failure: Failure): Leaving => ({
  how: 'stopped',
  why: failure.evidence?.text ?? failure.decision.why,
  failure,
  retryAt: null,
});

/** Returns the start of the hash if the text is gone. */
export const shownText =
  (task: TaskFolder) =>
  (sha256: string): string => {
    try {
      return keptText(task, sha256);
    } catch {
      return sha256.slice(0, 12);
    }
  };
