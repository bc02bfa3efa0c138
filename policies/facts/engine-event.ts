// Defines the events and the usage of the CLIs in one vocabulary: each adapter translates its own stream into these facts.

/** A failure in the engine's own words, attributed to it by the stream's structure and never to the model's text. */
export interface EngineFailure {
  message: string;
  /** HTTP status, if the CLI reports it. */
  status?: number;
  /** A symbolic code such as `insufficient_quota`, `RESOURCE_EXHAUSTED` or `ECONNREFUSED`. */
  code?: string;
  /** The CLI's or the service's own type of the error, such as `authentication` or `TerminalQuotaError`. */
  type?: string;
  /** Other data of the service, unchanged: quota ids, reset times. */
  details?: string;
}

/** The state of an MCP server, as its CLI reports it. `pending`: it is not connected yet. */
export type ServerState = 'connected' | 'pending' | 'failed' | 'needs_auth' | 'disconnected' | 'disabled';

/** Each fact is independent: a reader of one line keeps no state, and the capture combines the facts. */
export type EngineEvent =
  | { how: 'session_named'; id: string }
  | { how: 'model_named'; model: string }
  /** Text of the answer: a piece of a message, or a whole one, whose pieces may have been reported before. */
  | { how: 'said'; text: string; whole: boolean; message: string | null }
  /** An event longer than the limit: text of the answer if that is known, otherwise `unknown`. */
  | { how: 'outsized'; what: 'answer' | 'unknown' }
  /** The engine's turn began: it calls the model at least once. */
  | { how: 'turn_began' }
  /** One request to the model. */
  | { how: 'requested' }
  /**
   * `server`: the MCP server that provides it; `rule`: the permission that allows it, in the CLI's own syntax; `subject`: the
   * command, file or address of the use, with all secrets in it; `ofAgent`: a sub-agent uses it.
   */
  | { how: 'tool_began'; id: string; name: string; server?: string; rule?: string; subject?: string; ofAgent?: true }
  /**
   * Text before a tool's result is no answer; that follows the last one. `by`: the user's hook or rule that denied it; `gone`: the
   * words for an ended MCP server.
   */
  | {
      how: 'tool_ended';
      id: string;
      name: string | null;
      denied: boolean;
      rule?: string;
      by?: string;
      gone?: string;
      ofAgent?: true;
    }
  /** A denial that is reported separately from the tool's result; the same one may be reported several times. */
  | { how: 'tool_denied'; id: string; name: string | null; rule?: string; by?: string }
  /**
   * The state of an MCP server; the last one counts. `name`: null if the CLI does not report it. `unlessKnown`: a guess. `final`:
   * no later one counts. `tools`: the CLI reports separately when it knows the server's tools.
   */
  | {
      how: 'server';
      name: string | null;
      state: ServerState;
      why?: string;
      unlessKnown?: true;
      final?: true;
      tools?: 'awaited' | 'known';
    }
  /** Every MCP server of the call was named before this. */
  | { how: 'servers_listed' }
  /** How the service ended a message of the agent; the last one counts. `cut`: why it lacks its end; null if it is whole. */
  | { how: 'message_ended'; cut: string | null }
  /** `unless`: a warning that begins so was reported before, and tells more of the same. */
  | { how: 'warned'; message: string; unless?: string }
  /** The CLI prompts for a sign-in and waits, but no user will answer. */
  | { how: 'asked_to_sign_in'; message: string }
  /** An error event that need not be the end. `framed`: the CLI's own words for what the service reported just before. */
  | { how: 'erred'; failure: EngineFailure; framed?: true }
  /** The CLI will call the model again. An empty message confirms the one before. `keeps`: it continues its text. */
  | { how: 'retrying'; failure: EngineFailure; keeps?: true }
  /** The CLI gives up, and may still report success, which does not count: unless it has an answer, or one that follows. */
  | { how: 'stopped'; failure: EngineFailure; unless?: 'answered' | 'answered_later' }
  /** Totals so far; `adds`: amounts on top of those reported before. */
  | { how: 'counted'; usage: ReportedUsage; adds?: true }
  /** What one request used so far. A later event of the same `request` replaces what it reports of it. */
  | { how: 'spent'; request: string; used: Partial<RequestUsage> }
  /** The last state of a sub-agent counts; `unlessKnown`: not this one, if there is another. */
  | { how: 'sub_agent'; id: string; state: 'working' | 'done' | 'failed'; unlessKnown?: true }
  /** `endsTools`: tools and sub-agents that still work end with it. */
  | { how: 'completed'; endsTools?: true }
  /** The terminal failure; with an empty message the last error gives the reason. */
  | { how: 'failed'; failure: EngineFailure };

/** The tokens of one request to the model. `input_tokens` includes those from the cache. */
export interface RequestUsage {
  /** null if it is that of the call. */
  model: string | null;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
}

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

/** What an event or a file reports of it. */
export type ReportedUsage = Partial<Usage>;

export const UNKNOWN_USAGE: Usage = {
  api_requests: null,
  turns: null,
  input_tokens: null,
  cached_tokens: null,
  output_tokens: null,
  total_tokens: null,
  usd: null,
};

/** A CLI that reports requests reports turns. Else a turn begins with the first event after a tool's result. */
export function createTurns() {
  let turns = 0;
  let isReported = false;
  let results = false;
  return {
    began() {
      turns++;
      results = false;
    },
    areReported() {
      isReported = true;
    },
    acted(running: number) {
      if (isReported || !results || running > 0) return;
      turns++;
      results = false;
    },
    gotResult() {
      results = true;
    },
    count: () => (turns === 0 ? null : turns),
  };
}

/** An unknown cost makes the total cost unknown. */
export const addedUsage = (usage: Usage, more: ReportedUsage): ReportedUsage =>
  Object.fromEntries(
    Object.entries(more).map(([name, n]) => [
      name,
      name === 'usd' && n === null ? null : (usage[name as keyof Usage] ?? 0) + (n ?? 0),
    ]),
  );

/** An id becomes an argument of its CLI, where a leading dash would make it a flag. */
export const isSessionId = (text: string): boolean => /^[^-\s\p{Cc}][^\s\p{Cc}]{0,299}$/u.test(text);
