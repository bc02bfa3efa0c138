// One session that is gone on with, as `sessions.json` holds it for a tag and a tool.

export interface SessionEntry {
  session_id: string;
  /** ISO time of its last call's end. */
  last_used: string;
  /** Failures in a row. */
  error_count: number;
  /** Of all its calls, as far as they were counted. */
  total_tokens: number;
  /** Prompt plus output of the last model request; null is unknown. */
  context_tokens: number | null;
  feature_id: string;
  /** Where its CLI ran. */
  cwd: string;
  /** Why nobody should go on in it. */
  poisoned?: string;
  /** The session that it took the place of, which a task may still name. */
  in_place_of?: string;
}

/** gemini takes these for "the last one" and "the n-th of its list", which may be anybody's. */
export const NO_ID = /^(?:latest|\d+)$/i;

/** As every CLI makes one. */
export const WHOLE_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A whole one, or its beginning: fewer digits are too easily a word, or another session's. */
export const ID_OR_PREFIX = /^[0-9a-f]{7,8}$|^[0-9a-f]{8}-[0-9a-f-]{0,27}$/i;
export const ID_MUST = 'must be the id of a session as its CLI shows it, or the first 7 digits of it or more';
