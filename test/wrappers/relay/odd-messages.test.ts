// What services and CLIs may say that Node does not repeat as it is: a call continues, or fails as it does without a relay.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Relay, startRelay } from '../../../wrappers/relay/relay.ts';

interface World {
  relay: Relay;
  /** As they came to the service. */
  asked: string[];
  /** What the service says to whoever has asked. */
  serve(socket: Socket): void;
  close(): Promise<void>;
}

const test = suite<{ world: World }>('odd messages through the relay');
test.before.each(async (context) => {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
      if (!(said.startsWith('GET') ? /\r\n\r\n$/ : /END(?:\r\n0\r\n\r\n)?$/).test(said)) return;
      asked.push(said);
      world.serve(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const relay = await startRelay(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`));
  const world: World = {
    relay,
    asked,
    serve: (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
    close: async () => {
      await relay.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  context.world = world;
});
test.after.each(({ world }) => world.close());

/** All that comes back, until the connection is closed. */
function say(
  relay: Relay,
  head: string,
  headers = head.startsWith('GET') ? CLOSE : `${CLOSE}${BODY}`,
): Promise<string> {
  const { port, pathname } = new URL(relay.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  socket.setTimeout(60_000, () => socket.destroy(new Error('it waits for ever')));
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString('latin1');
  });
  socket.write(`${head.replace('~', pathname)} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`, 'latin1');
  return new Promise((resolve, reject) => {
    // A reset is a way to close, too.
    socket.on('close', () =>
      socket.errored?.message === 'it waits for ever' ? reject(socket.errored) : resolve(heard),
    );
  });
}

const POST = 'POST ~v1/x';
const CLOSE = 'Connection: close\r\n';
const BODY = 'Content-Length: 3\r\n\r\nEND';

interface Answer {
  name: string;
  head: string;
  /** null where it cannot be told. */
  heard: RegExp | null;
  end: string;
  error: string | null;
}

const ANSWERS: readonly Answer[] = [
  {
    name: 'a control character in the reason',
    head: 'HTTP/1.1 429 Too\x01Many\r\nContent-Length: 2',
    heard: /^HTTP\/1\.1 429 Too Many\r\n.*\r\n\r\nok$/s,
    end: 'whole',
    error: null,
  },
  {
    name: 'trailers beside a length',
    head: 'HTTP/1.1 400 Bad\r\nTrailer: X-Sum\r\nContent-Length: 2',
    heard: /^HTTP\/1\.1 400 Bad\r\nContent-Length: 2\r\n.*\r\n\r\nok$/s,
    end: 'whole',
    error: null,
  },
  ...['000', '099'].map((status) => ({
    name: `a status of ${status}`,
    head: `HTTP/1.1 ${status} Odd\r\nContent-Length: 2`,
    heard: null,
    end: 'cut_by_service',
    error: 'ERR_HTTP_INVALID_STATUS_CODE',
  })),
];

for (const { name, head, heard, end, error } of ANSWERS)
  test(`an answer with ${name}`, async ({ world }) => {
    world.serve = (socket) => void socket.end(`${head}\r\n\r\nok`, 'latin1');
    const said = await say(world.relay, POST);
    if (heard === null) assert.is(said, '');
    else assert.match(said, heard);
    const told = world.relay.relevantExchange()!;
    assert.equal([told.end, told.error, world.asked.length], [end, error, 1]);
  });

test('a request with trailers beside a length', async ({ world }) => {
  const said = await say(world.relay, POST, `${CLOSE}Trailer: X-Sum\r\n${BODY}`);
  assert.match(said, /^HTTP\/1\.1 200 OK/);
  assert.match(world.asked[0]!, /^POST \/base\/v1\/x HTTP\/1\.1\r\n(?!.*trailer)/is);
});

for (const [name, answer] of [
  [
    'a change of protocol that nobody asked for',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  ],
  ['a goodbye', ''],
] as const)
  test(`instead of an answer ${name}`, async ({ world }) => {
    world.serve = (socket) => void socket.end(answer);
    assert.is(await say(world.relay, POST), '');
    assert.equal(
      [world.relay.relevantExchange()!.end, world.relay.relevantExchange()!.response, world.asked.length],
      ['unanswered', null, 1],
    );
  });

test('a path continues as it was spelt', async ({ world }) => {
  const path = "v1/models/^{x}'/../a%2fb/./c?q={'}&..#d";
  await say(world.relay, `GET ~${path}`);
  assert.is(world.asked[0]!.split('\r\n')[0], `GET /base/${path} HTTP/1.1`);
});

for (const body of [BODY, 'Transfer-Encoding: chunked\r\n\r\n3\r\nEND\r\n0\r\n'])
  test(`a request for another protocol has its body: ${body.split(':')[0]}`, async ({ world }) => {
    world.serve = (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
    const upgrade = 'Connection: Upgrade\r\nUpgrade: h2c\r\nX-Odd-Case: \xe9\r\n';
    const said = await say(world.relay, POST, `${upgrade}${CLOSE}${body}`);
    assert.match(said, /^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nok$/s);
    assert.match(world.asked[0]!, /\r\nX-Odd-Case: \xe9\r\n.*END/s);
    assert.not.match(world.asked[0]!, /upgrade/i);
    const { bytes, whole } = world.relay.relevantExchange()!.request.body;
    assert.equal([bytes, whole], [3, true]);
  });

test('of a web socket whose one side goes the other goes, too', async ({ world }) => {
  const gone = new Promise<void>((resolve, reject) => {
    world.serve = (socket) => {
      socket.on('close', resolve).setTimeout(60_000, () => reject(new Error('it is held for ever')));
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    };
  });
  const { port, pathname } = new URL(world.relay.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${pathname}x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  await once(socket, 'data');
  socket.resetAndDestroy();
  await gone;
});

test.run();
