// Defines the rules for answers that are empty, incomplete or unreadable, and for content that the service refuses.

import type { RuleRow } from './rule.ts';

export const ANSWER_RULES = [
  {
    // The same prompt would get an answer of the same length. A refused parameter has the same name.
    id: 'answer-over-limit',
    status: ['none'],
    text: /^(?![\s\S]*\b(?:(?:un\w+|invalid|missing required) (?:parameter|argument|value)|(?:unsupported|unknown)_(?:parameter|value)|invalid ['"`]max_))[\s\S]*(?:\bmax_(?:output_)?tokens\b|\boutput token limit\b|\breached the output limit\b|\bexceeded the \d+ output token maximum\b)/i,
    class: 'contract_violation',
    reason: 'output_limit',
    proof: [{ message: "Claude's response exceeded the 32000 output token maximum." }],
  },
  {
    // The AI SDK's reason for the end of an answer.
    id: 'answer-over-limit-code',
    code: ['length'],
    class: 'contract_violation',
    reason: 'output_limit',
    proof: [{ message: 'length', code: 'length' }],
  },
  {
    id: 'answer-cut',
    status: ['none'],
    text: /truncated because it exceeded|(?:ended|finished) without a finish reason|\bNO_FINISH_REASON\b|stream ended with an invalid chunk|\bstalled mid-stream\b|\b(?:response|answer)(?: above)? may be incomplete\b|JSON ended prematurely|missing finish_reason|stream closed before|(?:stream|response|request|connection) ended (?:prematurely|without)|incomplete response|premature (?:close|end)|\bresponse (?:above )?was cut off\b|\b(?:connection lost|server error) mid-response\b/i,
    class: 'transient',
    reason: 'cut_answer',
    proof: [
      { message: 'Model stream ended without a finish reason.' },
      { message: 'Content retry attempt 0 due to NO_FINISH_REASON.' },
    ],
  },
  {
    id: 'answer-empty',
    status: ['none'],
    text: /\b(?:empty|no) response\b|returned no (?:content|text|output)|\bno visible output\b|\bempty response text\b|\bNO_RESPONSE_TEXT\b|no final response text|no output (?:was )?(?:generated|returned)/i,
    class: 'transient',
    reason: 'empty_answer',
    proof: [
      { message: 'No response was returned. Send your message again to retry.' },
      { message: 'Content retry attempt 0 due to NO_RESPONSE_TEXT.' },
    ],
  },
  {
    id: 'answer-malformed-call',
    status: ['none'],
    text: /malformed[ _](?:function|tool)[ _]call|unexpected tool call|\btool call was malformed|failed to produce a valid tool call/i,
    class: 'transient',
    reason: 'malformed_call',
    proof: [{ message: 'Model stream ended with malformed function call.' }],
  },
  {
    id: 'answer-garbled',
    status: ['none', '5xx'],
    text: /\b(?:unterminated|unexpected)\b.{0,60}\bjson\b|failed to parse .{0,40}\b(?:chunk|stream|response|event|json)\b|\bunexpected (?:event order|line format)\b|\b(?:invalid|malformed|incomplete) json\b|eof while parsing|\bjson parse error\b|\bmalformed[ _]response\b|\bnon-SSE response\b/i,
    class: 'transient',
    reason: 'garbled_response',
    proof: [
      { message: 'Unterminated string in JSON at position 17', type: 'SyntaxError' },
      { message: 'Streaming request received a non-SSE response (HTTP 200, Content-Type: text/html).' },
    ],
  },
] as const satisfies readonly RuleRow[];

/** 446 is Portkey's, for its guardrails. */
const REFUSED_WITH = ['none', 400, 403, 422, 446, 451] as const;

/** For the prompt, or the service's own answer. */
export const CONTENT_RULES = [
  {
    id: 'content-code',
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
      // Services of DashScope, MiniMax and relays; some report them with 500.
      'data_inspection_failed',
      'new_sensitive',
      'sensitive_words_detected',
      'guardrail_intervened',
    ],
    class: 'contract_violation',
    reason: 'content_filter',
    proof: [
      {
        message: 'The model returned no content because the response was blocked by content filtering.',
        code: 'content_filter',
      },
      { message: 'input new_sensitive (1026)', status: 500, type: 'api_error' },
    ],
  },
  {
    id: 'content-words',
    status: REFUSED_WITH,
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
      'inspection',
      'guardrail',
    ],
    text: /\b(?:contain|inspect)\w* (?:inappropriate|unsafe|sensitive|harmful)(?: or \w{1,20})? content\b|\bDataInspectionFailed\b|\b(?:blocked|stopped|intervened|violated?|rejected|denied)\b[^\n]{0,40}\bguardrails?\b|\bguardrails?\b[^\n]{0,40}\b(?:blocked|intervened|stopped|violat\w{1,4})\b|\bguardrail checks defined in the config failed\b|\bstopped\b.{0,20}\b(?:safety|recitation|prohibited|sensitive|content|blocklist)|\b(?:response|output|content|completion|prompt) was filtered|\bresponsible ai\b|\brephrase your prompt\b|\bmatched public code\b|\bcontent exists risk\b|\busage guidelines\b|\bsafety[ _]check|\bsafeguards flagged\b|\bflagged for\b(?! (?:suspicious|unusual|fraud))|\brequires moderation\b|\bblocked\b(?! from content creation).{0,50}\b(?:safety|recitation|copyright|content|policy settings|prohibited)|\bcontent[ _-]?(?:management |moderation |safety )?(?:filter|policy|policies)|\bflagged\b.{0,40}\b(?:risk|safety|harm|violat|policy)|limited access to this content|\bviolat\w{1,10} .{0,20}\b(?:usage|content|safety) polic|misalignment policy|\bsafety (?:system|filter)/i,
    class: 'contract_violation',
    reason: 'content_filter',
    proof: [
      { message: 'The model response was blocked due to safety settings.' },
      { message: 'Input text data may contain inappropriate content.', status: 400 },
      { message: 'Violated guardrail policy: Sorry, the model cannot answer this question.', status: 400 },
    ],
  },
  {
    id: 'content-unstructured',
    tool: 'claude',
    text: /^\[structured-output-enforce\]|\bfailed to provide valid structured output\b/i,
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
] as const satisfies readonly RuleRow[];
