// Implements the Chat Completions dialect of OpenAI: `/chat/completions`.

import type { Body, Dialect } from './dialect.ts';
import { writeEvent } from './event-stream.ts';
import { rejectAsOpenai, shellOfOpenai } from './openai.ts';
import type { Saying } from './reply.ts';
import { refusedByChat } from './strict/chat.ts';

interface Request {
  stream?: boolean;
  messages?: { role?: string }[];
  tools?: { function?: { name: string } }[];
}

export const CHAT: Dialect = {
  path: /\/chat\/completions$/,
  streams: (_path, body) => (body as Request).stream === true,
  read: (body) => {
    const { messages = [], tools = [] } = body as Request;
    return {
      tools: tools.flatMap((tool) => tool.function?.name ?? []),
      afterTool: messages.at(-1)?.role === 'tool',
      wantsJson: false,
    };
  },
  shell: shellOfOpenai,
  stream: (saying, id) => {
    const end = finish(saying);
    return [
      chunk(id, { role: 'assistant', content: '' }),
      ...deltas(saying, id).map((delta) => chunk(id, delta)),
      ...(end ? [chunk(id, {}, end), writeEvent('[DONE]')] : []),
    ];
  },
  whole: (saying, id) => ({
    ...head(id),
    object: 'chat.completion',
    choices: [{ index: 0, message: message(saying, id), finish_reason: finish(saying) }],
    usage: USAGE,
  }),
  failure: (code, text) => [writeEvent({ error: { message: text, type: 'server_error', param: null, code } })],
  rejection: rejectAsOpenai,
  refused: refusedByChat,
};

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const FINISH = { stop: 'stop', max_tokens: 'length', safety: 'content_filter', blocked: 'content_filter' };

const finish = ({ end, tool }: Saying) =>
  end === 'cut' || end === 'unfinished' ? null : tool ? 'tool_calls' : FINISH[end];

function deltas(saying: Saying, id: string): Body[] {
  if (saying.end === 'cut') return [{ content: 'PARTIAL ' }];
  if (saying.tool) return [{ tool_calls: calls(saying, id) }];
  return saying.text === '' ? [] : [{ content: saying.text.slice(0, 6) }, { content: saying.text.slice(6) }];
}

const message = (saying: Saying, id: string): Body =>
  saying.tool
    ? { role: 'assistant', content: null, tool_calls: calls(saying, id) }
    : { role: 'assistant', content: saying.text };

const calls = ({ tool }: Saying, id: string) =>
  tool
    ? [
        {
          index: 0,
          id: `call_${id}`,
          type: 'function',
          function: { name: tool.name, arguments: JSON.stringify(tool.args) },
        },
      ]
    : [];

const head = (id: string) => ({ id: `chatcmpl-${id}`, created: 1, model: 'test-model' });

const chunk = (id: string, delta: Body, end: string | null = null): string =>
  writeEvent({
    ...head(id),
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: end }],
    ...(end ? { usage: USAGE } : {}),
  });
