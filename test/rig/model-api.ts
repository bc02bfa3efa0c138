// Serves a model API on the loopback in the dialects of all CLIs, with any failure that a test requests.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DialectName, findDialect } from './model-api/dialects.ts';
import { readScenario } from './model-api/scenario.ts';
import { sendReply } from './model-api/send-reply.ts';

/** One request as it arrived; a `paid` one calls the model and would cost money. */
export interface ApiRequest {
  n: number;
  run: string | null;
  scenario: string;
  method: string;
  path: string;
  dialect: DialectName | null;
  paid: boolean;
  /** The key or token that came with it; null if there was none. */
  key: string | null;
  body: string;
  atMs: number;
}

export interface ModelApi {
  port: number;
  /** The base URL whose requests get this scenario; `run` tags them for `requests`. */
  url: (scenario: string, run?: string) => string;
  /** The requests so far, of one run or of all, oldest first. */
  requests: (run?: string) => ApiRequest[];
  /** The requests that call the model. */
  paid: (run?: string) => ApiRequest[];
  /** The next paid requests (of one run, or of any) get these scenarios in turn, whatever their URL contains. */
  script: (scenarios: string[], run?: string) => void;
  close: () => Promise<void>;
}

interface Started {
  /** The default is 30 minutes. */
  lifeMs?: number;
  /** Chooses the scenario of a paid request without a script, by its body; null selects the scenario of its URL. */
  choose?: (body: string) => string | null;
}

/** The server never keeps the process alive, and closes by itself after `lifeMs`. */
export async function startModelApi({ lifeMs = 1_800_000, choose = () => null }: Started = {}): Promise<ModelApi> {
  const requests: ApiRequest[] = [];
  const scripts: { run: string | null; scenarios: string[] }[] = [];

  const server = createServer((incoming, outgoing) => {
    outgoing.on('error', () => {}); // the caller may close the connection at any time
    void receive(incoming).then((body) => {
      if (body === null) return;
      const request = { ...readRequest(incoming, body), n: requests.length + 1, atMs: Date.now() };
      if (request.paid) request.scenario = nextScenario(request.run) ?? choose(body) ?? request.scenario;
      requests.push(request);
      sendReply(request, outgoing);
    });
  });
  const nextScenario = (run: string | null) =>
    scripts
      .find((script) => script.scenarios.length > 0 && (script.run === null || script.run === run))
      ?.scenarios.shift();

  server.on('connection', (socket) => socket.unref());
  server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 426 Upgrade Required\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  setTimeout(close, lifeMs).unref();

  const { port } = server.address() as AddressInfo;
  const ofRun = (run?: string) => requests.filter((request) => run === undefined || request.run === run);
  return {
    port,
    url: (scenario, run) => {
      readScenario(scenario); // a wrong name fails here, in the test that wrote it
      return `http://127.0.0.1:${port}${run ? `/r/${encodeURIComponent(run)}` : ''}/s/${encodeURIComponent(scenario)}`;
    },
    requests: ofRun,
    paid: (run) => ofRun(run).filter((request) => request.paid),
    script: (scenarios, run) => void scripts.push({ run: run ?? null, scenarios: [...scenarios] }),
    close,
  };
}

/** Returns the whole body, or null if the caller disconnected before its end. */
async function receive(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks).toString();
}

function keyIn({ authorization, ...headers }: IncomingMessage['headers']): string | null {
  const [key] = [headers['x-api-key'] ?? headers['x-goog-api-key'] ?? []].flat();
  return key ?? authorization?.replace(/^Bearer /, '') ?? null;
}

function readRequest(incoming: IncomingMessage, body: string): Omit<ApiRequest, 'n' | 'atMs'> {
  const [, run, scenario = 'ok', path = '/'] =
    /^(?:\/r\/([^/]+))?(?:\/s\/([^/]+))?(\/.*)$/.exec(incoming.url ?? '/') ?? [];
  const dialect = findDialect(path.split('?')[0] ?? '')?.name ?? null;
  return {
    run: run === undefined ? null : decodeURIComponent(run),
    scenario: decodeURIComponent(scenario),
    method: incoming.method ?? 'GET',
    path,
    dialect,
    paid: dialect !== null,
    key: keyIn(incoming.headers),
    body,
  };
}
