// Implements the Responses dialect of OpenAI: `/responses`.

import type { Body, Dialect } from './dialect.ts';
import { writeEvent } from './event-stream.ts';
import { rejectAsOpenai, shellOfOpenai } from './openai.ts';
import type { Saying } from './reply.ts';
import { refusedByResponses } from './strict/responses.ts';

interface Request {
  stream?: boolean;
  input?: { type?: string }[];
  tools?: { name?: string; type?: string }[];
}

export const RESPONSES: Dialect = {
  path: /\/responses$/,
  streams: (_path, body) => (body as Request).stream === true,
  read: (body) => {
    const { input = [], tools = [] } = body as Request;
    return {
      tools: tools.flatMap((tool) => tool.name ?? tool.type ?? []),
      afterTool: input.at(-1)?.type?.endsWith('_output') ?? false,
      wantsJson: false,
    };
  },
  shell: shellOfOpenai,
  stream: (saying, id) => number([begun(id), ...(saying.tool ? callEvents(saying, id) : textEvents(saying, id))]),
  whole: (saying, id) => response(saying, id),
  failure: (code, message, id) => {
    const failed = { ...envelope(id, 'failed', []), error: { code, message } };
    return number([begun(id), { type: 'response.failed', response: failed }]);
  },
  rejection: rejectAsOpenai,
  refused: refusedByResponses,
};

function textEvents(saying: Saying, id: string): Body[] {
  const item = message(saying, id);
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const empty = { type: 'output_text', text: '', annotations: [] };
  if (saying.text === '' && saying.end !== 'cut') return ended(saying, id);
  const opened = [
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [], status: 'in_progress' } },
    { type: 'response.content_part.added', ...at, part: empty },
  ];
  if (saying.end === 'cut') return [...opened, { type: 'response.output_text.delta', ...at, delta: 'PARTIAL ' }];
  return [
    ...opened,
    { type: 'response.output_text.delta', ...at, delta: saying.text },
    { type: 'response.output_text.done', ...at, text: saying.text },
    { type: 'response.content_part.done', ...at, part: item.content[0] },
    { type: 'response.output_item.done', output_index: 0, item },
    ...ended(saying, id),
  ];
}

function callEvents(saying: Saying, id: string): Body[] {
  const item = call(saying, id);
  const at = { item_id: item.id, output_index: 0 };
  return [
    { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
    { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
    { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
    { type: 'response.output_item.done', output_index: 0, item },
    ...ended(saying, id),
  ];
}

const begun = (id: string): Body => ({ type: 'response.created', response: envelope(id, 'in_progress', []) });

const INCOMPLETE = { max_tokens: 'max_output_tokens', safety: 'content_filter', blocked: 'content_filter' };

function ended(saying: Saying, id: string): Body[] {
  if (saying.end === 'unfinished') return [];
  const whole = response(saying, id);
  return [{ type: `response.${whole.status}`, response: whole }];
}

function response(saying: Saying, id: string): Body {
  const output = saying.tool ? [call(saying, id)] : saying.text ? [message(saying, id)] : [];
  if (saying.end === 'stop' || saying.end === 'unfinished' || saying.end === 'cut') {
    return envelope(id, 'completed', output);
  }
  return { ...envelope(id, 'incomplete', output), incomplete_details: { reason: INCOMPLETE[saying.end] } };
}

const message = (saying: Saying, id: string) => ({
  type: 'message',
  id: `msg_${id}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: saying.text, annotations: [] }],
});

const call = ({ tool }: Saying, id: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: tool?.name,
  ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
  arguments: JSON.stringify(tool?.args),
  status: 'completed',
});

const envelope = (id: string, status: string, output: Body[]): Body => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: 1,
  status,
  model: 'test-model',
  output,
  usage: {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 18,
  },
});

const number = (events: Body[]): string[] =>
  events.map((event, at) => writeEvent({ ...event, sequence_number: at }, String(event.type)));
