// Defines one session that can be resumed, as `sessions.json` stores it for a tag and a tool.

export interface SessionEntry {
  session_id: string;
  /** ISO time of its last call's end. */
  last_used: string;
  /** Consecutive failures. */
  error_count: number;
  /** The tokens of all its calls, as far as they were counted. */
  total_tokens: number;
  /** Prompt plus output of the last model request; null if unknown. */
  context_tokens: number | null;
  feature_id: string;
  /** The folder in which its CLI ran. */
  cwd: string;
  /** Why the session must not be resumed. */
  poisoned?: string;
  /** The session that this one replaced; a task may still name it. */
  in_place_of?: string;
}

/** gemini reads these as "the last session" and "the n-th of its list". Either may belong to another task. */
export const NO_ID = /^(?:latest|\d+)$/i;

/** The format that every CLI uses. */
export const WHOLE_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A whole id or its beginning. Fewer digits could easily be a word, or match another session. */
export const ID_OR_PREFIX = /^[0-9a-f]{7,8}$|^[0-9a-f]{8}-[0-9a-f-]{0,27}$/i;
export const ID_MUST = 'must be the id of a session as its CLI shows it, or the first 7 digits of it or more';
