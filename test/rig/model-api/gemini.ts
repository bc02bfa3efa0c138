// Implements the Gemini dialect of AI Studio and Vertex: `…:generateContent` and `…:streamGenerateContent?alt=sse`.

import type { Body, Dialect } from './dialect.ts';
import { writeEvent } from './event-stream.ts';
import type { Saying } from './reply.ts';
import { refusedByGemini } from './strict/gemini.ts';

interface Request {
  contents?: { parts?: { functionResponse?: unknown }[] }[];
  tools?: { functionDeclarations?: { name: string }[] }[];
  generationConfig?: { responseMimeType?: string };
}

export const GEMINI: Dialect = {
  path: /:(stream)?generateContent$/i,
  streams: (path) => path.includes(':stream'),
  read: (body) => {
    const { contents = [], tools = [], generationConfig = {} } = body as Request;
    return {
      tools: tools.flatMap((tool) => tool.functionDeclarations ?? []).map((declared) => declared.name),
      afterTool: contents.at(-1)?.parts?.some((part) => part.functionResponse) ?? false,
      wantsJson: generationConfig.responseMimeType === 'application/json',
    };
  },
  shell: (command, tools) =>
    tools.includes('run_shell_command')
      ? { name: 'run_shell_command', args: { command, description: 'a command of the test' } }
      : { name: 'read_file', args: { file_path: 'hello.txt' } },
  stream: (saying, id) => chunks(saying, id).map((chunk) => writeEvent(chunk)),
  whole: (saying, id) => {
    if (saying.end === 'blocked') return blocked(id);
    return chunk([...(saying.text || !saying.tool ? [{ text: saying.text }] : []), ...calls(saying)], saying.end, id);
  },
  failure: (code, message) => [writeEvent({ error: { code: 400, message, status: code.toUpperCase() } })],
  rejection: ({ status, gemini: { http = status, message, status: word, details } }) => ({
    status: http,
    body: { error: { code: http, message, status: word, ...(details ? { details } : {}) } },
  }),
  refused: refusedByGemini,
};

const FINISH = { stop: 'STOP', max_tokens: 'MAX_TOKENS', safety: 'SAFETY', blocked: 'SAFETY' };

function chunks(saying: Saying, id: string): Body[] {
  if (saying.end === 'blocked') return [blocked(id)];
  if (saying.end === 'cut') return [chunk([{ text: 'PARTIAL ' }], 'cut', id)];
  if (saying.tool) return [chunk([{ text: 'calling tool. ' }], 'cut', id), chunk(calls(saying), saying.end, id)];
  if (saying.text === '') return [chunk([{ text: '' }], saying.end, id)];
  return [
    chunk([{ text: saying.text.slice(0, 6) }], 'cut', id),
    chunk([{ text: saying.text.slice(6) }], saying.end, id),
  ];
}

function chunk(parts: Body[], end: Saying['end'], id: string): Body {
  const finishReason = end === 'cut' || end === 'unfinished' ? {} : { finishReason: FINISH[end] };
  return {
    candidates: [{ content: { role: 'model', parts }, ...finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    modelVersion: 'test-model',
    responseId: id,
  };
}

const calls = ({ tool }: Saying): Body[] => (tool ? [{ functionCall: tool }] : []);

const blocked = (id: string): Body => ({
  promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
  usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 },
  modelVersion: 'test-model',
  responseId: id,
});
