// Tests what the real services refuse in a conversation, each case in the vendor's own words.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DialectName, findDialect } from './dialects.ts';

const PATHS: Record<DialectName, string> = {
  gemini: '/v1beta/models/m:generateContent',
  responses: '/v1/responses',
  chat: '/v1/chat/completions',
  anthropic: '/v1/messages',
};

const user = (...parts: object[]) => ({ role: 'user', parts });
const model = (...parts: object[]) => ({ role: 'model', parts });
const text = (words: string) => ({ text: words });
const call = { functionCall: { name: 'run' } };
const response = { functionResponse: { name: 'run' } };

/** Messages of Chat Completions. */
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => ({ id })) });
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: '' });

/** Items of the Responses dialect. */
const said = (role: string, type: string) => ({ role, content: [{ type, text: 'x' }] });
const called = { type: 'function_call', id: 'fc_1', call_id: 'call_1' };
const output = { type: 'function_call_output', call_id: 'call_1' };

/** Messages of the Messages dialect. */
const says = (role: string, ...content: object[]) => ({ role, content });
const block = (words: string) => ({ type: 'text', text: words });
const use = { type: 'tool_use', id: 'toolu_1' };
const result = { type: 'tool_result', tool_use_id: 'toolu_1' };
const ask = { role: 'user', content: 'x' };
const THINKING = { thinking: { type: 'enabled' } };

/** null: it is accepted. */
const ROWS: [dialect: DialectName, what: string, body: object, refused: string | null][] = [
  ['gemini', 'a prompt', { contents: [user(text('x'))] }, null],
  ['gemini', 'a call and its result', { contents: [user(text('x')), model(call), user(response)] }, null],
  ['gemini', 'nothing', { contents: [] }, 'contents is not specified'],
  ['gemini', 'a turn without parts', { contents: [user()] }, 'contents.parts must not be empty.'],
  ['gemini', 'an empty part', { contents: [user({})] }, "required oneof field 'data' must have one initialized field"],
  [
    'gemini',
    'another role',
    { contents: [{ role: 'tool', parts: [text('x')] }] },
    'Please use a valid role: user, model.',
  ],
  ['gemini', 'a model alone', { contents: [model(text('x'))] }, 'single turn requests end with a user role'],
  [
    'gemini',
    'a model last',
    { contents: [user(text('x')), model(text('y'))] },
    'multiturn requests end with a user role',
  ],
  [
    'gemini',
    'a result twice',
    { contents: [user(text('x')), model(call), user(response, response)] },
    'the number of function response parts is equal to the number of function call parts',
  ],
  [
    'gemini',
    'a call without its result',
    { contents: [user(text('x')), model(call), user(text('y'))] },
    'the number of function response parts is equal to the number of function call parts',
  ],
  [
    'gemini',
    'a result without its call',
    { contents: [user(text('x')), model(text('y')), user(response)] },
    'function response turn comes immediately after a function call turn',
  ],
  [
    'gemini',
    'a call after the model',
    { contents: [user(text('x')), model(text('y')), model(call), user(response)] },
    'function call turn comes immediately after a user turn',
  ],
  ['chat', 'a call and its result', { messages: [ask, calls('a', 'b'), tool('b'), tool('a'), ask] }, null],
  ['chat', 'nothing', { messages: [] }, "Invalid 'messages': empty array."],
  [
    'chat',
    'a call without its result',
    { messages: [ask, calls('a', 'b'), tool('a'), ask] },
    'did not have response messages: b',
  ],
  [
    'chat',
    'a result without its call',
    { messages: [ask, tool('a')] },
    "must be a response to a preceeding message with 'tool_calls'",
  ],
  [
    'chat',
    'a result twice',
    { messages: [ask, calls('a'), tool('a'), tool('a')] },
    "Duplicate value for 'tool_call_id' of 'a'",
  ],
  [
    'chat',
    'an answer of nothing',
    { messages: [ask, { role: 'assistant', content: null }] },
    "Invalid value for 'content'",
  ],
  ['chat', 'no calls', { messages: [ask, calls()] }, "Invalid 'messages[1].tool_calls': empty array."],
  ['responses', 'a call and its result', { input: [said('user', 'input_text'), called, output] }, null],
  ['responses', 'nothing', { input: [] }, "Missing required parameter: 'input'."],
  ['responses', 'a call without its result', { input: [called] }, 'No tool output found for function call call_1.'],
  [
    'responses',
    'a result without its call',
    { input: [output] },
    'No tool call found for function call output with call_id call_1.',
  ],
  [
    'responses',
    'a result before its call',
    { input: [output, called] },
    'No tool output found for function call call_1.',
  ],
  [
    'responses',
    'a result twice',
    { input: [called, output, output] },
    'No tool call found for function call output with call_id call_1.',
  ],
  ['responses', 'an item twice', { input: [called, called, output] }, 'Duplicate item found with id fc_1.'],
  [
    'responses',
    "a person's part in an answer",
    { input: [said('assistant', 'input_text')] },
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
  ],
  [
    'responses',
    'a thought alone',
    { input: [{ type: 'reasoning', id: 'rs_1' }] },
    'without its required following item',
  ],
  ['anthropic', 'a call and its result', { messages: [ask, says('assistant', use), says('user', result)] }, null],
  ['anthropic', 'nothing', { messages: [] }, 'at least one message is required'],
  [
    'anthropic',
    'an answer first',
    { messages: [says('assistant', block('x')), ask] },
    'first message must use the "user" role',
  ],
  ['anthropic', 'an answer last', { messages: [ask, says('assistant', block('x'))] }, 'must end with a user message'],
  ['anthropic', 'an empty block', { messages: [says('user', block(''))] }, 'text content blocks must be non-empty'],
  ['anthropic', 'an empty message', { messages: [says('user')] }, 'all messages must have non-empty content'],
  [
    'anthropic',
    'a call without its result',
    { messages: [ask, says('assistant', use), ask] },
    '`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
  ],
  [
    'anthropic',
    'a result without its call',
    { messages: [says('user', result)] },
    'unexpected `tool_use_id` found in `tool_result` blocks: toolu_1',
  ],
  [
    'anthropic',
    'a result twice',
    { messages: [ask, says('assistant', use), says('user', result, result)] },
    'each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1',
  ],
  [
    'anthropic',
    'a call twice',
    { messages: [ask, says('assistant', use), says('user', result), says('assistant', use), says('user', result)] },
    '`tool_use` ids must be unique',
  ],
  [
    'anthropic',
    'a turn that continues without its thoughts',
    { ...THINKING, messages: [ask, says('assistant', use), says('user', result)] },
    'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
  ],
  [
    'anthropic',
    'a turn that continues with its thoughts',
    { ...THINKING, messages: [ask, says('assistant', { type: 'thinking' }, use), says('user', result)] },
    null,
  ],
];

for (const [dialect, what, body, refused] of ROWS)
  test(`${dialect}: ${what}`, () => {
    const said = findDialect(PATHS[dialect])!.dialect.refused(body as Record<string, unknown>);
    if (refused === null) assert.is(said, null);
    else assert.ok(said?.includes(refused), `${said}`);
  });

test.run();
