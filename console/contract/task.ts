// Declares one task with all its parts, and its texts, which are read when the user opens them.

import type { TaskState } from '../../loops/report/task-state.ts';
import type { RecordedStage } from '../../loops/task/stage-facts.ts';
import type { Change, GateRecord } from '../../policies/facts/gate-record.ts';
import type { NextAction } from '../../policies/facts/next-action.ts';
import type { IterationCells } from '../../policies/supervise/supervise-text.ts';
import type { StandIn } from '../../policies/verdict/stand-ins.ts';

export interface StageShown {
  stage: string;
  tool: string;
  /** The account of the user's settings; absent for the login of the environment. */
  account?: string;
  /** The tools that the call replaced as a fallback. */
  stand_ins: readonly StandIn[];
  state: RecordedStage['state'];
  attempts: number;
  ms: number | null;
  tokens: number | null;
  usd: number | null;
  unknown: UnknownShare;
}

/** How many calls a sum lacks, since they did not report the figure. */
interface UnknownShare {
  tokens: number;
  usd: number;
}

interface AttemptShown {
  call_id: string;
  /** The run that made it; null for a wrapper that ran alone. */
  run_id: string | null;
  stage: string;
  tool: string;
  attempt: number;
  /** ISO time of its reservation. */
  at: string;
  ms: number | null;
  /** ISO time at which it is ended at the latest. */
  deadline_at: string;
  /** null while it is running; `lost` if its run ended before it had a result, which the next run finds out. */
  ending: string | null;
  class: string | null;
  reason: string | null;
  decision: { action: string; why: string } | null;
  /** The conversation that it began or continued; null if it is not known. */
  session_id: string | null;
  /** Whether its CLI still has the file of that conversation. */
  session_kept: boolean;
  tokens: number | null;
  usd: number | null;
}

/** The failure that is not resolved. */
interface ShownFailure {
  class: string;
  reason: string | null;
  /** null if the task failed before any stage. */
  stage: string | null;
  tool: string | null;
  /** What happened. */
  sentence: string;
  /** The text that decided; null if there is none. */
  evidence: string | null;
}

export interface TaskShown {
  task_id: string;
  folder: string;
  goal: string | null;
  state: TaskState;
  at: string | null;
  /** Since when its run runs; null if none runs. */
  running_since: string | null;
  /** Whether a CLI of its interrupted run still runs; null if that is not known, and in another state. */
  left_running: boolean | null;
  /** Whether the machine was restarted after its last run began, and before that run ended. */
  restarted: boolean;
  /** null if nothing failed, while the task runs, and if it is done. */
  failure: ShownFailure | null;
  /** What its manifest asks for, while it has never run; null afterwards, and if it cannot be read. */
  asks: Asks | null;
  calls: { used: number; budget: number | null };
  tokens: number | null;
  usd: number | null;
  unknown: UnknownShare;
  /** In the order of the pipeline; those that were not called yet have no attempts. */
  stages: StageShown[];
  /** Oldest first. */
  attempts: AttemptShown[];
  gates: GateRecord[];
  /** `errors`: of the reasoner, one after the other. null for a task that was never supervised. */
  supervision: { instruction: string; errors: number; iterations: IterationCells[] } | null;
  /** What the answers of a task that is done lack: a stage, and a sentence. */
  lacks: string[];
  /** `_summary.md`. */
  summary: string | null;
  texts: TextLine[];
  /** Empty while the task runs, and if it is done. */
  next_actions: NextAction[];
}

/** A file of the task that may be shown; `what`: prompt, answer, stderr or record. */
interface TextLine {
  /** Relative to the task's folder. */
  name: string;
  what: string;
  bytes: number;
}

export interface TextShown {
  text: string;
  /** The number of bytes of the file that are not in the text. */
  cut: number;
}

export interface DiffsShown {
  /** The stages that may write. `changed`: counted by the gate; null before. `kept`: whether their trees are stored. */
  stages: { stage: string; changed: number | null; kept: boolean }[];
  /** Whether the tree at the start of the task is stored. */
  whole: boolean;
  /** Why nothing can be shown, in a sentence; null if something can. */
  why_none: string | null;
}

/** In the place of a stage's name: the whole task, since it began. */
export const WHOLE_TASK = '*';

export interface DiffShown {
  /** In the unified format. */
  text: string;
  /** What had changed before the stage, since the last commit; in the same format. */
  earlier: string;
  /** What the gate found to have changed; also known if the text is empty. */
  changes: Change[];
  /** The paths that are out of scope. */
  outside: string[];
  notes: string[];
  /** Shows the whole diff on the user's terminal, if the text is only its beginning. */
  command: string | null;
}

/** What a new task can be made of. */
export interface ChoicesShown {
  /** `lacks`: why no stage can call it here; null if one can. `note`: what may keep its calls from an answer. */
  tools: { tool: string; lacks: string | null; note: string | null }[];
  /** `accepts`: the acceptance commands run after a stage in this role. */
  roles: { role: string; access: string; accepts: boolean }[];
  pipelines: { name: string; stages: { tool: string; role: string }[] }[];
  /** The test command of the project; null if none was found. */
  tests: string | null;
}

/** A task that does not exist yet: the fields of its manifest. */
export interface NewTask {
  id: string;
  goal: string;
  /** null: the stages are listed. */
  pipeline: string | null;
  /** `access` null: by the role. */
  stages: { tool: string; role: string; access: string | null }[];
  calls: number;
  usd: number | null;
  wallclock_sec: number | null;
  commands: string[];
  criteria: string[];
  allow: string[];
  deny: string[];
}

interface Asks {
  commands: string[];
  criteria: string[];
  allow: string[];
  deny: string[];
  /** Whether no stage may change a file. */
  only_reads: boolean;
  /** null is no limit. */
  limits: { calls: number; usd: number | null; wallclock_sec: number | null };
}

/** What was found in a manifest, and what a run of it would do; nothing was paid or written. */
export interface DraftShown {
  /** `line` null: the mistake has no place in the text. */
  problems: { line: number | null; message: string }[];
  /** null if there are problems, and for a supervised task. */
  forecast: {
    stages: {
      stage: string;
      tool: string;
      calls: boolean;
      prompt_chars: number;
      commands: string[];
      warnings: string[];
    }[];
    budget: { used: number; total: number };
    /** Of a stage, at most. */
    retries: number;
  } | null;
  notes: string[];
}

export interface ManifestShown {
  /** Of the file. */
  name: string;
  text: string;
  /** The hash of the text: it is saved only over the text that the user has seen. */
  version: string;
  /** Why it cannot be saved here now; null if it can. */
  locked: string | null;
}

export type TailTold =
  /** The call whose lines follow. */
  | { of: 'call'; call_id: string; stage: string; tool: string; attempt: number }
  | {
      of: 'lines';
      lines: string[];
      /** What the CLI does now, such as `runs Bash: npm test`; null if it is not known. */
      doing: string | null;
      /** ISO time at which the CLI last wrote something; null if that is not known. */
      at: string | null;
      /** The bytes before these lines that were left out. */
      left_out: number;
      /** The log is shorter than before, or another file: it is shown from its start. */
      began_again: boolean;
    }
  /** Why something cannot be shown. */
  | { of: 'note'; text: string }
  /** The last message. */
  | { of: 'end'; why: string };
