// Declares the sessions under their tags, one conversation, and the health of the services.

import type { Opening } from '../../policies/prompt/opening.ts';
import type { ShownTurn } from '../../policies/session/conversation.ts';

export interface SessionsShown {
  sessions: SessionLine[];
}

export interface SessionLine {
  tag: string;
  /** Of the task whose id is the tag; null if there is none. */
  goal: string | null;
  /** The task and the stage that it was made by last; null if its tag is no task. */
  made_by: { task_id: string; stage: string } | null;
  tool: string;
  session_id: string;
  last_used: string;
  error_count: number;
  turns: number | null;
  context_tokens: number | null;
  /** In words. */
  health: string;
  /** Whether the CLI still has the conversation. */
  kept: boolean;
}

export interface HealthShown {
  /** null if none was ever seen. */
  days_without: number | null;
  last_unrecovered: string | null;
  days: { day: string; unrecovered: number; recovered: number; users: number; open: number }[];
}

/** A call that the conversation was made by. */
export interface SessionCall {
  task_id: string;
  stage: string;
  attempt: number;
  /** ISO time of its reservation. */
  at: string;
  /** Of its failure; null if it has none. */
  class: string | null;
}

export interface TurnShown extends ShownTurn {
  /** What Tollgate put before the goal; null in a prompt that it did not compose. */
  opening: Opening | null;
}

export interface ConversationShown {
  /** null if no tag leads to the session. */
  tag: string | null;
  goal: string | null;
  /** Oldest first; of the tasks that use its tag. */
  calls: SessionCall[];
  tool: string;
  session_id: string;
  all: number;
  reverted: number;
  turns: TurnShown[];
  /** The newest first. */
  redo: { n: number; at: string; next: boolean }[];
  notes: string[];
  /** `flaws`: why the service would reject it, the last of `lines`; empty if nothing is known to be wrong. */
  health: { lines: string[]; flaws: string[]; flawed_turns: number[] };
}
