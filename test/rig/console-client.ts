// Plays a browser of a running console: admitted by the printed address, with the cookie and the token of the page.

import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { RunningCommand } from './running-command.ts';
import type { TestRig } from './test-rig.ts';

export interface ConsoleClient {
  command: RunningCommand;
  url: string;
  port: number;
  /** In the form that the browser sends. */
  cookie: string;
  pageToken: string;
  // biome-ignore lint/suspicious/noExplicitAny: each address has a different answer, and a test reads what it requested.
  get(address: string): Promise<{ status: number; headers: IncomingMessage['headers']; value: any; text: string }>;
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  post(address: string, wish: object): Promise<{ status: number; value: any }>;
  stream(): Promise<ConsoleStream>;
  /**
   * Sends raw bytes.
   * @returns the reply up to the end of the connection, or up to the answer of `again`.
   */
  raw(bytes: string): Promise<string>;
}

interface ConsoleStream {
  status: number;
  /** Returns the next change that matches. */
  next(fits: (change: { topic: string; id?: string; change?: unknown }) => boolean): Promise<unknown>;
  close(): void;
}

export async function openConsoleOf(rig: TestRig, flags: string[] = []): Promise<ConsoleClient> {
  const command = rig.start('tollgate', ['console', ...flags]);
  await command.says(/open this address/);
  const url = command.stdout.trim();
  const { port: given, search } = new URL(url);
  const port = Number(given);
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const asking = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, resolve);
      asking.on('error', reject).end(body);
    });
  const entered = await ask('GET', `/${search}`, {});
  const cookie = entered.headers['set-cookie']![0]!.split(';')[0]!;
  entered.resume();
  const own = { cookie, 'sec-fetch-site': 'same-origin' };
  const textOf = async (answer: IncomingMessage) => {
    const pieces: Buffer[] = [];
    for await (const piece of answer as AsyncIterable<Buffer>) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  };
  const objectIn = (text: string) => (text.startsWith('{') ? JSON.parse(text) : null);
  const get = async (address: string) => {
    const answer = await ask('GET', address, own);
    const text = await textOf(answer);
    return { status: answer.statusCode!, headers: answer.headers, text, value: objectIn(text) };
  };
  const pageToken = (await get('/api/page')).value.token as string;
  return {
    ...{ command, url, port, cookie, pageToken, get },
    async post(address, wish) {
      const body = JSON.stringify(wish);
      const headers = {
        ...own,
        origin: `http://127.0.0.1:${port}`,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'x-tollgate-page': pageToken,
      };
      const answer = await ask('POST', address, headers, body);
      return { status: answer.statusCode!, value: objectIn(await textOf(answer)) };
    },
    async stream() {
      const answer = await ask('GET', '/api/events', own);
      answer.setEncoding('utf8');
      return streamOf(answer);
    },
    raw: (bytes) =>
      new Promise((resolve, reject) => {
        let said = '';
        const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes, 'latin1'));
        socket.setEncoding('latin1').on('data', (text) => (said += text));
        socket.on('close', () => resolve(said)).on('error', () => resolve(said));
        socket.setTimeout(60_000, () => reject(new Error(`still open after a minute: ${said}`)));
      }),
  };
}

function streamOf(answer: IncomingMessage): ConsoleStream {
  const seen: { topic: string }[] = [];
  let wake: (() => void) | null = null;
  let rest = '';
  answer.on('data', (text: string) => {
    const pieces = (rest + text).split('\n\n');
    rest = pieces.pop()!;
    for (const piece of pieces) if (piece.startsWith('data: ')) seen.push(JSON.parse(piece.slice(6)));
    wake?.();
  });
  answer.on('close', () => wake?.());
  return {
    status: answer.statusCode!,
    async next(fits) {
      for (;;) {
        const at = seen.findIndex(fits);
        if (at >= 0) return seen.splice(at, 1)[0];
        if (answer.destroyed || answer.complete) throw new Error('the stream has ended');
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => answer.destroy(),
  };
}
