// Sends a scenario's reply as one HTTP response, in the dialect of the request.

import type { ServerResponse } from 'node:http';
import type { Body, Dialect, Turn } from './dialect.ts';
import { findDialect } from './dialects.ts';
import { REJECTIONS } from './rejections.ts';
import type { Reply, Saying } from './reply.ts';
import { readScenario } from './scenario.ts';

interface Asked {
  n: number;
  path: string;
  scenario: string;
  body: string;
}

export function sendReply(asked: Asked, response: ServerResponse): void {
  const path = asked.path.split('?')[0] ?? '';
  const found = findDialect(path);
  if (found) replyAsModel(found, path, asked, response);
  else sendSideReply(path, asked.body, response);
}

function replyAsModel({ dialect }: Found, path: string, asked: Asked, response: ServerResponse): void {
  const body = parse(asked.body);
  const turn = dialect.read(body);
  const { reply, afterTool = reply, lax } = readScenario(asked.scenario);
  const call: Call = { dialect, turn, id: `test${asked.n}`, streams: dialect.streams(path, body), response };
  const next = turn.afterTool ? afterTool : reply;
  // Keys, quotas and load are checked before the conversation.
  const refused = lax || !ASKS_THE_MODEL.has(next.how) ? null : dialect.refused(body);
  if (refused === null) perform(next, call);
  else refuse(refused, call);
}

const ASKS_THE_MODEL: ReadonlySet<Reply['how']> = new Set(['says', 'runs', 'fails_in_stream']);

/** Refuses a bad request in the vendor's words. */
function refuse(message: string, { dialect, response }: Call): void {
  const { status, body } = dialect.rejection({
    status: 400,
    gemini: { status: 'INVALID_ARGUMENT', message },
    openai: { message, type: 'invalid_request_error', code: null },
    anthropic: { type: 'invalid_request_error', message },
  });
  sendJson(response, status, body);
}

type Found = NonNullable<ReturnType<typeof findDialect>>;

interface Call {
  dialect: Dialect;
  turn: Turn;
  id: string;
  streams: boolean;
  response: ServerResponse;
}

function after(ms: number | undefined, send: () => void): void {
  if (ms) setTimeout(send, ms).unref();
  else send();
}

function perform(reply: Reply, call: Call): void {
  const { dialect, turn, id, response } = call;
  switch (reply.how) {
    case 'says':
      after(reply.afterMs, () => say(reply.saying, call));
      return;
    case 'runs':
      after(reply.afterMs, () => say({ text: '', tool: dialect.shell(reply.command, turn.tools), end: 'stop' }, call));
      return;
    case 'rejects': {
      const row = REJECTIONS[reply.with];
      const { status, body } = dialect.rejection(row);
      sendJson(response, status, body, 'headers' in row ? row.headers : {});
      return;
    }
    case 'fails_in_stream':
      after(reply.afterMs, () => {
        response.writeHead(200, EVENT_STREAM);
        response.end(dialect.failure(reply.code, reply.message, id).join(''));
      });
      return;
    case 'sends':
      response.writeHead(reply.status, { 'content-type': reply.type, ...reply.headers });
      response.end(reply.bytes);
      return;
    case 'resets':
      response.socket?.resetAndDestroy();
      return;
    case 'stays_silent':
      if (reply.until === 'headers') response.writeHead(200, EVENT_STREAM).write(': keep-alive\n\n');
      return;
    case 'stalls':
      response.writeHead(200, EVENT_STREAM);
      for (const event of dialect.stream({ text: '', tool: null, end: 'cut' }, id)) response.write(event);
  }
}

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

/** The time for the caller to read what came before a cut: an immediate reset would discard it. */
const CUT_AFTER_MS = 150;

function say(saying: Saying, { dialect, turn, id, streams, response }: Call): void {
  const said = turn.wantsJson && !saying.tool ? { ...saying, text: SIDE_ANSWER } : saying;
  if (!streams) {
    sendJson(response, 200, dialect.whole(said, id));
    return;
  }
  response.writeHead(200, EVENT_STREAM);
  for (const event of dialect.stream(said, id)) response.write(event);
  if (saying.end === 'cut') setTimeout(() => response.socket?.resetAndDestroy(), CUT_AFTER_MS).unref();
  else response.end();
}

/** One object that satisfies all side calls of gemini: routing, next speaker, summary. */
const SIDE_ANSWER = JSON.stringify({
  reasoning: 'a test',
  model_choice: 'flash',
  complexity_reasoning: 'a test',
  complexity_score: 1,
  next_speaker: 'user',
  summary: 'a test',
});

/** Neither counting tokens nor listing models is paid. */
function sendSideReply(path: string, body: string, response: ServerResponse): void {
  if (path.endsWith(':countTokens')) sendJson(response, 200, { totalTokens: Math.ceil(body.length / 4) });
  else if (/\/models\b/.test(path)) sendJson(response, 200, { object: 'list', data: [MODEL], models: [] });
  else sendJson(response, 404, { error: { code: 404, message: `no route ${path}` } });
}

const MODEL = { id: 'test-model', object: 'model', created: 1, owned_by: 'test' };

function sendJson(response: ServerResponse, status: number, body: Body, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function parse(body: string): Body {
  try {
    return JSON.parse(body) as Body;
  } catch {
    return {};
  }
}
