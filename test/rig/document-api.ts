// Serves documents on the loopback: the Files API and a model that distils any book, with any failure that a test requests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BookPlan, chunksOf, wholeOf } from './model-api/documents/answers.ts';
import { FAULTS, type Fault, type FaultName } from './model-api/documents/faults.ts';
import { type FileRules, Files } from './model-api/documents/files.ts';
import { type Part, refusedTurn, type TurnBody, uriIn, wordsOf } from './model-api/documents/refusals.ts';
import { writeEvent } from './model-api/event-stream.ts';

export type RequestKind = 'start' | 'piece' | 'query' | 'look' | 'ask' | 'delete' | 'other';

/** One request and its result. */
export interface DocumentRequest {
  n: number;
  kind: RequestKind;
  path: string;
  key: string | null;
  fault: FaultName | null;
  /** null until it is answered; stays null if no answer is ever sent. */
  status: number | null;
  turn: AskedTurn | null;
}

export interface AskedTurn {
  /** The section that this history requests, from 1. */
  section: number;
  model: string;
  body: TurnBody;
  uri: string | null;
  /** The model has worked on it, whether or not the answer arrived. */
  paid: boolean;
  /** The answer was sent completely and correctly. */
  whole: boolean;
}

export interface DocumentApi {
  url: string;
  files: Files;
  requests: (kind?: RequestKind) => DocumentRequest[];
  /** The turns that the model has worked on. */
  paid: () => AskedTurn[];
  /** The next requests of a kind get these faults, one after the other; null gets a good answer. */
  script: (kind: RequestKind, faults: (FaultName | null)[]) => void;
  /** Waits until this section is requested. */
  asked: (section: number, atMostMs?: number) => Promise<void>;
  close: () => Promise<void>;
}

interface Settings extends Partial<BookPlan>, Partial<FileRules> {
  key?: string;
  /** The fault of a request that no script covers. */
  choose?: (request: DocumentRequest) => FaultName | null;
  /** How long the model works on a turn; no time by default. */
  workMs?: number;
  /** What a request waits for before it is answered. */
  wait?: (request: DocumentRequest) => Promise<void> | null;
  port?: number;
}

export async function startDocumentApi(settings: Settings = {}): Promise<DocumentApi> {
  const plan: BookPlan = {
    sections: 3,
    endMarker: '<end_of_book>',
    modelVersion: 'gemini-2.5-pro',
    characters: 400,
    ...settings,
  };
  const files = new Files({
    looks: 1,
    failure: null,
    lifeMs: 48 * 3_600_000,
    granularity: 262_144,
    now: Date.now,
    ...settings,
  });
  const { key = 'test-key', choose = () => null, workMs = 0 } = settings;
  const requests: DocumentRequest[] = [];
  const scripts = new Map<RequestKind, (FaultName | null)[]>();
  const said = new Set<string>();
  const awaited: { section: number; resolve: () => void }[] = [];

  const server = createServer((incoming, outgoing) => {
    outgoing.on('error', () => {}); // the caller may close the connection at any time
    outgoing.on('close', () => incoming.destroy());
    void serve(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = received(incoming, requests.length + 1);
    requests.push(request);
    const body = request.kind === 'piece' ? '' : await textOf(incoming);
    if (request.kind === 'ask') request.turn = turnOf(request.path, JSON.parse(body) as TurnBody);
    for (const { section, resolve } of awaited) if (section === request.turn?.section) resolve();
    await settings.wait?.(request);
    const scripted = scripts.get(request.kind);
    const name = scripted && scripted.length > 0 ? scripted.shift()! : choose(request);
    request.fault = name;
    const fault: Fault | null = request.key === key ? (name === null ? null : FAULTS[name]) : FAULTS['bad-key'];
    outgoing.on('finish', () => {
      request.status = outgoing.statusCode;
    });
    if (fault?.how === 'status') return refuse(outgoing, fault);
    if (fault?.how === 'silence') return;
    // By now half of a piece has arrived, so that the caller must request the offset.
    if (fault?.how === 'reset') {
      if (request.kind === 'piece') await storeHalf(incoming);
      incoming.socket.resetAndDestroy();
      return;
    }
    if (request.kind === 'ask' && workMs > 0) await new Promise((resolve) => setTimeout(resolve, workMs).unref());
    await ANSWERS[request.kind]({ request, incoming, outgoing, body, fault });
  }

  const storeHalf = async (incoming: IncomingMessage) => {
    const id = uploadIn(incoming.url!);
    for await (const chunk of incoming) {
      const whole = (chunk as Buffer).subarray(0, Math.floor((chunk as Buffer).length / 2));
      files.take(id, whole);
      return;
    }
  };

  const ANSWERS: Record<RequestKind, (call: Call) => void | Promise<void>> = {
    start: ({ incoming, outgoing, body }) => {
      const { displayName = '' } = (JSON.parse(body) as { file?: { displayName?: string } }).file ?? {};
      const of = (name: string) => String(incoming.headers[`x-goog-upload-header-content-${name}`]);
      const id = files.start({ displayName, mimeType: of('type'), size: Number(of('length')) });
      outgoing.writeHead(200, {
        'x-goog-upload-status': 'active',
        // Google's own host, which the caller must replace by the host that it was given.
        'x-goog-upload-url': `https://generativelanguage.googleapis.com/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`,
        'x-goog-upload-chunk-granularity': String(settings.granularity ?? 262_144),
      });
      outgoing.end();
    },
    query: ({ incoming, outgoing }) => {
      const id = uploadIn(incoming.url!);
      if (!files.has(id)) return refuse(outgoing, FAULTS['file-404']);
      outgoing.writeHead(200, {
        'x-goog-upload-status': 'active',
        'x-goog-upload-size-received': String(files.receivedOf(id)),
      });
      outgoing.end();
    },
    piece: async ({ incoming, outgoing }) => {
      const id = uploadIn(incoming.url!);
      if (!files.has(id)) return refuse(outgoing, FAULTS['file-404']);
      const last = String(incoming.headers['x-goog-upload-command']).includes('finalize');
      const [offset, length] = [incoming.headers['x-goog-upload-offset'], incoming.headers['content-length']].map(
        Number,
      ) as [number, number];
      const refused = files.refused(id, offset, length, last);
      if (refused !== null) return refuse(outgoing, { how: 'status', status: 400, body: refused });
      for await (const chunk of incoming) files.take(id, chunk as Buffer);
      outgoing.writeHead(200, {
        'x-goog-upload-status': last ? 'final' : 'active',
        'content-type': 'application/json',
      });
      outgoing.end(last ? JSON.stringify({ file: files.describe(files.finish(id, api.url)) }) : '');
    },
    look: ({ request, outgoing }) => {
      const found = files.look(`files/${request.path.split('/files/')[1]}`);
      if (found === null) refuse(outgoing, FAULTS['file-403']);
      else sendJson(outgoing, found);
    },
    delete: ({ request, outgoing }) => {
      files.stored.delete(`files/${request.path.split('/files/')[1]}`);
      sendJson(outgoing, {});
    },
    ask: ({ request, outgoing, fault }) => {
      const turn = request.turn!;
      const refused = refusedTurn(turn.body, files, said);
      if (refused?.how === 'status') return refuse(outgoing, refused);
      turn.paid = true;
      const chunks = chunksOf(plan, turn.section, `answer${request.n}`, fault);
      said.add(wordsOf(partsOf(chunks)));
      turn.whole = fault === null || fault.how === 'broken_after' || fault.how === 'open_after';
      if (request.path.includes(':stream')) sendStream(outgoing, chunks, fault?.how ?? null);
      else sendJson(outgoing, wholeOf(chunks));
    },
    other: ({ outgoing }) => refuse(outgoing, FAULTS['no-model']),
  };

  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve) => server.listen(settings.port ?? 0, '127.0.0.1', resolve));
  server.unref();
  const api: DocumentApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    requests: (kind) => requests.filter((request) => kind === undefined || request.kind === kind),
    paid: () => requests.flatMap(({ turn }) => (turn?.paid ? turn : [])),
    script: (kind, faults) => void scripts.set(kind, [...faults]),
    asked: (section, atMostMs = 60_000) =>
      new Promise((resolve, reject) => {
        const refuse = () => reject(new Error(`section ${section} was not asked for in ${atMostMs} ms`));
        const timer = setTimeout(refuse, atMostMs);
        const found = () => {
          clearTimeout(timer);
          resolve();
        };
        awaited.push({ section, resolve: found });
        if (requests.some(({ turn }) => turn?.section === section)) found();
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;
}

interface Call {
  request: DocumentRequest;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  body: string;
  fault: Fault | null;
}

function received({ url = '/', method, headers }: IncomingMessage, n: number): DocumentRequest {
  const key = headers['x-goog-api-key'];
  const path = url.split('?')[0]!;
  return {
    n,
    path,
    key: key === undefined ? null : String(key),
    kind: kindOf(url, path, method, headers),
    fault: null,
    status: null,
    turn: null,
  };
}

function kindOf(
  url: string,
  path: string,
  method: string | undefined,
  headers: IncomingMessage['headers'],
): RequestKind {
  const command = String(headers['x-goog-upload-command'] ?? '');
  if (/\/v1beta\/models\/[^/]+:(?:streamG|g)enerateContent$/.test(path)) return 'ask';
  if (/\/upload\/v1beta\/files$/.test(path))
    return url.includes('upload_id=') ? (command === 'query' ? 'query' : 'piece') : 'start';
  if (/\/v1beta\/files\/[^/]+$/.test(path)) return method === 'DELETE' ? 'delete' : 'look';
  return 'other';
}

const uploadIn = (url: string): string => new URL(url, 'http://x').searchParams.get('upload_id') ?? '';

const turnOf = (path: string, body: TurnBody): AskedTurn => ({
  section: (body.contents ?? []).filter(({ role }) => role === 'model').length + 1,
  model: /models\/([^/:]+):/.exec(path)![1]!,
  body,
  uri: uriIn(body.contents?.[0]?.parts ?? []),
  paid: false,
  whole: false,
});

const partsOf = (chunks: object[]): Part[] =>
  (chunks as { candidates?: { content?: { parts: Part[] } }[] }[]).flatMap(
    (chunk) => chunk.candidates?.[0]?.content?.parts ?? [],
  );

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function refuse(outgoing: ServerResponse, fault: Fault): void {
  if (fault.how !== 'status') throw new Error(`${fault.how} is no refusal`);
  outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
  outgoing.end(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body));
}

function sendJson(outgoing: ServerResponse, body: object): void {
  outgoing.writeHead(200, { 'content-type': 'application/json' });
  outgoing.end(JSON.stringify(body));
}

/** `broken_after`: the end of the connection follows the bytes, so a client reads them first. */
function sendStream(outgoing: ServerResponse, chunks: object[], how: Fault['how'] | null): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  const all = chunks.map((chunk) => writeEvent(chunk)).join('');
  if (how === 'cut') outgoing.write(writeEvent(chunks[0]), () => outgoing.destroy());
  else if (how === 'broken_after') outgoing.write(all, () => outgoing.socket?.end());
  else if (how === 'open_after') outgoing.write(all);
  else outgoing.end(all);
}
