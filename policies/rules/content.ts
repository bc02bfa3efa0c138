// Defines the rules for content that the service refuses, in the prompt or in its own answer.

import type { Rule } from './rule.ts';

const STATUS = ['none', 400, 403, 422, 451] as const;

export const CONTENT_RULES = [
  {
    id: 'content-code',
    tool: 'any',
    source: 'any',
    match: {
      code: [
        'content_filter',
        'content_policy_violation',
        'responsible_ai_policy_violation',
        'misalignment_policy_violation',
        'cyber_policy',
        'bio_policy',
        'invalid_prompt',
        'safety',
        'prohibited_content',
      ],
    },
    class: 'contract_violation',
    reason: 'content_filter',
    proof: [
      {
        message: 'The model returned no content because the response was blocked by content filtering.',
        code: 'content_filter',
      },
    ],
  },
  {
    id: 'content-words',
    tool: 'any',
    source: 'any',
    match: {
      status: STATUS,
      needs: [
        'stopped',
        'filter',
        'responsible ai',
        'rephrase',
        'public code',
        'content',
        'usage guidelines',
        'safety',
        'safeguards',
        'flagged',
        'moderation',
        'blocked',
        'polic',
        'misalignment',
      ],
      text: /\bstopped\b.{0,20}\b(?:safety|recitation|prohibited|sensitive|content|blocklist)|\b(?:response|output|content|completion|prompt) was filtered|\bresponsible ai\b|\brephrase your prompt\b|\bmatched public code\b|\bcontent exists risk\b|\busage guidelines\b|\bsafety[ _]check|\bsafeguards flagged\b|\bflagged for\b(?! (?:suspicious|unusual|fraud))|\brequires moderation\b|\bblocked\b.{0,50}\b(?:safety|recitation|copyright|content|policy settings|prohibited)|\bcontent[ _-]?(?:management |moderation |safety )?(?:filter|policy|policies)|\bflagged\b.{0,40}\b(?:risk|safety|harm|violat|policy)|limited access to this content|\bviolat\w{1,10} .{0,20}\b(?:usage|content|safety) polic|misalignment policy|\bsafety (?:system|filter)/i,
    },
    class: 'contract_violation',
    reason: 'content_filter',
    proof: [{ message: 'The model response was blocked due to safety settings.' }],
  },
  {
    id: 'content-unstructured',
    tool: 'claude',
    source: 'any',
    match: { text: /^\[structured-output-enforce\]|\bfailed to provide valid structured output\b/i },
    class: 'contract_violation',
    reason: 'unstructured_answer',
    proof: [
      { message: '[structured-output-enforce] You MUST call the StructuredOutput tool to complete this request.' },
      {
        message: 'Failed to provide valid structured output after 1 attempts',
        code: 'error_max_structured_output_retries',
      },
    ],
  },
] as const satisfies readonly Rule[];
