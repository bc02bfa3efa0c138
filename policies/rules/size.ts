// Defines the rules for a prompt, or a prompt with its history, that exceeds a limit.

import type { RuleRow } from './rule.ts';

export const SIZE_RULES = [
  {
    id: 'size-code',
    code: [
      'context_length_exceeded',
      'context_window_exceeded',
      'model_context_window_exceeded',
      'context_limit',
      'model_max_prompt_tokens_exceeded',
      'request_too_large',
      'input_too_large',
      'string_above_max_length',
      'prompt_too_long',
      'E2BIG',
    ],
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [
      {
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        status: 400,
        code: 'context_length_exceeded',
      },
    ],
  },
  {
    // A single request that exceeds the limit per minute never fits.
    id: 'size-over-rate',
    status: ['none', 429],
    text: /\brequest too large\b/i,
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [
      { message: 'Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 41000.', status: 429 },
    ],
  },
  {
    id: 'size-status',
    status: [413, 414],
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [{ message: 'unexpected status 413 Payload Too Large', status: 413 }],
  },
  {
    id: 'size-context',
    status: ['none', 400, 422, '5xx'],
    needs: ['context ', 'prompt length', 'input length', 'model length'],
    text: /\bcontext (?:window|length|limit|size)\b.{0,60}\b(?:exceed|full|overflow|too (?:long|large|small))|\b(?:exceed\w*|ran out of room in|(?:larger|longer|greater) than|over|beyond|too (?:long|large) for)\b.{0,40}\bcontext (?:window|length|limit|size)|maximum (?:context|model|prompt|input) length|\breached its context window limit|\bcontext (?:the )?overflows\b|\bcontext (?:window|length|limit|size)\b.{0,60}\brequested\b/i,
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [
      {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
      },
    ],
  },
  {
    id: 'size-words',
    status: ['none', 400, 422, '5xx'],
    needs: [
      'input',
      'prompt',
      'max',
      'allowed',
      "model's",
      'too long',
      'too large',
      'too big',
      'request payload',
      'message size',
      'request size',
      'request body',
      'reduce the ',
      'token',
    ],
    text: /\b(?:(?:input|prompt) (?:token )?(?:count|size|length)|(?:message|request) size)\b.{0,60}\bexceeds?|\bexceeds? (?:the )?(?:maximum|max\.?|allowed|model's)\b.{0,40}\b(?:tokens?|length|size|characters|bytes|prompt budget)|\b(?:prompt|input|request|message|conversation|history|payload|query)s?(?: (?:body|size|payload))? (?:is|are|was|as)? ?too (?:long|large|big)|request (?:payload|body)(?: size)? exceeds|\b(?:exceeds|over) the (?:model's )?prompt budget|reduce the (?:length|size) of the (?:messages|prompt|input)|\btoo many tokens\b(?!.{0,40}\b(?:wait|per|minute))|\btokens in (?:the |your )?(?:prompt|input|request|message)\b|\bprompt\b.{0,40}\b(?:exceeds?|over|above)\b.{0,20}\blimit|\btoken limit exceeded|\bexceeded model token limit\b|\b(?:input )?tokens?\b.{0,60}\bsupports? (?:up to|at most|only)|argument list too long|larger than max\b|\brange of input length\b|input_too_large|\btokens? \+ \W?max_new_tokens\W? must be\b|\bmax_(?:\w{1,10}_)?tokens must be at least 1, got -\d/i,
    class: 'prompt_too_large',
    reason: 'over_limit',
    proof: [{ message: 'prompt is too long: 210000 tokens > 200000 maximum', status: 400 }],
  },
  {
    // The CLI continues with the rest of the prompt.
    id: 'size-stdin-cut',
    tool: 'gemini',
    source: 'stderr',
    text: /^warning: stdin input truncated/i,
    class: 'prompt_too_large',
    reason: 'prompt_cut',
    proof: [{ message: 'Warning: stdin input truncated to 8388608 bytes.' }],
  },
] as const satisfies readonly RuleRow[];
