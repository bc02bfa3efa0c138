// Defines the endings that decide by themselves, the rules for a CLI that stopped itself, and verdicts without any message.

import type { Ending } from '../facts/evidence.ts';
import { NO_ANSWER_FIELD } from './described-events.ts';
import type { Meaning, RuleRow } from './rule.ts';

/** null: the CLI's output decides. */
export const ENDING_RULES = {
  exited: null,
  signalled: null,
  timed_out: { id: 'ending-timed-out', class: 'transient', reason: 'timeout' },
  idle: { id: 'ending-idle', class: 'transient', reason: 'idle' },
  // Another paid call with the same limit on turns or output would end the same way.
  max_turns: { id: 'ending-max-turns', class: 'contract_violation', reason: 'max_turns' },
  over_cap: { id: 'ending-over-cap', class: 'quota', reason: 'budget' },
  overflowed: { id: 'ending-overflowed', class: 'contract_violation', reason: 'output_overflow' },
  retry_cut: null,
  requirement_unmet: null,
  lingered: null,
  cancelled: { id: 'ending-cancelled', class: 'transient', reason: 'cancelled' },
  lost: null,
  not_started: { id: 'ending-not-started', class: 'tooling', reason: 'not_started' },
} as const satisfies Record<Ending, Meaning | null>;

/** The idle limit does not apply: a call that never began says nothing about how long a pause may be. */
export const SILENT_START = {
  id: 'ending-silent-start',
  class: 'transient',
  reason: 'silent_start',
  words: 'it was ended before it had written a single byte',
} as const;

/** The call ended with its wrapper, and no output says why. Most likely a user or the system ended both. */
export const LOST = { id: 'left-lost', class: 'transient', reason: 'interrupted' } as const satisfies Meaning;

/** The answer was complete, and would be as large again. A verdict on an answer that is not stored completely has this code. */
export const TOO_LARGE = {
  id: 'left-answer-too-large',
  class: 'contract_violation',
  reason: 'answer_too_large',
} as const satisfies Meaning;

/** The answer is not where the CLI's description says, and a retry would not put it there either. */
export const NO_ANSWER = {
  id: 'left-no-answer-field',
  class: 'tooling',
  reason: NO_ANSWER_FIELD,
} as const satisfies Meaning;

/** The caller requires the server (`--require-mcp`), so an answer without it does not count. */
export const SERVER_LACKS = {
  id: 'required-server',
  class: 'tooling',
  reason: 'mcp_server',
} as const satisfies Meaning;

/** The call waited for a user until its time was over. */
export const SIGN_IN_AWAITED = {
  id: 'ending-sign-in-awaited',
  class: 'auth',
  reason: 'not_signed_in',
} as const satisfies Meaning;

/** The caller does not accept a call with a denied tool (`--fail-on-denied`). A retry would be denied again. */
export const TOOL_DENIED = {
  id: 'required-tools',
  class: 'contract_violation',
  reason: 'tool_denied',
} as const satisfies Meaning;

/** The answer does not fit the schema that the caller gave (`--json-schema`), or that could not be checked. */
export const MISFITS = {
  not_json: { id: 'required-json', class: 'contract_violation', reason: 'not_json' },
  schema_mismatch: { id: 'required-schema', class: 'contract_violation', reason: 'schema_mismatch' },
  schema_unchecked: { id: 'required-schema-unchecked', class: 'contract_violation', reason: 'schema_unchecked' },
} as const satisfies Record<string, Meaning>;

export const LEFTOVERS = {
  /** gemini counts a prompt over the limit before any request, and then reports success with no message. */
  nothingAsked: { id: 'left-nothing-asked', class: 'prompt_too_large', reason: 'over_limit' },
  emptyAnswer: { id: 'left-empty-answer', class: 'transient', reason: 'empty_answer' },
  retryCut: { id: 'left-retry-cut', class: 'transient', reason: 'inner_retry' },
  /** The CLI ended successfully, but its terminal event is missing. */
  noResult: { id: 'left-no-result', class: 'transient', reason: 'cut_answer' },
  unmatched: { id: 'left-unmatched', class: 'unknown', reason: 'unmatched' },
} as const satisfies Record<string, Meaning>;

export const STOP_RULES = [
  {
    id: 'stop-max-turns',
    needs: ['turns'],
    text: /\bmax(?:imum)? (?:number of )?(?:session )?turns\b/i,
    // Another paid call with the same number of turns would end the same way.
    class: 'contract_violation',
    reason: 'max_turns',
    proof: [
      {
        message:
          'Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.',
        type: 'FatalTurnLimitedError',
      },
    ],
  },
  {
    id: 'stop-max-usd',
    tool: 'claude',
    code: ['error_max_budget_usd'],
    // Our own cap, which the CLI keeps for us.
    class: 'quota',
    reason: 'budget',
    proof: [{ message: 'Reached maximum budget ($0.0005)', code: 'error_max_budget_usd' }],
  },
  {
    id: 'stop-hook',
    tool: 'gemini',
    text: /^agent execution (?:stopped|blocked)/i,
    class: 'tooling',
    reason: 'hook_stopped',
    proof: [{ message: 'Agent execution blocked: no network today' }],
  },
  {
    id: 'stop-hook-code',
    code: ['hook_stopped'],
    class: 'tooling',
    reason: 'hook_stopped',
    proof: [
      { message: 'UserPromptSubmit operation blocked by hook:\n[lint]: no', code: 'hook_stopped' },
      { message: 'the turn ended without a request to the model: a hook blocked the prompt', code: 'hook_stopped' },
    ],
  },
  {
    id: 'stop-hook-tool',
    tool: 'gemini',
    code: ['stop_execution'],
    class: 'tooling',
    reason: 'hook_stopped',
    proof: [{ message: 'enough for today', type: 'stop_execution' }],
  },
  {
    id: 'stop-loop',
    text: /^loop detected/i,
    class: 'transient',
    reason: 'loop',
    proof: [{ message: 'Loop detected, stopping execution' }],
  },
  {
    id: 'stop-interrupted',
    status: ['none'],
    needs: ['interrupted', 'aborted', 'cancelled', 'canceled', 'exiting'],
    text: /\bturn (?:was )?(?:interrupted|aborted)\b(?!\. Something went wrong)|\binterrupted \(ctrl-c\)|\boperation (?:was )?cancell?ed\b|\bcancell?ed by (?:the )?user|\boperation was aborted|^exiting…/i,
    class: 'transient',
    reason: 'interrupted',
    proof: [{ message: 'turn interrupted' }],
  },
] as const satisfies readonly RuleRow[];
