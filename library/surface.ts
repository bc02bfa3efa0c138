// What `import … from 'tollgate'` gives, whole: build.mjs ships this file as the package's types, with the imported types written out.

import type { ErrorClass } from '../policies/facts/classes.ts';
import type { NextAction } from '../policies/facts/next-action.ts';
import type { FailureReason } from '../policies/verdict/reasons.ts';

export type { ErrorClass, FailureReason, NextAction };

/** A CLI that has a wrapper of ours. */
export type ToolName = 'gemini' | 'copilot' | 'codex' | 'claude';

/** Where something is done, and what ends it. */
export interface Whereabouts {
  /** The project, or a folder of it; the process's own unless told. */
  cwd?: string;
  /** What the CLIs inherit; the process's own unless told. */
  environment?: Record<string, string | undefined>;
}

/** The flags of `tollgate run`, and who hears of it. */
export interface RunTaskOptions extends Whereabouts {
  /** Aborted: the CLIs are ended, what is known is written, and the promise resolves. */
  signal?: AbortSignal;
  /** Hears what the command would say on stderr. */
  say?(sentence: string): void;
  /** While another run has the task. */
  whenTaken?: 'wait' | 'refuse' | 'force';
  /** `all`: every stage that `keep` does not name. */
  redo?: readonly string[];
  keep?: readonly string[];
  /** `rechecked`: nothing is paid; the answers are looked at again, and the acceptance commands run on the tree as it is. */
  finished?: 'trusted' | 'rechecked';
  /** Of stages whose prompt has changed, and that neither `redo` nor `keep` names. */
  changed?: 'refuse' | 'redo' | 'keep';
  /** How far away the reset of a usage limit may be that is waited for. */
  waitForResetMs?: number;
  badVerdicts?: 'reported' | 'fail';
  outOfScope?: 'reported' | 'restored';
  trustWorkspace?: boolean;
}

/** Of a stage or of a task; `signature` is equal for two ends of one failure. */
export interface WhatFailed {
  stage: string | null;
  tool: string | null;
  at: string;
  class: ErrorClass;
  /** Rules of a project may add others than those of `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  signature: string | null;
  evidence: { source: string; text: string } | null;
  /** ISO time before which another call is in vain; null where nobody said. */
  retry_at: string | null;
  /** The best first. */
  next_actions: NextAction[];
  /** ISO time of the success that came after it. */
  resolved_at: string | null;
}

export interface EndedStage {
  stage: string;
  tool: string | null;
  state: string;
  /** The file with its answer. */
  answer: string | null;
  gate: 'passed' | 'failed' | null;
  /** Paid calls of this run. */
  calls: number;
  tokens: number | null;
  class: ErrorClass | null;
  /** Rules of a project may add others than those of `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  session_id: string | null;
}

/** A part of what `tollgate run --json` prints, and all of that is there. */
export interface TaskReport {
  schema: 1;
  task_id: string;
  goal: string;
  state: 'done' | 'failed' | 'interrupted' | 'refused' | 'parked';
  /** What the command would exit with. */
  exit_code: number;
  message: string | null;
  stages: EndedStage[];
  failure: WhatFailed | null;
  budget: { used: number; total: number; left: number };
  spent: { tokens: number; usd: number; calls_without_tokens: number; calls_without_price: number };
  files: { summary: string; stats: string; last_failure: string | null; outputs: string };
  next_actions: NextAction[];
  notes: string[];
}

/** Failures are values; what is thrown is a bug of ours. */
export type TaskEnd =
  | { how: 'ran'; report: TaskReport; summary: string }
  /** The task cannot be run as it stands; nothing was paid. */
  | { how: 'refused'; report: TaskReport; summary: string; message: string }
  /** Another run had it, and this is how that one ended. */
  | { how: 'awaited'; exitCode: number; message: string }
  | { how: 'not_run'; exitCode: number; message: string }
  /** A mistake in what was given; nothing was paid. */
  | { how: 'invalid'; message: string };

/** The flags of a wrapper. */
export interface CallToolOptions extends Whereabouts {
  signal?: AbortSignal;
  model?: string;
  /** Goes on in this session. */
  resumeSession?: string;
  /** What the agent may do: look, change the working folder, anything; `read` unless told. */
  access?: 'read' | 'write' | 'full';
  /** Lets the agent commit; only with `access: 'write'`, or `full`, which allows it anyway. */
  allowCommit?: boolean;
  timeoutMs?: number;
  idleTimeoutMs?: number;
  maxTurns?: number;
  trustWorkspace?: boolean;
  /** Whose budget pays; nobody's unless told. */
  task?: string;
  stage?: string;
  /** A folder that keeps `answer.md`, `stderr.log` and `record.json`; without one they are gone once they are read. */
  keepIn?: string;
}

export interface ToolAnswer {
  ok: boolean;
  /** Empty where none came. */
  answer: string;
  /** Where it failed, in one sentence. */
  message: string | null;
  class: ErrorClass | null;
  /** Rules of a project may add others than those of `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  signature: string | null;
  retry_at: string | null;
  session_id: string | null;
  /** `null` is unknown, never zero. */
  tokens: number | null;
  /** What the wrapper would exit with. */
  exit_code: number;
}

/** A call that anybody made, as it was captured. */
export interface Captured {
  tool: ToolName;
  stderr?: string;
  stdout?: string;
  exitCode?: number | null;
}

export interface JudgedText {
  /** null: a success. */
  class: ErrorClass | null;
  /** Rules of a project may add others than those of `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  evidence: { source: string; text: string; rule: string } | null;
  retry_at: string | null;
  signature: string | null;
}

/** How a task stands, by its journal. */
export type TaskStanding =
  | {
      how: 'read';
      task_id: string;
      folder: string;
      state: string;
      /** ISO time of the last thing that happened. */
      at: string | null;
      calls: { used: number; budget: number | null };
      failure: WhatFailed | null;
      next_action: NextAction | null;
      /** `_summary.md`; null where no run has left one. */
      summary: string | null;
    }
  | { how: 'invalid'; message: string };

/** Runs the stages of a task in order: what `tollgate run` does. @param task an id, or a path that holds a `/`. */
export type RunTask = (task: string, options?: RunTaskOptions) => Promise<TaskEnd>;

/** One guarded call of one CLI: what its wrapper does. */
export type CallTool = (tool: ToolName, prompt: string, options?: CallToolOptions) => Promise<ToolAnswer>;

/** The verdict on a captured call. @param now for waits that count from now; this moment unless told. */
export type Triage = (captured: Captured, now?: Date) => JudgedText;

/** Equal for two ends of one failure, in any task; null for a success. */
export type SignatureOf = (captured: Captured) => string | null;

/** Reads only. */
export type ReadStanding = (task: string, options?: Whereabouts) => Promise<TaskStanding>;
