// Receives webhooks on the loopback: records the requests, and answers each.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Answer = (response: ServerResponse, received: Received, n: number) => void;

export interface Receiver {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

/** @param answer to the n-th request, from 1. */
export async function openReceiver(answer: Answer = (response) => response.end()): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, headers } = request;
    received.push({ method: method!, headers, body: Buffer.concat(chunks).toString('utf8') });
    answer(response, received.at(-1)!, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
