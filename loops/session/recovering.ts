// Defines the recovery of a conversation: its input, and its result.

import type { ContextTokens, Flaw } from '../../policies/session/conversation.ts';
import type { EditKind } from '../../policies/session/session-edits.ts';
import type { SessionFile, SessionStore } from '../../wrappers/sessions/store.ts';
import type { Holder } from './edit.ts';

export interface RecoveringConversation {
  store: SessionStore;
  session: SessionFile;
  environment: NodeJS.ProcessEnv;
  cwd: string;
  clock: () => Date;
  holder: Holder;
  /** The version of Tollgate, for a diagnostic. */
  version: string;
}

export interface SessionHealth {
  turns: number;
  /** null: not known for this version of its CLI. */
  flaws: Flaw[] | null;
  cliVersion: string | null;
  context: ContextTokens | null;
  lastPrompt: string | null;
}

export type RecoveredConversation =
  | { how: 'edited'; what: EditKind; says: string; edit: number; reverted: number }
  /** There was nothing to do. */
  | { how: 'left'; says: string }
  | { how: 'exported'; says: string; file: string }
  /** Nothing was changed. */
  | { how: 'refused'; why: string };
