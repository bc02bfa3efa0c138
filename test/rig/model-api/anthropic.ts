// Implements the Messages dialect of Anthropic: `/messages`.

import type { Body, Dialect } from './dialect.ts';
import { writeEvent } from './event-stream.ts';
import { shellOfOpenai } from './openai.ts';
import type { Saying } from './reply.ts';
import { refusedByAnthropic } from './strict/anthropic.ts';

interface Request {
  stream?: boolean;
  messages?: { content?: string | { type?: string }[] }[];
  tools?: { name: string }[];
}

export const ANTHROPIC: Dialect = {
  path: /\/messages$/,
  streams: (_path, body) => (body as Request).stream === true,
  read: (body) => {
    const { messages = [], tools = [] } = body as Request;
    const last = messages.at(-1)?.content;
    return {
      tools: tools.map((tool) => tool.name),
      afterTool: Array.isArray(last) && last.some((block) => block.type === 'tool_result'),
      wantsJson: false,
    };
  },
  shell: shellOfOpenai,
  stream: (saying, id) => events(saying, id).map((event) => writeEvent(event, String(event.type))),
  whole: message,
  failure: (code, text) => [writeEvent({ type: 'error', error: { type: code, message: text } }, 'error')],
  rejection: ({ status, anthropic: { http = status, ...error } }) => ({
    status: http,
    body: { type: 'error', error, request_id: 'req_test' },
  }),
  refused: refusedByAnthropic,
};

const STOP = { stop: 'end_turn', max_tokens: 'max_tokens', safety: 'refusal', blocked: 'refusal' };

function events(saying: Saying, id: string): Body[] {
  const opened = { type: 'message_start', message: { ...message(saying, id), content: [], stop_reason: null } };
  if (saying.end === 'cut') return [opened, ...block({ type: 'text', text: 'PARTIAL ' }).slice(0, 2)];
  const said = [opened, ...content(saying, id).flatMap(block)];
  if (saying.end === 'unfinished') return said;
  const delta = { stop_reason: reason(saying), stop_sequence: null };
  return [...said, { type: 'message_delta', delta, usage: { output_tokens: 7 } }, { type: 'message_stop' }];
}

function block(part: Body): Body[] {
  const empty = part.type === 'text' ? { ...part, text: '' } : { ...part, input: {} };
  const delta =
    part.type === 'text'
      ? { type: 'text_delta', text: part.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(part.input) };
  return [
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
  ];
}

function message(saying: Saying, id: string): Body {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'test-model',
    content: content(saying, id),
    stop_reason: reason(saying),
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 7 },
  };
}

function content({ tool, text }: Saying, id: string): Body[] {
  if (tool) return [{ type: 'tool_use', id: `toolu_${id}`, name: tool.name, input: tool.args }];
  return text ? [{ type: 'text', text }] : [];
}

const reason = ({ end, tool }: Saying): string | null =>
  end === 'cut' || end === 'unfinished' ? null : tool ? 'tool_use' : STOP[end];
