// How services say that a conversation is broken: each wording is one by form, and one that is told of something else is not.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineFailure } from '../../../policies/facts/engine-event.ts';
import { readFailure } from '../../../policies/facts/engine-failure.ts';
import { TIERS } from '../../../policies/rules/rules.ts';
import { findRule } from '../../../policies/verdict/match.ts';

/** With the status that its CLI tells; codex tells none, and hands on the whole body. */
const BROKEN: [said: string, message: string][] = [
  [
    'anthropic',
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1',
  ],
  [
    'anthropic',
    'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).',
  ],
  ['anthropic', 'messages: text content blocks must be non-empty'],
  ['anthropic', 'messages.1: all messages must have non-empty content except for the optional final assistant message'],
  ['anthropic', 'messages: first message must use the "user" role'],
  ['anthropic', 'messages: `tool_use` ids must be unique'],
  [
    'anthropic',
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'anthropic',
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  ['gemini', '* GenerateContentRequest.contents[2].parts: contents.parts must not be empty.\n'],
  ['gemini', 'Please ensure that single turn requests end with a user role or the role field is empty.'],
  ['gemini', 'Please ensure that multiturn requests end with a user role or a function response.'],
  ['gemini', 'Please ensure that function response turn comes immediately after a function call turn.'],
  ['gemini', 'Please use a valid role: user, model.'],
  [
    'gemini',
    'Unable to submit request because it must include at least one parts field, which describes the prompt input.',
  ],
  [
    'gemini',
    "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one initialized field\n",
  ],
  ['openai', "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'."],
  [
    'openai',
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  ['openai', "Duplicate value for 'tool_call_id' of 'call_1' in message[3]."],
  ['openai', "Item 'rs_1' of type 'reasoning' was provided without its required following item."],
  ['openai', 'No tool call found for function call output with call_id call_1.'],
  ['openai', "Invalid value for 'content': expected a string, got null."],
  [
    'openai',
    "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  ['another', "Unexpected role 'user' after role 'tool'"],
  ['another', 'Not the same number of function calls and responses'],
  ['another', 'Conversation roles must alternate user/assistant/user/assistant/...'],
  ['another', 'tool message at index 4 has no matching tool call'],
  ['another', 'The thinking block of message 3 is malformed'],
  ['claude', 'messages.0.content.1.image.source.base64: the image is invalid'],
];

/** Refused requests that no mending of the conversation helps. */
const OTHERS: string[] = [
  "Invalid schema for function 'shell': None is not of type 'array' in messages[0].",
  "Invalid value: 'xhigh'. Supported values are: 'low', 'medium', and 'high'.",
  'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens',
  "Unknown parameter: 'input[0].foo'.",
  'tools.0.custom.name: String should match pattern; the tool call must have a valid name',
  'prompt is too long: 1100000 tokens > 200000 maximum',
  "Invalid value for 'model': must be a string",
  'The thinking budget 64033 is invalid. Please choose a value between 512 and 24576.',
  'thinking: Input should be a valid dictionary',
  'tool_choice must be one of auto, any, tool',
  'API key not valid. Please pass a valid API key.',
  'The IAM role is missing a required permission',
];

const CLOCK = { now: new Date('2026-01-02T03:04:05.000Z'), timeZone: 'UTC' };

function ruleOf(tool: 'codex' | 'copilot', failure: EngineFailure): string | null {
  for (const rules of TIERS) {
    const found = findRule({ tool, source: 'failure', failure, exit: null }, rules, CLOCK);
    if (found !== null) return `${found.reason}`;
  }
  return null;
}

const body = (message: string) =>
  JSON.stringify({ error: { message, type: 'invalid_request_error', param: 'input', code: null } });

for (const [said, message] of BROKEN)
  test(`${said}: ${message.slice(0, 80).trim()}`, () => {
    assert.is(ruleOf('copilot', readFailure(message, { status: 400 })), 'broken_history');
    assert.is(ruleOf('codex', readFailure(body(message), {})), 'broken_history', 'as codex hands it on');
  });

for (const message of OTHERS)
  test(`not a conversation: ${message.slice(0, 80)}`, () => {
    assert.is.not(ruleOf('copilot', readFailure(message, { status: 400 })), 'broken_history');
    assert.is.not(ruleOf('codex', readFailure(body(message), {})), 'broken_history', 'as codex hands it on');
  });

test.run();
