// Serves the console on the loopback only: passes every request through the guard, and admitted ones to their route.

import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refusalOf } from '../../state/system-error.ts';
import type { ChangeTold, RefusedRequest } from '../contract/page.ts';
import type { TailTold } from '../contract/task.ts';
import { follow } from './live.ts';
import { type Reply, refused, type ServedProject } from './project.ts';
import { foundTask } from './reads/task.ts';
import {
  isLateScript,
  type pageFile,
  sendFile,
  sendHead,
  sendJson,
  sendPage,
  sendRefusal,
  sendText,
} from './replies.ts';
import { changeAt, make, readAt } from './routes.ts';
import { streamTail } from './tail.ts';
import { admit, cookieName, MAX_BODY, makeSecrets, paceOf, type RequestTarget, secret } from './walls/guard.ts';

interface OpenConsole {
  /** With the token that admits a browser. */
  url: string;
  port: number;
  /** Returns an address that admits one browser once. */
  openOnce(): string;
  /** Ends the streams and the watching; started runs continue. */
  close(): Promise<void>;
}

type OpenedConsole = { how: 'open'; console: OpenConsole } | { how: 'taken'; why: string };

const HOST = '127.0.0.1';

/** A sender that is slower than this is disconnected. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 2000,
  requireHostHeader: true,
  insecureHTTPParser: false,
} as const;
const MAX_CONNECTIONS = 64;
const MAX_STREAMS = 16;
const PACE = { atOnce: 200, aSecond: 50 };

/** @param port 0 for any free port. @param patience the time limits for slow senders; shorter in tests. */
export async function openConsole(
  project: ServedProject,
  page: ReturnType<typeof pageFile>,
  port: number,
  patience: ServerOptions = {},
): Promise<OpenedConsole> {
  const stop = new AbortController();
  const secrets = makeSecrets();
  const serving = { project, live: follow(project, stop.signal), pageToken: secrets.page };
  const tellRefusal = (refusal: RefusedRequest) => serving.live.tell({ topic: 'refusal', refusal });
  const streams = new Set<() => void>();
  const pace = paceOf(PACE);
  const server = createServer({ ...LIMITS, ...patience }, (request, response) => {
    void answered(request, response).catch((error) => failed(response, error));
  });
  server.maxConnections = MAX_CONNECTIONS;

  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gate = { secrets, port: (server.address() as AddressInfo).port };
    const admitted = admit(request, gate);
    switch (admitted.how) {
      case 'refused': {
        const { status, message, way_out } = admitted;
        return sendRefusal(response, status, { message, way_out }, status === 405 ? { allow: 'GET, POST' } : {});
      }
      case 'signs_in': {
        if (admitted.by === 'once') secrets.once = null;
        const cookie = `${cookieName(gate.port)}=${secrets.cookie}; Path=/; HttpOnly; SameSite=Strict`;
        sendHead(response, {
          status: 303,
          type: 'text/plain',
          more: { location: '/', 'content-length': '0', 'set-cookie': cookie },
        });
        response.end();
        return;
      }
      case 'admitted':
        if (!pace.take(performance.now()))
          return reply(response, refused(429, 'too many requests at once', 'wait a moment'));
        return request.method === 'GET' ? read(admitted.target, response) : change(admitted.target, request, response);
    }
  }

  async function read({ parts }: RequestTarget, response: ServerResponse): Promise<void> {
    if (parts.length === 0) return sendPage(response, page.html, page.policy);
    if (parts.length === 1 && isLateScript(parts[0]!)) return sendText(response, page.late[parts[0]]);
    if (parts.join('/') === 'api/events')
      return stream(response, (tell) => serving.live.listen((change) => tell(change)));
    const [api, tasks, id, tail] = parts;
    if (parts.length === 4 && api === 'api' && tasks === 'tasks' && tail === 'tail') {
      const task = foundTask(id!, project);
      if ('how' in task) return reply(response, task);
      return stream(response, (tell, end) => {
        const gone = new AbortController();
        void streamTail(task, project, gone.signal, tell).finally(end);
        return () => gone.abort();
      });
    }
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    reply(response, (await readAt(parts, serving, gone.signal)) ?? refused(404, 'this address does not exist'));
  }

  function stream(response: ServerResponse, begin: BeginStream): void {
    if (streams.size >= MAX_STREAMS) {
      reply(response, refused(503, `${MAX_STREAMS} pages look on already`, 'close one of them'));
      return;
    }
    const end = openStream(response, begin, () => streams.delete(end));
    streams.add(end);
  }

  async function change({ parts }: RequestTarget, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = changeAt(parts);
    if (address === null) return reply(response, refused(404, 'nothing can be changed there'));
    const body = await bodyOf(request);
    reply(
      response,
      body === null
        ? refused(400, 'the body is longer than it says')
        : await make(address, body, { ...project, tellRefusal }),
    );
  }

  const listening = await listen(server, port);
  if (listening !== null) {
    stop.abort();
    return { how: 'taken', why: listening };
  }
  const taken = (server.address() as AddressInfo).port;
  const addressWith = (token: string) => `http://${HOST}:${taken}/?token=${token}`;
  return {
    how: 'open',
    console: {
      url: addressWith(secrets.token),
      port: taken,
      openOnce() {
        secrets.once = secret();
        return addressWith(secrets.once);
      },
      async close() {
        stop.abort();
        for (const end of streams) end();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    },
  };
}

/** @returns the code of the error; null if the server listens. */
const listen = (server: Server, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host: HOST, port, exclusive: true }, () => resolve(null));
  });

function reply(response: ServerResponse, reply: Reply): void {
  switch (reply.how) {
    case 'value':
      sendJson(response, 200, reply.value);
      return;
    case 'file':
      sendFile(response, reply.name, reply.bytes);
      return;
    case 'refused': {
      const { status, message, way_out } = reply;
      sendRefusal(response, status, { message, way_out: way_out ?? null });
    }
  }
}

/** A disk error is reported in words; an internal error ends this answer and not the console. */
function failed(response: ServerResponse, error: unknown): void {
  const words = refusalOf(error) ?? `this is a bug of tollgate (${(error as Error).name}: ${(error as Error).message})`;
  if (response.headersSent) response.destroy();
  else reply(response, refused(500, words));
}

/** @returns null if the body is longer than allowed. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_BODY) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** The limit of the data that a page has not received yet. */
const MOST_WAITING = 4 * 1024 * 1024;

const BEAT_MS = 15_000;

/** Tells messages until it is ended by the returned function; `end` ends the stream. */
type BeginStream = (tell: (told: ChangeTold | TailTold) => void, end: () => void) => () => void;

/** @returns the function that ends the stream. @param onEnd called once, however it ended. */
function openStream(response: ServerResponse, begin: BeginStream, onEnd: () => void): () => void {
  sendHead(response, { status: 200, type: 'text/event-stream; charset=utf-8' });
  const write = (text: string) => {
    if (response.writableEnded) return;
    response.write(text);
    if (response.writableLength > MOST_WAITING) response.destroy();
  };
  const end = () => void response.end();
  // Begins the answer, so that the page knows that it is admitted.
  write(': let in\n\n');
  const unlisten = begin((told) => write(`data: ${JSON.stringify(told)}\n\n`), end);
  const beat = setInterval(() => write(': still here\n\n'), BEAT_MS);
  response.once('close', () => {
    clearInterval(beat);
    unlisten();
    onEnd();
  });
  return end;
}
