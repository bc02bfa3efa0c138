// Forwards a connection that becomes a web socket, without recording it. It forwards no other upgrade.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ask, type Passing } from './forward.ts';

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
