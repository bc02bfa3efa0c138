// Defines the rules for answers of the service that are empty, incomplete or unreadable.

import type { Rule } from './rule.ts';

export const ANSWER_RULES = [
  {
    // The same prompt would get an answer of the same length.
    id: 'answer-over-limit',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      text: /\bmax_(?:output_)?tokens\b|\boutput token limit\b|\breached the output limit\b|\bexceeded the \d+ output token maximum\b/i,
    },
    class: 'contract_violation',
    reason: 'output_limit',
    proof: [{ message: "Claude's response exceeded the 32000 output token maximum." }],
  },
  {
    id: 'answer-cut',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      text: /truncated because it exceeded|(?:ended|finished) without a finish reason|stream ended with an invalid chunk|JSON ended prematurely|missing finish_reason|stream closed before|(?:stream|response|request|connection) ended (?:prematurely|without)|incomplete response|premature (?:close|end)|\bresponse (?:above )?was cut off\b|\b(?:connection lost|server error) mid-response\b/i,
    },
    class: 'transient',
    reason: 'cut_answer',
    proof: [{ message: 'Model stream ended without a finish reason.' }],
  },
  {
    id: 'answer-empty',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      text: /\b(?:empty|no) response\b|returned no (?:content|text|output)|\bno visible output\b|no final response text|no output (?:was )?(?:generated|returned)/i,
    },
    class: 'transient',
    reason: 'empty_answer',
    proof: [{ message: 'No response was returned. Send your message again to retry.' }],
  },
  {
    id: 'answer-malformed-call',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none'],
      text: /malformed (?:function|tool) call|unexpected tool call|\btool call was malformed|failed to produce a valid tool call/i,
    },
    class: 'transient',
    reason: 'malformed_call',
    proof: [{ message: 'Model stream ended with malformed function call.' }],
  },
  {
    id: 'answer-garbled',
    tool: 'any',
    source: 'any',
    match: {
      status: ['none', '5xx'],
      text: /\b(?:unterminated|unexpected)\b.{0,60}\bjson\b|failed to parse .{0,40}\b(?:chunk|stream|response|event)|\b(?:invalid|malformed|incomplete) json\b|eof while parsing|\bjson parse error\b|\bmalformed response\b/i,
    },
    class: 'transient',
    reason: 'garbled_response',
    proof: [{ message: 'Unterminated string in JSON at position 17', type: 'SyntaxError' }],
  },
] as const satisfies readonly Rule[];
