// Endings that decide by themselves, and what is left when nothing was said.

import type { Ending } from '../facts/ending.ts';
import { NO_ANSWER_FIELD } from '../own-tool/answer-field.ts';
import type { Rule } from '../rule/rule.ts';

type Means = Pick<Rule, 'id' | 'class' | 'reason'>;

/** null: what the CLI said decides. */
export const ENDING_RULES = {
  exited: null,
  signalled: null,
  timed_out: { id: 'ending-timed-out', class: 'transient', reason: 'timeout' },
  idle: { id: 'ending-idle', class: 'transient', reason: 'idle' },
  // To pay again for the same number of turns, or for as much output, would end the same way.
  max_turns: { id: 'ending-max-turns', class: 'contract_violation', reason: 'max_turns' },
  overflowed: { id: 'ending-overflowed', class: 'contract_violation', reason: 'output_overflow' },
  retry_cut: null,
  requirement_unmet: null,
  lingered: null,
  cancelled: { id: 'ending-cancelled', class: 'transient', reason: 'cancelled' },
  lost: null,
  not_started: { id: 'ending-not-started', class: 'tooling', reason: 'not_started' },
} as const satisfies Record<Ending, Means | null>;

/** No limit of rest has a say in it: what never began says nothing of how long a pause may be. */
export const SILENT_START = {
  id: 'ending-silent-start',
  class: 'transient',
  reason: 'silent_start',
  words: 'it was ended before it had written a single byte',
} as const;

/** It went down with its wrapper, and nothing that was said tells why: most likely somebody ended both. */
export const LOST = { id: 'left-lost', class: 'transient', reason: 'interrupted' } as const satisfies Means;

/** It was all there, and would be as large again: what is made of an answer that is not kept whole bears this code. */
export const TOO_LARGE = {
  id: 'left-answer-too-large',
  class: 'contract_violation',
  reason: 'answer_too_large',
} as const satisfies Means;

/** Its description looks for the answer where it does not print it, and would the next time. */
export const NO_ANSWER = {
  id: 'left-no-answer-field',
  class: 'tooling',
  reason: NO_ANSWER_FIELD,
} as const satisfies Means;

/** The caller requires it (`--require-mcp`): an answer without it is none. */
export const SERVER_LACKS = {
  id: 'required-server',
  class: 'tooling',
  reason: 'mcp_server',
} as const satisfies Means;

/** It waited for a person until its time was over. */
export const SIGN_IN_AWAITED = {
  id: 'ending-sign-in-awaited',
  class: 'auth',
  reason: 'not_signed_in',
} as const satisfies Means;

/** The caller does not accept a call with a denied tool (`--fail-on-denied`). Asked again it would be denied again. */
export const TOOL_DENIED = {
  id: 'required-tools',
  class: 'contract_violation',
  reason: 'tool_denied',
} as const satisfies Means;

export const LEFTOVERS = {
  /** gemini counts a prompt over the limit before it asks, and then reports success without a word. */
  nothingAsked: { id: 'left-nothing-asked', class: 'prompt_too_large', reason: 'over_limit' },
  emptyAnswer: { id: 'left-empty-answer', class: 'transient', reason: 'empty_answer' },
  retryCut: { id: 'left-retry-cut', class: 'transient', reason: 'inner_retry' },
  /** The CLI ended well, but its terminal event is missing. */
  noResult: { id: 'left-no-result', class: 'transient', reason: 'cut_answer' },
  unmatched: { id: 'left-unmatched', class: 'unknown', reason: 'unmatched' },
} as const satisfies Record<string, Means>;
