// Passes a request, or a connection that becomes a web socket, on to the service; what is seen of a request is noted.

import { type ClientRequest, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Exchange, emptyBody, keep, type RawHeaders } from './exchange.ts';

/** A message that has come to the relay, for `path` of the service at `upstream`: the very bytes, query and all, which URL would spell otherwise. */
export interface Passing {
  incoming: IncomingMessage;
  upstream: URL;
  path: string;
}

/**
 * Throws what Node throws at a header or a path that it does not send.
 * A connection of its own for each: one that is kept open may be closed just then, and a request must not be sent twice.
 */
function ask({ incoming, upstream, path }: Passing): ClientRequest {
  const send = upstream.protocol === 'https:' ? httpsRequest : httpRequest;
  return send(upstream, {
    agent: false,
    method: incoming.method ?? 'GET',
    path,
    headers: [...endToEnd(incoming.rawHeaders, incoming.headers.upgrade === undefined), 'Host', upstream.host],
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

export const MAX_HEADER_BYTES = 256 * 1024;

/** Without what concerns one connection alone, and without the names of trailers, which are not passed on. */
function endToEnd(headers: RawHeaders, withoutUpgrade = true): string[] {
  const dropped = new Set(['host', 'keep-alive', 'proxy-connection', 'trailer']);
  if (withoutUpgrade) dropped.add('connection');
  return headers.filter((_, i) => !dropped.has(headers[i - (i % 2)]!.toLowerCase()));
}

export function exchangeOf({ incoming, upstream, path }: Passing): Exchange {
  return {
    method: incoming.method ?? 'GET',
    url: `${upstream.origin}${path}`,
    request: { headers: incoming.rawHeaders, body: emptyBody() },
    response: null,
    end: 'under_way',
    error: null,
  };
}

/** @returns the request, to be ended with the relay. Throws if Node refuses it; then nothing was sent. */
export function forward(passing: Passing, outgoing: ServerResponse, exchange: Exchange): ClientRequest {
  const { incoming } = passing;
  const request = ask(passing);
  const over: Over = (end, error = null) => {
    if (exchange.end !== 'under_way') return;
    exchange.end = end;
    exchange.error = error;
  };
  incoming.on('data', (chunk: Buffer) => keep(exchange.request.body, chunk));
  incoming.on('end', () => {
    exchange.request.body.whole = true;
  });
  incoming.on('error', () => {});
  incoming.pipe(request);
  // A service may answer and close before it has read all: the CLI is not kept waiting with the rest.
  request.on('close', () => {
    incoming.unpipe(request).resume();
    if (exchange.response !== null) return;
    // Closed with neither answer nor error, or by a change of protocol that was not requested.
    over('unanswered');
    outgoing.destroy();
  });
  outgoing.on('error', () => {});
  outgoing.on('close', () => {
    if (outgoing.writableFinished) return;
    over('cut_by_cli');
    request.destroy();
  });
  request.on('response', (answer) => answerWith(answer, outgoing, exchange, over));
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (exchange.response !== null) return;
    over('unanswered', error.code ?? error.message);
    // Ends the connection as the service did, as far as that is known.
    if (error.code === 'ECONNRESET') outgoing.socket?.resetAndDestroy();
    else outgoing.destroy();
  });
  return request;
}

/** Says how it ended; the first word counts. */
type Over = (end: Exchange['end'], error?: string | null) => void;

function answerWith(answer: IncomingMessage, outgoing: ServerResponse, exchange: Exchange, over: Over): void {
  const body = emptyBody();
  const { statusCode: status = 502, rawHeaders: headers } = answer;
  exchange.response = { status, headers, body };
  answer.on('error', (error: NodeJS.ErrnoException) => over('cut_by_service', error.code ?? error.message));
  outgoing.sendDate = false;
  try {
    outgoing.writeHead(status, (answer.statusMessage ?? '').replace(UNSAYABLE, ' '), endToEnd(headers));
    // A stream that is silent at first has begun all the same.
    outgoing.flushHeaders();
  } catch (error) {
    // Such as a status of 099: Node reads some answers that it does not write.
    over('cut_by_service', (error as NodeJS.ErrnoException).code ?? (error as Error).message);
    outgoing.destroy();
    answer.destroy();
    return;
  }
  answer.on('data', (chunk: Buffer) => keep(body, chunk));
  answer.on('close', () => {
    body.whole = answer.complete;
    if (body.whole) return over('whole');
    over('cut_by_service');
    // What has come is still handed over, and no end is made up for it.
    outgoing.socket?.end();
  });
  answer.pipe(outgoing);
}

/** In a reason, which decides nothing: Node reads it with these, and does not write it. */
const UNSAYABLE = /[^\t\x20-\x7e\x80-\xff]/g;

/** Forwards a connection that becomes a web socket, without recording it. It forwards no other upgrade. */
export const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** The connection as it was before its request was read, which asks for nothing but its answer: Node leaves the body of such a one unread. */
export function withoutUpgrade(
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Socket,
  rest: Buffer,
) {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]));
  return socket;
}

export function tunnel(passing: Passing, socket: Duplex, head: Buffer): ClientRequest {
  const request = ask(passing);
  socket.on('error', () => request.destroy());
  socket.on('close', () => request.destroy());
  request.on('error', () => socket.destroy());
  request.on('upgrade', (answer, other: Duplex, first: Buffer) => {
    other.on('error', () => socket.destroy());
    socket.on('close', () => other.destroy());
    socket.write(headOf(answer));
    socket.write(first);
    other.write(head);
    socket.pipe(other).pipe(socket);
  });
  // Refused: as it was said, and then the connection is over.
  request.on('response', (answer) => {
    socket.write(headOf(answer));
    answer.on('error', () => socket.destroy());
    answer.pipe(socket);
  });
  request.end();
  return request;
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    // It comes unpacked from its chunks, and ends with the connection.
    if (rawHeaders[i]!.toLowerCase() !== 'transfer-encoding') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
