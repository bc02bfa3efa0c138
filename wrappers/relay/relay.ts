// A relay on the loopback for one call: its CLI asks it instead of the service, and what goes through is remembered.

import { randomBytes } from 'node:crypto';
import { type ClientRequest, createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createMemory, type Exchange } from './exchange.ts';
import { exchangeOf, forward, isWebSocket, MAX_HEADER_BYTES, type Passing, tunnel, withoutUpgrade } from './forward.ts';

export interface Relay {
  /** The base URL for the CLI. */
  url: string;
  /** The exchange that most likely explains a failure of the call; null if there was no request. */
  relevantExchange(): Exchange | null;
  /** Closes the server and all its connections. */
  close(): Promise<void>;
}

/**
 * It keeps no process alive. Throws what the operating system throws.
 * @param upstream a base URL without a query. @param port 0 is any.
 */
export async function startRelay(upstream: URL, port = 0): Promise<Relay> {
  const memory = createMemory();
  const open = new Set<ClientRequest | Duplex>();
  const held = <T extends ClientRequest | Duplex>(one: T): T => {
    open.add(one);
    one.once('close', () => open.delete(one));
    return one;
  };
  // A client without the prefix is refused, since the port is open to all users of the machine. codex and claude take an
  // address as an argument, which they may see in `ps`; they come to the service by it, and not to a key: that the CLI sends.
  const prefix = `/${randomBytes(16).toString('hex')}`;
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 });
  // A connection that we closed while the CLI used it again would be a failure of our making.
  server.keepAliveTimeout = 0;
  server.on('request', (incoming, outgoing) => {
    const passing = passingOf(incoming, prefix, upstream);
    if (passing === null) {
      outgoing.writeHead(404).end();
      return;
    }
    const exchange = exchangeOf(passing);
    memory.begun(exchange);
    try {
      held(forward(passing, outgoing, exchange)).on('socket', (socket) => socket.unref());
    } catch (error) {
      exchange.end = 'unanswered';
      exchange.error = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      outgoing.destroy();
    }
  });
  server.on('upgrade', (incoming, socket: Socket, head) => {
    // A client that requests another protocol accepts an answer without it, too.
    if (!isWebSocket(incoming)) return void server.emit('connection', withoutUpgrade(incoming, socket, head));
    const passing = passingOf(incoming, prefix, upstream);
    if (passing === null) return void socket.destroy();
    try {
      held(tunnel(passing, held(socket), head)).on('socket', (other) => other.unref());
    } catch {
      socket.destroy();
    }
  });
  server.on('connection', (socket) => socket.unref());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  server.unref();
  const { port: bound } = server.address() as AddressInfo;
  // The slash at its end, where the service's own has one: some CLIs put the two together by it.
  const slash = upstream.pathname !== '/' && upstream.pathname.endsWith('/') ? '/' : '';
  return {
    url: `http://127.0.0.1:${bound}${prefix}${slash}`,
    relevantExchange: memory.relevant,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const one of open) one.destroy();
      }),
  };
}

/** Returns null for a request that the CLI would not make. */
function passingOf(incoming: IncomingMessage, prefix: string, upstream: URL): Passing | null {
  const requested = incoming.url ?? '';
  if (!requested.startsWith(`${prefix}/`) && requested !== prefix) return null;
  const base = upstream.pathname.replace(/\/$/, '');
  return { incoming, upstream, path: `${base}${requested.slice(prefix.length)}` || '/' };
}
