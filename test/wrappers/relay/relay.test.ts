// The relay passes on what it is given, byte by byte and once, whatever the service does; and remembers the failure.

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyText } from '../../../wrappers/relay/body-text.ts';
import { BEYOND_BYTES, MOST_KEPT_BYTES } from '../../../wrappers/relay/exchange.ts';
import { type Relay, startRelay } from '../../../wrappers/relay/relay.ts';

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer) => void;

interface Seen {
  url: string;
  rawHeaders: string[];
  body: Buffer;
}

interface World {
  serve: Serve;
  seen: Seen[];
  base: string;
  relay: Relay;
  close(): Promise<void>;
}

const test = suite<{ world: World }>('the relay');
test.before.each(async (context) => {
  const serve: Serve = (_, outgoing) => void outgoing.end('ok');
  const world = { serve, seen: [] as Seen[] } as World;
  const server = createServer(async (incoming, outgoing) => {
    outgoing.on('error', () => {});
    const body = await buffer(incoming).catch(() => Buffer.alloc(0));
    world.seen.push({ url: incoming.url!, rawHeaders: incoming.rawHeaders, body });
    world.serve(incoming, outgoing, body);
  });
  server.on('upgrade', (_, socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/s/ok`;
  world.relay = await startRelay(new URL(world.base));
  world.close = async () => {
    await world.relay.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  context.world = world;
});
test.after.each(({ world }) => world.close());

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: Buffer;
  /** Whether it came to its own end. */
  whole: boolean;
}

function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', () => {});
      answer.on('close', () => {
        const { statusCode, headers, rawHeaders, complete } = answer;
        resolve({ status: statusCode!, headers, rawHeaders, body: Buffer.concat(chunks), whole: complete });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const textIn = (told: ReturnType<Relay['relevantExchange']>) => {
  const read = bodyText(told!.response!.body, told!.response!.headers);
  return read.how === 'text' ? read.text : read.why;
};

test('path, query, headers and body continue as they came, and the answer comes back as it is', async ({ world }) => {
  world.serve = (_, outgoing) => {
    outgoing.sendDate = false;
    outgoing.writeHead(418, 'I am a teapot', ['X-Odd-Case', 'a', 'X-Odd-Case', 'b', 'Content-Type', 'text/x']);
    outgoing.end('short');
  };
  const body = Buffer.from([0, 255, 10, 13, 0xc3]);
  const answer = await post(`${world.relay.url}/v1/a%2Fb//c?alt=sse&key=K`, body, {
    Authorization: 'Bearer b',
    'X-A': 'é',
  });
  const [asked] = world.seen;
  assert.is(asked!.url, '/s/ok/v1/a%2Fb//c?alt=sse&key=K');
  assert.equal(asked!.body, body);
  const names = asked!.rawHeaders.filter((_, i) => i % 2 === 0);
  assert.ok(
    ['Authorization', 'X-A', 'Content-Length'].every((name) => names.includes(name)),
    names.join(),
  );
  assert.is(asked!.rawHeaders[asked!.rawHeaders.indexOf('Host') + 1], new URL(world.base).host);
  assert.equal([answer.status, answer.body.toString(), answer.whole], [418, 'short', true]);
  assert.equal(
    answer.rawHeaders.filter((word) => /odd|^[ab]$|date/i.test(word)),
    ['X-Odd-Case', 'a', 'X-Odd-Case', 'b'],
  );
  assert.is(world.seen.length, 1);
});

test('a stream comes piece by piece, while it continues', async ({ world }) => {
  let say = (_: string | null) => {};
  world.serve = (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    say = (text) => (text === null ? outgoing.end() : outgoing.write(text));
  };
  const pieces: string[] = [];
  await new Promise<void>((resolve) => {
    request(`${world.relay.url}/v1`, { method: 'POST', agent: false }, (answer) => {
      // The headers are here before the first piece is.
      say('data: 1\n\n');
      answer.on('data', (chunk: Buffer) => {
        pieces.push(chunk.toString());
        say(pieces.length === 1 ? 'data: 2\n\n' : null);
      });
      answer.on('end', resolve);
    }).end('{}');
  });
  assert.equal(pieces, ['data: 1\n\n', 'data: 2\n\n']);
});

test('what is packed stays packed, and is unpacked for who reads it later', async ({ world }) => {
  const packed = gzipSync('{"error":"no"}');
  world.serve = (_, outgoing) => outgoing.writeHead(400, { 'content-encoding': 'gzip' }).end(packed);
  const { body, headers } = await post(world.relay.url, '{}');
  assert.is(headers['content-encoding'], 'gzip');
  assert.is(gunzipSync(body).toString(), '{"error":"no"}');
  assert.is(textIn(world.relay.relevantExchange()), '{"error":"no"}');
});

test('an answer that breaks off breaks off, with all that came before', async ({ world }) => {
  world.serve = (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write('data: half\n\n', () => outgoing.socket!.end());
  };
  const { status, body, whole } = await post(world.relay.url, '{}');
  assert.equal([status, body.toString(), whole], [200, 'data: half\n\n', false]);
  assert.equal([world.relay.relevantExchange()!.end, world.seen.length], ['cut_by_service', 1]);
});

test('a reset before the answer is a reset, and nothing is sent again', async ({ world }) => {
  world.serve = (_, outgoing) => void outgoing.socket!.resetAndDestroy();
  const error = await post(world.relay.url, '{}').then(
    () => null,
    ({ code }) => code as string,
  );
  assert.is(error, 'ECONNRESET');
  assert.equal(
    [world.relay.relevantExchange()!.end, world.relay.relevantExchange()!.error, world.seen.length],
    ['unanswered', 'ECONNRESET', 1],
  );
});

test('who hangs up is known to the service at once', async ({ world }) => {
  const gone = new Promise<void>((resolve) => {
    world.serve = (_, outgoing) => {
      outgoing.on('close', resolve);
      outgoing.writeHead(200).write('data: 1\n\n');
    };
  });
  const sent = request(world.relay.url, { method: 'POST', agent: false }, (answer) => {
    answer.on('error', () => {});
    answer.once('data', () => sent.destroy());
  });
  sent.on('error', () => {});
  sent.end('{}');
  await gone;
  assert.is(world.relay.relevantExchange()!.end, 'cut_by_cli');
});

test('who sends much is not kept waiting by a service that has answered and gone', async () => {
  const early = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => early.once('listening', resolve));
  const relay = await startRelay(new URL(`http://127.0.0.1:${(early.address() as AddressInfo).port}`));
  const { port, pathname } = new URL(relay.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  const bytes = 20_000_000;
  socket.write(`POST ${pathname}/v1 HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(bytes, 'a'), resolve));
  const [said] = await once(socket, 'data');
  assert.match(String(said), /^HTTP\/1\.1 413 Too Large/);
  socket.destroy();
  early.close();
  await relay.close();
});

test('of bodies of any size the beginning is kept, and all of it goes through', async ({ world }) => {
  const large = Buffer.alloc(MOST_KEPT_BYTES + 3 * BEYOND_BYTES, 'abc ');
  world.serve = (_, outgoing, body) => outgoing.writeHead(500).end(body);
  const { body } = await post(world.relay.url, large);
  assert.ok(body.equals(large));
  const { request: asked, response } = world.relay.relevantExchange()!;
  for (const kept of [asked.body, response!.body])
    assert.equal([kept.bytes, kept.keptBytes], [large.length, MOST_KEPT_BYTES + BEYOND_BYTES]);
  const read = bodyText(asked.body, asked.headers);
  assert.equal([read.how, read.how === 'text' && read.cut], ['text', true]);
});

test('the last failure is told, until the same address answers well', async ({ world }) => {
  world.serve = ({ url }, outgoing) => outgoing.writeHead(url!.includes('bad') ? 400 : 200).end(url);
  const told = () => world.relay.relevantExchange()!.url.split('/').at(-1);
  for (const [path, expected] of [
    ['good', 'good'],
    ['bad?1', 'bad?1'],
    ['good', 'bad?1'],
    ['bad?2', 'bad?2'],
  ] as const) {
    await post(`${world.relay.url}/${path}`, '{}');
    assert.is(told(), expected);
  }
  world.serve = (_, outgoing) => outgoing.end();
  await post(`${world.relay.url}/bad?2`, '{}');
  assert.is(told(), 'bad?2');
  assert.is(world.relay.relevantExchange()!.response!.status, 200);
});

test('nobody asks through it who does not know its address', async ({ world }) => {
  const { origin, pathname } = new URL(world.relay.url);
  for (const path of ['/v1/models', `${pathname}x/v1`, `/${'0'.repeat(32)}/v1`])
    assert.is((await post(`${origin}${path}`, '{}')).status, 404);
  assert.equal([world.seen.length, world.relay.relevantExchange()], [0, null]);
});

test('a web socket is passed on', async ({ world }) => {
  const { port, pathname } = new URL(world.relay.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${pathname}/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  const said = (await buffer(socket)).toString();
  assert.match(said, /^HTTP\/1\.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello$/);
});

test('after its end its port is free, and who was connected is cut off', async ({ world }) => {
  const reached = new Promise<void>((resolve) => {
    world.serve = () => resolve();
  });
  const cut = post(world.relay.url, '{}').catch(({ code }) => code as string);
  await reached;
  await world.relay.close();
  assert.is(await cut, 'ECONNRESET');
  const again = await post(world.relay.url, '{}').catch(({ code }) => code as string);
  assert.is(again, 'ECONNREFUSED');
  assert.is(world.relay.relevantExchange()!.end === 'whole', false);
});

test('whoever has asked only by half does not hold up its end', async ({ world }) => {
  const { port } = new URL(world.relay.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  await new Promise<void>((resolve) => socket.write('POST / HTTP/1.1\r\nHost: a\r\n', () => resolve()));
  const closed = once(socket, 'close');
  // It has the connection, and the half: the one after it was answered.
  await post(world.relay.url, '{}');
  await world.relay.close();
  await closed;
});

test('a port that is taken is said', async ({ world }) => {
  const taken = createSocketServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const error = await startRelay(new URL(world.base), (taken.address() as AddressInfo).port).catch((caught) => caught);
  taken.close();
  assert.is(error.code, 'EADDRINUSE');
});

test.run();
