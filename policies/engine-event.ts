// What the three CLIs tell while they run, in one vocabulary: each adapter translates its own stream into these facts.

/** A failure in the engine's own words, attributed to it by the stream's structure and never to the model's text. */
export interface EngineFailure {
  message: string;
  /** HTTP status, where the CLI says it. */
  status?: number;
  /** A symbolic code such as `insufficient_quota` or `RESOURCE_EXHAUSTED`. */
  code?: string;
  /** The CLI's own type of the error, such as `authentication`. */
  type?: string;
}

export type EngineEvent =
  | { how: 'session_named'; id: string }
  | { how: 'model_named'; model: string }
  /** A piece of the answer; `whole` replaces what the same message streamed before. */
  | { how: 'said'; text: string; whole: boolean }
  | { how: 'turn_began' }
  | { how: 'tool_began'; name: string }
  /** Text before a tool's result is no answer: the answer is what follows the last one. */
  | { how: 'tool_ended'; name: string; denied: boolean; message?: string }
  | { how: 'warned'; message: string }
  /** An error event that need not be the end. */
  | { how: 'erred'; failure: EngineFailure }
  /** The CLI announces that it will call the model again after a failure. */
  | { how: 'retrying'; failure: EngineFailure }
  | { how: 'counted'; usage: Partial<Usage> }
  | { how: 'completed' }
  | { how: 'failed'; failure: EngineFailure };

/** What one call used. `null` is unknown, never zero. */
export interface Usage {
  api_requests: number | null;
  turns: number | null;
  input_tokens: number | null;
  cached_tokens: number | null;
  output_tokens: number | null;
  total_tokens: number | null;
  usd: number | null;
}

export const UNKNOWN_USAGE: Usage = {
  api_requests: null,
  turns: null,
  input_tokens: null,
  cached_tokens: null,
  output_tokens: null,
  total_tokens: null,
  usd: null,
};
