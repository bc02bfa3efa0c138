// A server that says what a test tells it, by the contract and behind the policy of the console's own page: any text, in any field.

import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChangeTold, PAGE_HEADER } from '../../../console/contract/page.ts';
import { isLateScript, pageFile } from '../../../console/server/replies.ts';

export interface ToldServer {
  url: string;
  /** What is answered, by address; the test may change it at any time. */
  told: Record<string, unknown>;
  /** What is refused, by address. */
  refused: Record<string, { status: number; message: string; way_out?: string }>;
  /** What was asked to be changed. */
  changes: { path: string; wish: unknown; token: string | undefined }[];
  /** To all who listen. */
  tell(change: ChangeTold): void;
  /** How many listen. */
  listeners(): number;
  /** Tells nothing more on the streams that are open; they stay open. */
  forget(): void;
  /** How many streams were ever opened. */
  opened(): number;
  /** Resolves when so many were opened. */
  opens(n: number): Promise<void>;
  /** Nobody answers any more, until `reopen`. */
  close(): Promise<void>;
  reopen(): Promise<void>;
}

export const toldPage = (html: Buffer) =>
  pageFile(html, {
    'editor.js': readFileSync('dist/console-editor.js'),
    'colours.js': readFileSync('dist/console-colours.js'),
  });
const PAGE = toldPage(readFileSync('dist/console.html'));

export async function openToldServer(told: Record<string, unknown>, page = PAGE): Promise<ToldServer> {
  const streams = new Set<ServerResponse>();
  const events = new EventEmitter();
  let opened = 0;
  const refused: ToldServer['refused'] = {};
  const changes: ToldServer['changes'] = [];
  const send = (response: ServerResponse, status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    const no = refused[pathname];
    if (pathname === '/') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.policy });
      response.end(page.html);
    } else if (isLateScript(pathname.slice(1))) {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(page.late[pathname.slice(1) as keyof typeof page.late]);
    } else if (no !== undefined) send(response, no.status, no);
    else if (pathname === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 100\n\n');
      streams.add(response);
      opened += 1;
      events.emit('opened');
      response.on('close', () => streams.delete(response));
    } else if (pathname.endsWith('/tail') && Object.hasOwn(told, pathname)) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of told[pathname] as unknown[]) response.write(`data: ${JSON.stringify(part)}\n\n`);
    } else if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const wish: unknown = JSON.parse(Buffer.concat(chunks).toString());
      changes.push({ path: pathname, wish, token: request.headers[PAGE_HEADER] as string | undefined });
      // A question that has a body is answered like a resource.
      send(response, 200, told[pathname] ?? { says: `done: ${pathname}` });
    } else if (pathname.includes('/export.')) {
      response.writeHead(200, {
        'content-disposition': 'attachment; filename="book.md"',
        'content-type': 'text/plain',
      });
      response.end('# Walden\n');
    } else if (Object.hasOwn(told, pathname)) send(response, 200, told[pathname]);
    else send(response, 404, { message: `There is no ${pathname}.`, way_out: 'Look in the list.' });
  });
  let port = 0;
  const listen = async () => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  await listen();
  return {
    url: `http://127.0.0.1:${port}/`,
    told,
    refused,
    changes,
    tell(change) {
      for (const stream of streams) stream.write(`data: ${JSON.stringify(change)}\n\n`);
    },
    listeners: () => streams.size,
    forget: () => streams.clear(),
    opened: () => opened,
    async opens(n) {
      while (opened < n) await once(events, 'opened');
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    reopen: listen,
  };
}
