// Declares what `import … from 'tollgate'` provides. build.mjs ships it as the package's types, with imported types written out.

import type { ErrorClass } from '../policies/facts/classes.ts';
import type { NextAction } from '../policies/facts/next-action.ts';
import type { FailureReason } from '../policies/verdict/reasons.ts';

export type { ErrorClass, FailureReason, NextAction };

/** A CLI that has a wrapper in Tollgate. */
export type ToolName = 'gemini' | 'copilot' | 'codex' | 'claude';

/** Where something is done, and with which environment. */
export interface Whereabouts {
  /** The project, or a folder of it; by default the current folder of the process. */
  cwd?: string;
  /** What the CLIs inherit; by default the environment of the process. */
  environment?: Record<string, string | undefined>;
}

/** How to stop a run and receive its messages, and the flags of every run. */
export interface AnyRunOptions extends Whereabouts {
  /** If it aborts, the CLIs are ended, what is known is written, and the promise resolves. */
  signal?: AbortSignal;
  /** Receives what the command would print on stderr. */
  say?(sentence: string): void;
  /** What to do while another run has the task. */
  whenTaken?: 'wait' | 'refuse' | 'force';
  /** Waits for the reset of a usage limit if it is at most this far away. */
  waitForResetMs?: number;
  outOfScope?: 'reported' | 'restored';
  trustWorkspace?: boolean;
}

/** The flags of `tollgate run`. */
export interface RunTaskOptions extends AnyRunOptions {
  /** `all`: every stage that `keep` does not name. */
  redo?: readonly string[];
  keep?: readonly string[];
  /** `rechecked`: nothing is paid. The answers are checked again, and the acceptance commands run on the current tree. */
  finished?: 'trusted' | 'rechecked';
  /** For stages whose prompt has changed, and that neither `redo` nor `keep` names. */
  changed?: 'refuse' | 'redo' | 'keep';
  badVerdicts?: 'reported' | 'fail';
}

/** The flags of `tollgate supervise`. */
export interface SuperviseOptions extends AnyRunOptions {
  /** `restart` ignores earlier instructions and results. */
  begin?: 'resume' | 'restart';
  /** What to do with a tree that has changed since the session was saved. */
  movedTree?: 'refused' | 'accepted';
}

export interface AnswerOptions extends SuperviseOptions {
  /** Keeps the answer for the next run, and starts none. */
  later?: boolean;
}

/** The failure of a stage or of a task; `signature` is equal for two ends of one failure. */
export interface WhatFailed {
  stage: string | null;
  tool: string | null;
  at: string;
  class: ErrorClass;
  /** Rules of a project may add reasons that are not in `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  signature: string | null;
  evidence: { source: string; text: string } | null;
  /** ISO time before which another call is useless; null if it is not known. */
  retry_at: string | null;
  /** The best action first. */
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
  /** Rules of a project may add reasons that are not in `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  session_id: string | null;
  /** What its answer lacks, such as a denied tool or a failed MCP server. */
  lacks: readonly string[];
}

/** A part of what `tollgate run --json` prints; the object contains all of that. */
export interface TaskReport {
  schema: 1;
  task_id: string;
  goal: string;
  state: 'done' | 'failed' | 'interrupted' | 'refused' | 'parked';
  /** The exit code that the command would have. */
  exit_code: number;
  message: string | null;
  stages: EndedStage[];
  failure: WhatFailed | null;
  budget: { used: number; total: number; left: number };
  spent: { tokens: number; usd: number; calls_without_tokens: number; calls_without_price: number };
  files: { summary: string; stats: string; last_failure: string | null; outputs: string };
  next_actions: NextAction[];
  notes: string[];
  /** Of a supervised task. */
  supervision?: SupervisionState;
}

/** A part of what the summary of a supervised task says. */
export interface SupervisionState {
  /** How it ended; null while it runs. */
  how: 'done' | 'saved' | 'parked' | 'stopped' | 'interrupted' | null;
  iteration: number;
  instruction: string;
  /** What the reasoner asks the user; `answer` continues the task. */
  question: string | null;
  /** The reasoner's summary of a task that is done. */
  summary: string | null;
  /** `path (how)` of each change since it began. */
  changed: string[];
  /** The command that resumes it; `supervise` does the same. */
  resume: string | null;
}

/** Failures are values; an error is thrown only if it is internal. */
export type TaskEnd =
  | { how: 'ran'; report: TaskReport; summary: string }
  /** The task cannot be run in its present state; nothing was paid. */
  | { how: 'refused'; report: TaskReport; summary: string; message: string }
  /** Another run had the task, and this is how that run ended. */
  | { how: 'awaited'; exitCode: number; message: string }
  | { how: 'not_run'; exitCode: number; message: string }
  /** A mistake in the input; nothing was paid. */
  | { how: 'invalid'; message: string };

/** What a running call reports, with secrets removed: a line of its text, a tool that it uses, anything else in words. */
export interface ToolEvent {
  type: 'text' | 'tool' | 'note';
  text: string;
}

/** Await it for its end. Iterate it at once for the events until then. */
export type WithEvents<End, Event> = Promise<End> & AsyncIterable<Event>;

/** A captured call, which any program may have made. */
export interface Captured {
  tool: ToolName;
  stderr?: string;
  stdout?: string;
  exitCode?: number | null;
}

export interface JudgedText {
  /** null means success. */
  class: ErrorClass | null;
  /** Rules of a project may add reasons that are not in `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  evidence: { source: string; text: string; rule: string } | null;
  retry_at: string | null;
  signature: string | null;
}

/** The state of a task, from its journal. */
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
      /** `_summary.md`; null if no run has written one. */
      summary: string | null;
    }
  | { how: 'invalid'; message: string };

/** What one run of a distillation may do. */
export interface ResumeBookOptions extends Whereabouts {
  /** If it aborts, the answer that is being paid is awaited and kept, and the promise resolves. */
  signal?: AbortSignal;
  /** If it aborts, nothing is awaited: the section in progress is paid again by the next run. */
  halt?: AbortSignal;
  model?: string;
  /** From 0 to 2. */
  temperature?: number;
  /** The text with which the last section ends. */
  endMarker?: string;
  /** Checks of an answer that do not pause it. */
  noCheck?: readonly ('refusal' | 'short' | 'loop' | 'control-tokens' | 'finish-reason' | 'model-changed')[];
  /** Stops this run, between two sections. */
  maxSeconds?: number;
  /** These three are limits of the whole distillation. */
  maxTokens?: number;
  maxUsd?: number;
  maxCalls?: number;
  /** Pauses if the service requires a longer wait; a minute by default. */
  autoWaitMs?: number;
  /** How long one answer may take; half an hour by default. */
  answerTimeoutMs?: number;
  /** The folder of the live document. */
  out?: string;
  trustWorkspace?: boolean;
  /** Writes the sections so far in these formats when the run ends. */
  exports?: readonly ('md' | 'txt' | 'pdf')[];
  /** What to do with an answer that is held: by default its section is requested again. */
  held?: 'ask_again' | 'accept';
  /** `force` takes it over from a host that no longer exists. */
  whenTaken?: 'refuse' | 'force';
}

/** The flags of `tollgate distill`. */
export interface BookOptions extends Omit<ResumeBookOptions, 'held' | 'whenTaken'> {
  /** The file of the system instruction; by default a general one. */
  promptFile?: string;
  /** By default the file name of the book without its ending. */
  name?: string;
  /** A CLI, instead of the Gemini API, whose key is `GEMINI_API_KEY` of the environment. */
  via?: ToolName;
}

/** A part of what `tollgate distill status --json` prints. */
export interface BookState {
  name: string;
  /** `complete`, `paused (…)`, `stopped`, `interrupted`, `open`, `running`, `driven elsewhere (…)`. */
  state: string;
  /** Why it is paused; null if it is not. */
  reason: string | null;
  evidence: string;
  book: string;
  model: string;
  sections: number;
  /** Sections that will be requested again. */
  wanted: readonly number[];
  /** The section whose answer is held. */
  held_section: number | null;
  tokens: number;
  estimated_tokens: number;
  usd: number;
  /** Answers without a known price. */
  unpriced_answers: number;
  calls: { used: number; total: number };
  /** The live document. */
  document: string;
  folder: string;
  next_actions: NextAction[];
}

/** What a running distillation reports, as its `--json` prints it, with secrets removed. */
export type BookEvent =
  | { event: 'begun' | 'resumed'; name: string; book: string; model: string; sections: number }
  | { event: 'noted'; text: string }
  | { event: 'uploading'; why: string; bytes: number; of: number }
  | { event: 'processing'; elapsed_ms: number }
  | { event: 'uploaded'; file: string; expires_at: string | null }
  | { event: 'asking'; section: number; attempt: number }
  | {
      event: 'waiting';
      what: 'upload' | 'section';
      section: number | null;
      attempt: number;
      wait_ms: number;
      why: string;
    }
  | {
      event: 'answered';
      section: number;
      title: string;
      tokens: number;
      estimated: boolean;
      total_tokens: number;
      total_usd: number;
      elapsed_ms: number;
      held: { name: string; evidence: string } | null;
    }
  | { event: 'deleted'; section: number; again: boolean };

export type BookEnd =
  /** `exports`: the written files. `notes`: what could not be exported, and why. */
  | { how: 'ended'; book: BookState; exports: string[]; notes: string[] }
  /** Another process drives it. */
  | { how: 'taken'; message: string }
  /** The disk or the state failed; what was paid for is kept. */
  | { how: 'failed'; message: string }
  /** A mistake in the input; nothing was paid. */
  | { how: 'invalid'; message: string };

/** The state of a distillation. */
export type BookStanding = { how: 'read'; book: BookState } | { how: 'invalid'; message: string };

/** Runs the stages of a task in order, like `tollgate run`. @param task an id, or a path that contains a `/`. */
export type RunTask = (task: string, options?: RunTaskOptions) => Promise<TaskEnd>;

/** Distils a book, or continues with the same one, like `tollgate distill`. @param book its file: PDF, EPUB or text. */
export type Distill = (book: string, options?: BookOptions) => WithEvents<BookEnd, BookEvent>;

/** Continues a distillation by its name. */
export type ResumeBook = (name: string, options?: ResumeBookOptions) => WithEvents<BookEnd, BookEvent>;

/** Ends one that any process drives, once the answer that is being paid is there. Returns at once. */
export type EndBook = (name: string, how: 'pause' | 'stop', options?: Whereabouts) => Promise<BookStanding>;

/** Reads only. */
export type ReadBook = (name: string, options?: Whereabouts) => Promise<BookStanding>;

/** Lets a reasoner direct a worker, like `tollgate supervise`. Its events are notes. @param task also a session of one of them. */
export type Supervise = (task: string, options?: SuperviseOptions) => WithEvents<TaskEnd, ToolEvent>;

/** The answer is stored, and the task does not run: it needs no answer, or the caller chose `later`. */
export interface NotedAnswer {
  how: 'noted';
  task_state: 'running' | 'waiting' | 'at_rest' | 'done';
  message: string;
}

/** Answers the reasoner of a supervised task, like `tollgate answer`, and continues the task if it waits for that. */
export type Answer = (
  task: string,
  text: string,
  options?: AnswerOptions,
) => WithEvents<TaskEnd | NotedAnswer, ToolEvent>;

/** Returns the verdict on a captured call. @param now for waits that count from now; by default the current time. */
export type Triage = (captured: Captured, now?: Date) => JudgedText;

/** Equal for two ends of one failure, in any task; null for a success. */
export type SignatureOf = (captured: Captured) => string | null;

/** Reads only. */
export type ReadStanding = (task: string, options?: Whereabouts) => Promise<TaskStanding>;
