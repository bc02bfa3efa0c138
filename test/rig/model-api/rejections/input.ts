// Lists the refusals of input: too long, too big, an inconsistent history.

import type { Rejection } from './rejection.ts';

export const INPUT_REJECTIONS = {
  '413': {
    status: 413,
    gemini: { status: 'INVALID_ARGUMENT', message: 'Request payload size exceeds the limit: 20971520 bytes.' },
    openai: { message: 'Request body is too large.', type: 'invalid_request_error', code: 'request_too_large' },
    anthropic: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  },
  toolong: {
    status: 400,
    gemini: {
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
    },
    openai: {
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'input',
    },
    anthropic: { type: 'invalid_request_error', message: 'prompt is too long: 1100000 tokens > 200000 maximum' },
  },
  mismatch: {
    status: 400,
    gemini: {
      status: 'INVALID_ARGUMENT',
      message:
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    },
    openai: {
      message: 'No tool output found for function call call_1.',
      type: 'invalid_request_error',
      code: null,
      param: 'input',
    },
    anthropic: {
      type: 'invalid_request_error',
      message: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
    },
  },
  parts: {
    status: 400,
    gemini: {
      status: 'INVALID_ARGUMENT',
      message: '* GenerateContentRequest.contents[2].parts: contents.parts must not be empty.\n',
    },
    openai: {
      message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      type: 'invalid_request_error',
      code: 'invalid_value',
      param: 'input[3].content[0]',
    },
    anthropic: {
      type: 'invalid_request_error',
      message:
        'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1',
    },
  },
  mismatch2: {
    status: 400,
    gemini: {
      status: 'INVALID_ARGUMENT',
      message:
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    },
    openai: {
      message:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
      type: 'invalid_request_error',
      code: null,
      param: 'messages.[3].role',
    },
    anthropic: {
      type: 'invalid_request_error',
      message: 'messages.1: `tool_result` block must have a corresponding `tool_use` block in the previous message',
    },
  },
} as const satisfies Record<string, Rejection>;
