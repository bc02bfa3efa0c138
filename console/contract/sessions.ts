// Declares the sessions under their tags, one conversation, and the health of the services.

import type { ShownTurn } from '../../policies/session/conversation.ts';

export interface SessionsShown {
  sessions: SessionLine[];
}

export interface SessionLine {
  tag: string;
  tool: string;
  session_id: string;
  last_used: string;
  error_count: number;
  turns: number | null;
  context_tokens: number | null;
  /** In words. */
  health: string;
}

export interface HealthShown {
  /** null if none was ever seen. */
  days_without: number | null;
  last_unrecovered: string | null;
  days: { day: string; unrecovered: number; recovered: number; users: number; open: number }[];
}

export interface ConversationShown {
  tool: string;
  session_id: string;
  all: number;
  reverted: number;
  turns: ShownTurn[];
  /** The newest first. */
  redo: { n: number; at: string; next: boolean }[];
  notes: string[];
  health: { lines: string[]; flawed: boolean };
}
