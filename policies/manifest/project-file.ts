// Defines a project's settings for all its tasks, from `tollgate.yaml` at its root.

import type { OnFail } from '../facts/gate-record.ts';
import type { BuiltIn } from '../facts/tools.ts';
import { type Limits, NO_LIMITS } from '../limits/limits.ts';
import type { OwnToolRow } from '../rules/described-cli.ts';
import { CONTEXT_LIMIT_TOKENS } from '../session/session-policy.ts';
import type { OwnRow } from '../verdict/own-row.ts';
import { SESSION_STEP_MS } from '../verdict/retry.ts';
import type { NotifierRow } from './notifier.ts';
import { PROMPT_CHARS, type PromptLimits } from './prompt-limits.ts';

export interface ProjectFile {
  /** A file of rules that come before every prompt, relative to the project's root; null for the built-in ones. */
  rules: string | null;
  /** Rows that change a built-in role, or add one. */
  roles: Record<string, ProjectRole>;
  /** The project's own pipelines, with stages as in a manifest. */
  pipelines: Record<string, unknown[]>;
  /** US dollars for a million tokens, by model. */
  prices: Record<string, { input: number; cached?: number; output: number }>;
  /** The project's own rows, tried before the built-in ones. */
  triage: { rules: readonly OwnRow[] };
  tools: Readonly<Record<string, OwnToolRow>>;
  /** The prefixes of built-in CLIs, by name. Those of its own CLIs are in `tools`. */
  prefixes: Readonly<Record<string, readonly string[]>>;
  /** What is wrong with each invalid CLI description: one or more sentences, by name. */
  unsound: Readonly<Record<string, string>>;
  /** When a session is replaced by a fresh one, and how long it rests after a failure. */
  sessions: {
    /** The maximum tokens of its context, by tool. */
    context_limit: Record<BuiltIn, number>;
    /** Seconds for each consecutive failure. */
    rest_sec: number;
  };
  /** How long a prompt may be. */
  prompts: PromptLimits;
  /** Limits over all tasks of the project; the user's limits apply too. */
  limits: Limits;
  /** Never used: only the user defines logins. */
  accounts?: unknown;
  /** Who is notified of the end of a run. */
  notify: readonly NotifierRow[];
  /** The commits of `run --commit`. */
  commit: {
    /** `Name <address>`; null for git's own setting. */
    author: string | null;
    /** Lines such as `Reviewed-by: Name`, after the goal. */
    trailers: readonly string[];
  };
}

export interface ProjectRole {
  /** A file, relative to the project's root. */
  template?: string;
  access?: 'read' | 'write';
  requires?: string[];
  min_lines?: number;
  reads?: string[];
  on_fail?: OnFail;
}

export const SESSION_DEFAULTS: ProjectFile['sessions'] = {
  context_limit: {
    gemini: CONTEXT_LIMIT_TOKENS,
    copilot: CONTEXT_LIMIT_TOKENS,
    codex: CONTEXT_LIMIT_TOKENS,
    claude: CONTEXT_LIMIT_TOKENS,
  },
  rest_sec: SESSION_STEP_MS / 1000,
};

export const PROMPT_DEFAULTS: PromptLimits = { max_chars: PROMPT_CHARS, max_chars_by_model: {} };

export const NO_PROJECT_FILE: ProjectFile = {
  rules: null,
  roles: {},
  pipelines: {},
  prices: {},
  triage: { rules: [] },
  tools: {},
  prefixes: {},
  unsound: {},
  sessions: SESSION_DEFAULTS,
  prompts: PROMPT_DEFAULTS,
  limits: NO_LIMITS,
  notify: [],
  commit: { author: null, trailers: [] },
};
