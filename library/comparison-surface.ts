// Declares what the library provides for comparisons; build.mjs ships it with the surface.

import type { ErrorClass, NextAction, Whereabouts } from './surface.ts';

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
