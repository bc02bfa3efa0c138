// Passes one request on to the service and its answer back, byte by byte and once; what is seen of it is noted.

import { type ClientRequest, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
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
export function ask({ incoming, upstream, path }: Passing): ClientRequest {
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

/**
 * @returns the request to the service, to be ended with the relay.
 * Throws what Node throws at a request that it does not make, of which nothing was sent.
 */
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
