// A supervision that is under way, and the end of one of its steps.

import type { Failure } from '../../policies/record/task-failure.ts';
import { type Standing, standingAfter } from '../../policies/supervise/standing.ts';
import type { LeftHow } from '../../policies/supervise/supervise-facts.ts';
import type { ReasonerView } from '../../policies/supervise/turn-text.ts';
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
  /** On the clock of `nowMs`; null without a limit. */
  endsAtMs: number | null;
  /** The tree as it was before the first iteration; null where nobody asks about it. */
  whole: Baseline | null;
  /** For the first call in a session that takes the place of one that is not on this machine. */
  handOff: Record<Part, string | null>;
  /** What was seen of the last work, for the reasoner. */
  seen: Pick<ReasonerView, 'acceptance' | 'findings'> | null;
  reports: Partial<Record<Part, StageReport>>;
  notes: string[];
}

/** All that costs: a part that is asked, and a `done` that is looked at. */
export interface Asking {
  part(course: SuperviseCourse, task: TaskRun, asked: PartAsked): Promise<StepEnd>;
  /** What speaks against it; see done.ts. */
  done(course: SuperviseCourse, standing: Standing): Promise<string[] | 'stopped'>;
}

export interface PartAsked {
  part: Part;
  /** As the journal holds it; by it a call that outlived its dispatcher is found again. */
  iteration: number;
  supervision: string;
  text: string;
  /** What an earlier run paid for in vain is not asked again; null where it is. */
  before?(run: StageRun, prompt: Prompt): Promise<StepEnd> | null;
  /** While it still has its turn. `noted`: what came of it is on disk. */
  after(ended: PartEnd): Promise<{ step: StepEnd; noted: boolean }>;
}

export interface PartEnd {
  run: StageRun;
  prompt: Prompt;
  end: StageEnd;
}

/** null: on with the next step. */
export type StepEnd = null | Leaving;

export interface Leaving {
  how: LeftHow;
  why: string;
  failure: Failure | null;
  retryAt: string | null;
}

export const standingOf = ({ journal }: Pick<OpenTask, 'journal'>): Standing =>
  standingAfter(journal.read().ledger.supervised);

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
