// Declares what the library provides for calls and comparisons; build.mjs ships it with the surface.

import type { ErrorClass, FailureReason, NextAction, ToolEvent, ToolName, Whereabouts, WithEvents } from './surface.ts';

/** The flags of a wrapper. */
export interface CallToolOptions extends Whereabouts {
  signal?: AbortSignal;
  model?: string;
  /** Continues this session. */
  resumeSession?: string;
  /** What the agent may do: look, change the working folder, anything; by default `read`. */
  access?: 'read' | 'write' | 'full';
  /** Lets the agent commit; only with `access: 'write'`, or `full`, which allows it anyway. */
  allowCommit?: boolean;
  timeoutMs?: number;
  idleTimeoutMs?: number;
  /** Ends a call that has written nothing after this time; 120,000 by default; 0: never. */
  startTimeoutMs?: number;
  maxTurns?: number;
  /** Ends the call before its next model request once it has used this many tokens, or dollars (needs a price, or claude). */
  maxTokens?: number;
  maxUsd?: number;
  maxOutputBytes?: number;
  /** `cut` (the default) ends the call at the CLI's own retry, which would be paid. */
  innerRetries?: 'cut' | 'allow';
  /** Fails (`mcp_server`) unless these MCP servers work; `all`: every server. */
  requireMcp?: readonly string[];
  /** Fails (`tool_denied`) when a tool of the agent is denied; otherwise `warnings` names it. */
  failOnDenied?: boolean;
  /** Tools that the agent may use without asking, or may not use: of copilot and claude. */
  allowTool?: readonly string[];
  denyTool?: readonly string[];
  /** How hard the model thinks: `low`, `medium`, `high`, `xhigh`, of claude also `max`. Of codex and claude. */
  effort?: string;
  /** Both of gemini: its sandbox, and `default`, `auto_edit` or `yolo` instead of the mode that `access` selects. */
  sandbox?: boolean;
  approvalMode?: string;
  /** An account of the user's settings. */
  account?: string;
  /** A JSON Schema: the answer is JSON that fits it, or the call fails. */
  schema?: Readonly<Record<string, unknown>>;
  trustWorkspace?: boolean;
  /** The task whose budget pays; by default none. */
  task?: string;
  /** The task may be one that does not exist yet; it may pay 10 calls. */
  newTask?: boolean;
  stage?: string;
  /** A folder that keeps `answer.md`, `stderr.log` and `record.json`; without one they are deleted after they are read. */
  keepIn?: string;
  /** Keeps the unredacted output of the CLI in a private folder. */
  keepRaw?: boolean;
  /** Relays the requests, so that the log of API failures holds the failed one, without keys. */
  recordRequests?: boolean;
  /** Calls although another call found that the service refuses this tool, account and model for now. */
  ignoreHold?: boolean;
}

export interface ToolAnswer {
  ok: boolean;
  /** Empty if there is no answer. */
  answer: string;
  /** What failed, in one sentence. */
  message: string | null;
  class: ErrorClass | null;
  /** Rules of a project may add reasons that are not in `FailureReason`. */
  reason: FailureReason | (string & {}) | null;
  signature: string | null;
  retry_at: string | null;
  /** What to do after a failure, the best action first. */
  next_actions: NextAction[];
  /** What the answer lacks, such as a denied tool or a failed MCP server. */
  warnings: string[];
  session_id: string | null;
  /** `null` means unknown, never zero. */
  tokens: number | null;
  /** The exit code that the wrapper would have. */
  exit_code: number;
}

/** Makes one guarded call of one CLI, like its wrapper. @param tool also a CLI that `tollgate.yaml` of a trusted project describes. */
export type CallTool = (
  tool: ToolName | (string & {}),
  prompt: string,
  options?: CallToolOptions,
) => WithEvents<ToolAnswer, ToolEvent>;

/** Options of every function about a comparison. */
export interface ComparisonOptions extends Whereabouts {
  /** If it aborts, the CLIs are ended; the comparison can be resumed. */
  signal?: AbortSignal;
  /** Receives what the command would print on stderr. */
  say?(sentence: string): void;
  trustWorkspace?: boolean;
  /** The number of paid calls at the same time; by default all. */
  concurrency?: number;
}

/** The flags of `tollgate compare`. */
export interface CompareOptions extends ComparisonOptions {
  /** 2 to 16, each as `TOOL[:MODEL][@ACCOUNT]`. */
  variants: readonly string[];
  /** What the text is; `task`: an id, or a path that contains a `/`. */
  what?: 'prompt' | 'task';
  /** Of a prompt. */
  access?: 'read' | 'write';
  /** Of a prompt: commands that must succeed after the answer. */
  acceptance?: readonly string[];
  /** Of a task: only these stages get the CLI of the variant. */
  stages?: readonly string[];
  /** What to do with a tree that has uncommitted changes, which no variant sees. */
  dirtyTree?: 'refuse' | 'allow';
  /** Of all variants together, shared equally. */
  maxCalls?: number;
  maxTokens?: number;
  maxUsd?: number;
}

/** One variant of a comparison. null means unknown, or not applicable. */
export interface VariantResult {
  n: number;
  name: string;
  tool: string;
  model: string | null;
  account: string | null;
  task_id: string;
  state: string;
  class: ErrorClass | null;
  reason: string | null;
  sentence: string | null;
  evidence: string | null;
  gate: 'passed' | 'failed' | null;
  verdict: string | null;
  /** What its answers lack, such as a tool that was denied. */
  lacks: string[];
  duration_ms: number | null;
  calls: number;
  tokens: number | null;
  usd: number | null;
  unpriced_calls: number;
  diff: { files: number; added: number; removed: number } | null;
  answer: string | null;
  /** Its commit, with the changes in scope. */
  commit: string | null;
  files: { answer: string | null; diff: string | null; worktree: string | null };
}

/** How a comparison ended. */
export type ComparedEnd =
  /** `diffs`: the changes by the number of the variant, without secrets. */
  | {
      how: 'ran';
      report: {
        comparison_id: string;
        state: 'done' | 'failed' | 'interrupted' | 'running';
        exit_code: number;
        base: string;
        goal: string;
        variants: VariantResult[];
        notes: string[];
        next_actions: NextAction[];
        files: { folder: string; report: string; page: string };
      };
      diffs: Record<string, string>;
    }
  /** A mistake in the input; nothing was paid. */
  | { how: 'invalid'; message: string };

/** `files`: the changed paths. `invalid`: nothing was changed. */
export type PickedEnd =
  | { how: 'picked'; n: number; name: string; files: string[]; next_actions: NextAction[] }
  | { how: 'invalid'; message: string };

/** Sends one prompt or task to several variants, each in its own worktree, like `tollgate compare`. */
export type Compare = (text: string, options: CompareOptions) => Promise<ComparedEnd>;

/** Runs what is not done yet. @param id also `last`. */
export type ResumeComparison = (id: string, options?: ComparisonOptions) => Promise<ComparedEnd>;

/** Applies what a variant changed to the tree, uncommitted. @param variant its number or its name. */
export type PickVariant = (variant: string, options?: ComparisonOptions & { of?: string }) => Promise<PickedEnd>;

/** Removes the worktrees and branches. @param id also `last`. */
export type RemoveComparison = (
  id: string,
  options?: ComparisonOptions,
) => Promise<{ how: 'removed' } | { how: 'invalid'; message: string }>;
