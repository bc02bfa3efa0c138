// Runs the server with the official SDK (its only importer) on stdio, and guards it from lines that are no messages.

import { Transform, type Writable } from 'node:stream';
import { fromJsonSchema, McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import manifest from '../../../package.json';
import { stopExit } from '../../../policies/facts/exit-codes.ts';
import { visible } from '../../../policies/text/display.ts';
import { nearest } from '../../../policies/text/nearest.ts';
import { printing } from '../../printing.ts';
import { createAnswer, resultOf } from './answer.ts';
import { CONVERSATIONS } from './conversations.ts';
import { RUNS } from './runs.ts';
import { RESOURCES, STATE_TOOLS } from './state-tools.ts';
import type { McpTool, ServerSettings, ToolCaller } from './tool.ts';

/** Serves until the client closes stdin, or `stop` aborts. @returns the exit code. */
export function serve(stop: AbortSignal, settings: ServerSettings): Promise<number> {
  const gone = new AbortController();
  const out = printing('stdout');
  const lines = createLineGuard(out);
  const transport = new StdioServerTransport(process.stdin.pipe(lines), out, { maxBufferSize: 2 * MAX_MESSAGE_BYTES });
  const answer = createAnswer();
  return new Promise((resolve) => {
    const end = (exit: number) => {
      // Pending waits would keep the process alive. Nothing is lost by their end, because paid runs work in other processes.
      gone.abort();
      process.stdin.unpipe(lines).destroy();
      resolve(exit);
    };
    const handle = serveStdio(() => made(settings, gone.signal, answer), { transport });
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      end(stop.aborted ? stopExit(stop) : 0);
    };
    stop.addEventListener('abort', () => void handle.close(), { once: true });
  });
}

function made(settings: ServerSettings, gone: AbortSignal, answer: ReturnType<typeof createAnswer>): McpServer {
  const server = new McpServer({ name: 'tollgate', version: manifest.version }, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) {
    const { name, title, about, takes, gives, changes, callsModel = false } = tool;
    const config = {
      ...{ title, description: about, inputSchema: inputOf(takes) },
      outputSchema: fromJsonSchema(gives),
      annotations: { readOnlyHint: changes === 'nothing', destructiveHint: false, openWorldHint: callsModel },
    };
    server.registerTool(name, config, async (given, { mcpReq }) => {
      const signal = AbortSignal.any([mcpReq.signal, gone]);
      return resultOf(await answer(tool, given, { signal, tell: reporterOf(mcpReq), server: settings }));
    });
  }
  for (const { name, uri, title, mimeType, list, read } of RESOURCES)
    server.registerResource(
      name,
      new ResourceTemplate(uri, {
        list: async () => ({
          resources: list().map((task) => ({
            uri: uri.replace('{task}', task),
            name: `${title} of ${task}`,
            mimeType,
          })),
        }),
      }),
      { title, mimeType },
      async ({ href }, { task }) => ({ contents: [{ uri: href, mimeType, text: read(String(task)) }] }),
    );
  return server;
}

/** The schema of a tool, which also names each property that the tool does not have. */
function inputOf(takes: McpTool['takes']): ReturnType<typeof fromJsonSchema<Record<string, unknown>>> {
  const { '~standard': standard } = fromJsonSchema<Record<string, unknown>>(takes);
  const known = Object.keys(takes.properties);
  const validate: typeof standard.validate = async (given) => {
    const result = await standard.validate(given);
    if (result.issues === undefined) return result;
    const strange = Object.keys(given as object).filter((name) => !known.includes(name));
    const named = (words: string) => `${words}: ${strangeWords(strange.shift() ?? '', known)}`;
    return {
      issues: result.issues.map(({ message }) => ({
        message: message.replaceAll(/must NOT have additional properties/g, named),
      })),
    };
  };
  return { '~standard': { ...standard, validate } };
}

function strangeWords(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return `${JSON.stringify(name.slice(0, 60))} is not known; ${near === null ? `known are ${known.join(', ')}` : `did you mean ${near}?`}`;
}

/** Reports progress only to a client that gave a token for it. */
function reporterOf({ _meta, notify }: ServerContext['mcpReq']): ToolCaller['tell'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return null;
  return (progress, message) => {
    const params = { progressToken, progress, message: visible(message) };
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

const INSTRUCTIONS = [
  'Tollgate calls the agent CLIs gemini, copilot, codex and claude as tasks with budgets, gates and retries.',
  'An answer with state "running" has a run_id: call wait with it, and nothing is paid twice.',
  'An error result has class, reason and next_actions: do the first of them, and do not repeat a call that it does not name.',
].join(' ');

const TOOLS: readonly McpTool[] = [...RUNS, ...STATE_TOOLS, ...CONVERSATIONS];

/** The SDK would close the connection at its own limit, which is twice this. */
const MAX_MESSAGE_BYTES = 4 * 1024 ** 2;

const PARSE_ERROR = -32_700;

const INVALID_REQUEST = -32_600;

const NEWLINE = 0x0a;

/** @param out where messages are answered; no further messages are read while its reader is behind. */
function createLineGuard(out: Writable): Transform {
  let begun: Buffer[] = [];
  let bytes = 0;
  /** Whether the current line is already too large. */
  let isPassedOver = false;

  function take(part: Buffer): void {
    bytes += part.length;
    if (bytes > MAX_MESSAGE_BYTES) {
      begun = [];
      isPassedOver = true;
    } else begun.push(part);
  }

  /** @returns the line if it is a message. */
  function endOfLine(): Buffer | null {
    const line = Buffer.concat(begun);
    const mistake: ReturnType<typeof mistakeIn> = isPassedOver
      ? [INVALID_REQUEST, `a message has at most ${MAX_MESSAGE_BYTES} bytes; this one was passed over`]
      : mistakeIn(line.toString('utf8'));
    [begun, bytes, isPassedOver] = [[], 0, false];
    if (mistake === null) return line.toString('utf8').trim() === '' ? null : line;
    const [code, message, id] = mistake;
    out.write(`${JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code, message } })}\n`);
    return null;
  }

  return new Transform({
    transform(chunk: Buffer, _, done) {
      let at = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
        take(chunk.subarray(at, end));
        const line = endOfLine();
        if (line !== null) this.push(Buffer.concat([line, Buffer.of(NEWLINE)]));
        at = end + 1;
      }
      take(chunk.subarray(at));
      if (out.writableNeedDrain) out.once('drain', () => done());
      else done();
    },
  });
}

function mistakeIn(line: string): [code: number, message: string, id?: string | number] | null {
  if (line.trim() === '') return null;
  try {
    const message = JSON.parse(line) as Message | null;
    if (message?.jsonrpc === '2.0') return mistakeInMessage(message);
    return [INVALID_REQUEST, 'a message is one JSON object with "jsonrpc": "2.0"'];
  } catch {
    return [PARSE_ERROR, 'a line is one JSON object; this one is none'];
  }
}

interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
}

/** The SDK would drop such a message silently, and the sender of a request would wait forever. */
function mistakeInMessage(message: Message): ReturnType<typeof mistakeIn> {
  const { id, method, params } = message;
  if (method === undefined && ('result' in message || 'error' in message)) return null;
  const meta = isObject(params) ? params._meta : undefined;
  const token = isObject(meta) ? meta.progressToken : undefined;
  const task = isObject(meta) ? meta[RELATED_TASK] : undefined;
  const strange = Object.keys(message).find((name) => !['jsonrpc', 'id', 'method', 'params'].includes(name));
  const mistakes: [isSo: boolean, why: string][] = [
    [id !== undefined && !isId(id), 'id is text or a whole number'],
    [typeof method !== 'string', 'method is the name of a method'],
    [params !== undefined && !isObject(params), 'params is an object'],
    [meta !== undefined && !isObject(meta), '_meta is an object'],
    [id !== undefined && token !== undefined && !isId(token), '_meta.progressToken is text or a whole number'],
    [
      id !== undefined && task !== undefined && !isTask(task),
      `_meta["${RELATED_TASK}"] is an object with a taskId of text`,
    ],
    [strange !== undefined, `a request has no ${JSON.stringify(strange?.slice(0, 60))}`],
  ];
  const why = mistakes.find(([isSo]) => isSo)?.[1];
  if (why === undefined) return null;
  return isId(id) ? [INVALID_REQUEST, why, id] : [INVALID_REQUEST, why];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

const isTask = (value: unknown): boolean => isObject(value) && typeof value.taskId === 'string';
