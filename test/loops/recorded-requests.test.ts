// --record-requests over fake CLIs: what is kept of a failure, when the relay stands aside, and that nothing of it is left.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BegunCall } from '../../loops/attempt/phases.ts';
import { openRecorder } from '../../loops/call/recorder.ts';
import type { RecordedExchange } from '../../policies/api-errors/recorded-request.ts';
import type { BuiltIn } from '../../policies/facts/tools.ts';
import type { CallRecord } from '../../policies/report/call-record.ts';
import { logFiles, readLog } from '../../state/api-errors/read.ts';
import { ADAPTERS } from '../../wrappers/adapters.ts';
import type { FakeCall } from '../rig/fake-call.ts';
import { CERTIFICATE } from '../rig/loopback-certificate.ts';
import { answerWith, failWith, SESSION, STREAMS, write } from '../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../rig/task-run.ts';
import { TestRig } from '../rig/test-rig.ts';
import { waitWhile } from '../rig/wait-while.ts';
import { runWrapper } from '../rig/wrapper-run.ts';

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

interface World {
  rig: TestRig;
  /** The service, as codex' own provider names it. */
  service: { port: number; seen: string[]; serve: Serve; close(): Promise<void> };
}

const test = suite<{ world: World }>('recorded requests');
test.before.each(async (context) => {
  const [rig, service] = [await TestRig.open(), await startService('http')];
  context.world = { rig, service };
  mkdirSync(stateOf(rig), { recursive: true });
  configure(rig, `http://127.0.0.1:${service.port}/v1`);
});
test.after.each(async ({ world }) => {
  await world.rig.dispose();
  await world.service.close();
});

async function startService(protocol: 'http' | 'https'): Promise<World['service']> {
  const seen: string[] = [];
  const listener: Serve = (incoming, outgoing) => {
    outgoing.on('error', () => {});
    seen.push(incoming.url!);
    service.serve(incoming, outgoing);
  };
  const server = protocol === 'http' ? createServer(listener) : createSecureServer(CERTIFICATE, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: World['service'] = {
    port: (server.address() as AddressInfo).port,
    seen,
    // Before it has read what was asked.
    serve: (_, outgoing) =>
      outgoing.writeHead(400, { 'x-request-id': 'r1', 'set-cookie': 'a=b' }).end('{"error":"no"}'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

const stateOf = (rig: TestRig) => path.join(rig.project, '.tmp/state');

function configure(rig: TestRig, baseUrl: string): void {
  const folder = path.join(rig.home, '.codex');
  const table = `[model_providers.mine]\nbase_url = "${baseUrl}"\nenv_key = "SOME_KEY"\n`;
  rig.write(path.relative(rig.project, path.join(folder, 'config.toml')), `model_provider = "mine"\n${table}`);
}

/** Where a fake was told to ask; null where nowhere. */
function relayOf({ report: { argv, env } }: FakeCall): string | null {
  const told = argv.map((word) => /^model_providers\.\w+\.base_url="(.*)"$/.exec(word)?.[1]).findLast(Boolean);
  const named = [told, env.COPILOT_PROVIDER_BASE_URL, env.GOOGLE_GEMINI_BASE_URL, env.GOOGLE_VERTEX_BASE_URL];
  return named.find((url) => url && /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}/.test(url)) ?? null;
}

/** As a CLI would; the status, or the error's code. */
function ask(url: string, body = '{}', headers: Record<string, string> = {}): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent: false, headers }, async (answer) => {
      await buffer(answer).catch(() => null);
      resolve(answer.statusCode!);
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code!));
    sent.end(body);
  });
}

/** What went wrong is what the service said. */
const failing =
  (body: string, query = '', headers: Record<string, string> = {}) =>
  async (fake: FakeCall) => {
    const status = await ask(`${relayOf(fake)}/responses${query}`, body, headers);
    await fake.tell(...failWith('codex', `unexpected status ${status}`, Number(status)));
  };

const entriesOf = (rig: TestRig) =>
  logFiles(stateOf(rig)).flatMap((file) =>
    [...readLog(file)].flatMap((one) => (one.how === 'entry' ? [one.entry] : [])),
  );

const recordedIn = (rig: TestRig): RecordedExchange[] => {
  const folder = path.join(stateOf(rig), 'api_errors');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.request.json')) : [];
  return files.map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as RecordedExchange);
};

const about = ({ warnings }: CallRecord) => warnings.filter((warning) => warning.includes('record'));

/** All that is kept of it, wherever. */
const everything = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

test('the request that failed is kept as it was sent, less what signs in', async ({ world: { rig, service } }) => {
  rig.env.DEPLOY_PASSWORD = 'hunter2-correct-horse';
  const body = JSON.stringify({ model: 'm', input: 'naïve 👍 hunter2-correct-horse', n: 1 });
  rig.answer(
    failing(body, '?api-version=7&key=QUERYKEY', {
      authorization: 'Bearer BEARERKEY',
      'X-Goog-Api-Key': 'GOOGKEY',
      'api-key': 'AZUREKEY',
      'x-api-key': 'ANTHKEY',
      cookie: 'sid=COOKIEKEY',
      'x-amz-security-token': 'AMZKEY',
      'x-ratelimit-remaining-tokens': '12',
    }),
  );
  const { record } = await runWrapper(rig, 'codex', ['--record-requests']).ended();
  assert.equal(about(record), []);
  const [entry] = entriesOf(rig);
  const { source, file } = entry!.context.request as { source: string; file: string };
  assert.is(source, 'relay');
  assert.is(path.basename(file), `${entry!.at.slice(0, 10)}.codex.${record.call_id}.request.json`);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const { request: asked, response, end, error } = recordedIn(rig)[0]!;
  assert.equal(asked.body, body.replace('hunter2-correct-horse', '[REDACTED:DEPLOY_PASSWORD]'));
  assert.equal([asked.method, asked.bytes, asked.less], ['POST', Buffer.byteLength(body), null]);
  assert.is(asked.url, `http://127.0.0.1:${service.port}/v1/responses?api-version=7&key=[left out]`);
  assert.equal(asked.left_out, [
    'authorization',
    'x-goog-api-key',
    'api-key',
    'x-api-key',
    'cookie',
    'x-amz-security-token',
  ]);
  assert.is(asked.headers['x-ratelimit-remaining-tokens'], '12');
  assert.equal(
    [response!.status, response!.body, response!.headers['x-request-id'], response!.left_out, end, error],
    [400, '{"error":"no"}', 'r1', ['set-cookie'], 'whole', null],
  );
  assert.equal(
    [entry!.response.status, entry!.response.body, entry!.response.headers!['x-request-id']],
    [400, '{"error":"no"}', 'r1'],
  );
  assert.not.match(everything(rig.project), /BEARERKEY|GOOGKEY|AZUREKEY|ANTHKEY|COOKIEKEY|AMZKEY|QUERYKEY|hunter2/);
  assert.equal(service.seen, ['/v1/responses?api-version=7&key=QUERYKEY']);
});

test('an answer of 3 MB is kept whole, and its beginning in the entry', async ({ world: { rig, service } }) => {
  const body = `{"error":"${'x'.repeat(3_000_000)}"}`;
  service.serve = (_, outgoing) => outgoing.writeHead(500).end(body);
  rig.answer(failing('{}'));
  await runWrapper(rig, 'codex', ['--record-requests']).ended();
  assert.is(recordedIn(rig)[0]!.response!.body, body);
  const shown = entriesOf(rig)[0]!.response.body!;
  assert.ok(shown.length < 17_000 && shown.startsWith(body.slice(0, 1000)), String(shown.length));
});

test('of more than 8 MB the beginning is kept, and no half of a secret at its end', async ({
  world: { rig, service },
}) => {
  const secret = `ghp_${'A1b2'.repeat(9)}`;
  const pad = (length: number) => 'word '.repeat(Math.ceil(length / 5)).slice(0, length);
  // One across the end of what is kept, one across the end of what was looked at.
  const body = `${pad(8_000_000 - 10)}${secret}${pad(64 * 1024 - 50)}${secret}${pad(100_000)}`;
  service.serve = (incoming, outgoing) => incoming.resume().on('end', () => outgoing.writeHead(400).end('{}'));
  rig.answer(failing(body));
  await runWrapper(rig, 'codex', ['--record-requests']).ended();
  const { body: kept, bytes, less } = recordedIn(rig)[0]!.request;
  assert.equal([bytes, less], [body.length, `the beginning of ${body.length} bytes`]);
  assert.ok(kept!.length > 7_900_000 && kept!.length <= 8_000_100, String(kept!.length));
  assert.not.match(kept!.slice(-100_000), /ghp_/);
});

test('a service that broke off, or gave no answer, is told so', async ({ world: { rig, service } }) => {
  service.serve = (_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write('data: half\n\n', () => outgoing.socket!.end());
  };
  rig.answer(async (fake) => {
    await ask(`${relayOf(fake)}/responses`);
    await fake.tell(...failWith('codex', 'stream disconnected before completion', 500));
  });
  await runWrapper(rig, 'codex', ['--record-requests']).ended();
  const [recorded] = recordedIn(rig);
  assert.is(recorded!.response!.less, 'it was broken off');
  assert.equal(
    [recorded!.end, recorded!.response!.body, recorded!.response!.status],
    ['cut_by_service', 'data: half\n\n', 200],
  );
});

test("what a helper was answered is not the service's failure", async ({ world: { rig, service } }) => {
  service.serve = (_, outgoing) => outgoing.writeHead(404).end('{}');
  rig.answer(async (fake) => {
    await ask(`${relayOf(fake)}/helper`);
    const text = "Error during discovery for MCP server 'docs': MCP error -32000: Connection closed\n";
    await fake.tell({ do: 'write', to: 'stderr', text }, { do: 'exit', code: 1 });
  });
  const { record } = await runWrapper(rig, 'codex', ['--record-requests']).ended();
  assert.equal([record.verdict.class, record.verdict.reason], ['tooling', 'mcp_server']);
  assert.equal(entriesOf(rig), []);
});

test("the status that the CLI told is not another answer's", async ({ world: { rig, service } }) => {
  service.serve = (_, outgoing) => outgoing.writeHead(200, { 'x-request-id': 'r2' }).end('{}');
  rig.answer(async (fake) => {
    await ask(`${relayOf(fake)}/responses`);
    await fake.tell(...failWith('gemini', 'the model is overloaded', 503));
  });
  rig.write(path.relative(rig.project, path.join(rig.home, '.gemini/settings.json')), GEMINI_KEY);
  Object.assign(rig.env, { GEMINI_API_KEY: 'k-k-k-k-k', GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${service.port}` });
  const { record } = await runWrapper(rig, 'gemini', ['--record-requests']).ended();
  assert.equal(about(record), []);
  const [entry] = entriesOf(rig);
  assert.equal([entry!.response.status, entry!.response.headers!['x-request-id']], [503, 'r2']);
});

test('a success leaves nothing, and asks once', async ({ world: { rig, service } }) => {
  service.serve = (_, outgoing) => outgoing.end('fine');
  rig.answer(async (fake) => {
    assert.is(await ask(`${relayOf(fake)}/responses`), 200);
    await fake.tell(...answerWith('codex', 'The answer.'));
  });
  const { code, out, record } = await runWrapper(rig, 'codex', ['--record-requests']).ended();
  assert.equal([code, out, about(record), service.seen.length], [0, 'The answer.', [], 1]);
  assert.equal(readdirSync(stateOf(rig)), []);
});

test('without the flag nothing is between, and the entry says what stands for the request', async ({
  world: { rig },
}) => {
  rig.answer((fake) => {
    assert.is(relayOf(fake), null);
    return failWith('codex', '400 no', 400);
  });
  await runWrapper(rig, 'codex').ended();
  assert.equal(entriesOf(rig)[0]!.context.request, { source: 'prompt' });
  assert.equal(recordedIn(rig), []);
});

test('a run hands the flag to its calls', async ({ world: { rig } }) => {
  rig.answer(failing('{"input":1}'));
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  await task.run('--record-requests');
  assert.ok(recordedIn(rig).some(({ request: { body } }) => body === '{"input":1}'));
  const { stdout } = await rig.run('tollgate', ['report', '--errors']);
  assert.match(stdout, /the request and its answer, as they went: .*\.request\.json/);
});

interface Aside {
  tool: BuiltIn;
  why: RegExp;
  env?: Record<string, string>;
  innerRetries?: 'allow';
  own?: object;
  /** Of the home folder. */
  files?: Record<string, string>;
}

const GEMINI_KEY = JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } });
const URL_OF_TEST = 'http://127.0.0.1:9/v1';

const ASIDE: readonly Aside[] = [
  { tool: 'codex', files: { '.codex/config.toml': '' }, why: /built-in provider takes no other address/ },
  {
    tool: 'codex',
    files: { '.codex/config.toml': '' },
    env: { CODEX_API_KEY: 'k-k-k-k-k-k-k' },
    innerRetries: 'allow',
    why: /with --inner-retries allow/,
  },
  { tool: 'codex', files: { '.codex/config.toml': 'model_provider = "p"\n[model_providers.p]\n' }, why: /no base_url/ },
  {
    tool: 'codex',
    files: { '.codex/config.toml': `model_provider = "p"\n[model_providers.p]\nbase_url = "https://x.azure.com"\n` },
    why: /Azure/,
  },
  {
    tool: 'codex',
    files: { '.codex/config.toml': `model_provider = "p"\n[model_providers.p]\nbase_url = "${URL_OF_TEST}?a=b"\n` },
    why: /more than host and path/,
  },
  {
    tool: 'codex',
    files: { '.codex/config.toml': `model_provider = "p"\n[model_providers.p]\nbase_url = "nowhere"\n` },
    why: /not a URL of HTTP/,
  },
  {
    tool: 'codex',
    files: { '.codex/config.toml': `model_provider = "p"\n[model_providers.p]\nbase_url = "${URL_OF_TEST}"\n` },
    why: /cannot be reached from here \(ECONNREFUSED\)/,
  },
  { tool: 'copilot', env: { COPILOT_GITHUB_TOKEN: 'gho_x' }, why: /GitHub's own service/ },
  { tool: 'copilot', env: { COPILOT_PROVIDER_BASE_URL: URL_OF_TEST, COPILOT_PROVIDER_TYPE: 'azure' }, why: /Azure/ },
  { tool: 'gemini', why: /sign-in \(none is known\)/ },
  { tool: 'gemini', env: { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: URL_OF_TEST }, why: /sign-in \(gateway\)/ },
  {
    tool: 'gemini',
    env: { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p' },
    why: /hangs on project and region/,
  },
  { tool: 'gemini', files: { '.gemini/settings.json': GEMINI_KEY }, own: { sandbox: true }, why: /in a sandbox/ },
  { tool: 'gemini', files: { '.gemini/settings.json': '{"tools":{"sandbox":true}}' }, why: /in a sandbox/ },
  {
    tool: 'gemini',
    files: { '.gemini/settings.json': GEMINI_KEY, '.gemini/.env': `GOOGLE_GEMINI_BASE_URL=${URL_OF_TEST}` },
    env: { GEMINI_API_KEY: 'k' },
    why: /GOOGLE_GEMINI_BASE_URL is set in a \.env file/,
  },
  {
    tool: 'gemini',
    files: { '.gemini/settings.json': GEMINI_KEY, '.gemini/.env': 'HTTPS_PROXY=http://proxy:1' },
    env: { GEMINI_API_KEY: 'k' },
    why: /HTTPS_PROXY is set in a \.env file/,
  },
  {
    tool: 'codex',
    files: { '.codex/.env': 'export http_proxy="http://proxy:1"' },
    why: /http_proxy is set in a \.env/,
  },
];

for (const { tool, why, env = {}, files = {}, ...call } of ASIDE)
  test(`${tool} continues without: ${why.source}`, async ({ world: { rig } }) => {
    for (const [file, text] of Object.entries(files))
      rig.write(path.relative(rig.project, path.join(rig.home, file)), text);
    const environment = { ...rig.env, ...env };
    const request = {
      ...{ model: null, resumeSession: null, newSession: '', access: 'read', maxTurns: null, innerRetries: 'cut' },
      ...{ trustWorkspace: false, cwd: rig.project, environment, own: {}, ...call },
    };
    const begun = { request: { adapter: ADAPTERS[tool], call: request, charge: null } };
    const opened = await openRecorder(begun as unknown as BegunCall, new AbortController().signal);
    assert.match(opened.how === 'failed' ? opened.warning : 'opened', why);
  });

for (const [tool, env, why] of [
  ['codex', { https_proxy: 'http://proxy:1' }, /https_proxy is set/],
  ['gemini', { GOOGLE_GENAI_USE_GCA: 'true' }, /sign-in \(oauth-personal\)/],
] as const)
  test(`${tool} is called without a relay, and the record says so`, async ({ world: { rig } }) => {
    Object.assign(rig.env, env);
    rig.answer((fake) => {
      assert.is(relayOf(fake), null);
      return answerWith(tool, 'The answer.');
    });
    const { code, out, record } = await runWrapper(rig, tool, ['--record-requests']).ended();
    assert.equal([code, out], [0, 'The answer.']);
    const [warning, ...others] = about(record);
    assert.match(warning!, why);
    assert.equal(others, []);
  });

test('a call without a log continues without, and says so', async ({ world: { rig } }) => {
  rig.answer((fake) => {
    assert.is(relayOf(fake), null);
    return answerWith('codex', 'The answer.');
  });
  mkdirSync(path.join(rig.project, 'elsewhere/.git'), { recursive: true });
  const { record } = await runWrapper(rig, 'codex', ['--record-requests', '--cwd=elsewhere']).ended();
  assert.match(about(record)[0]!, /only where there is a \.tmp\/state/);
});

for (const trusted of [true, false])
  test(`a service over TLS ${trusted ? 'is asked' : 'whose certificate is not known here is left to the CLI'}`, async ({
    world: { rig },
  }) => {
    const secure = await startService('https');
    configure(rig, `https://127.0.0.1:${secure.port}/v1`);
    if (trusted) rig.env.NODE_EXTRA_CA_CERTS = rig.write('ca.pem', CERTIFICATE.cert);
    rig.answer(async (fake) => {
      if (trusted) await failing('{"secure":1}')(fake);
      else await fake.tell(...failWith('codex', `400 ${relayOf(fake)}`, 400));
    });
    const { record } = await runWrapper(rig, 'codex', ['--record-requests']).ended();
    await secure.close();
    if (trusted)
      assert.equal([recordedIn(rig)[0]!.request.body, recordedIn(rig)[0]!.response!.status], ['{"secure":1}', 400]);
    else assert.match(about(record)[0]!, /cannot be reached from here \((?:DEPTH_ZERO_SELF_SIGNED_CERT|\w+CERT\w*)\)/);
  });

/** Ends a call in the middle of a stream that never ends. */
async function midStream({ rig, service }: World, ends: (fake: FakeCall, wrapper: number) => void) {
  const closed = new Promise<void>((resolve) => {
    service.serve = (_, outgoing) => {
      outgoing.on('close', resolve);
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    };
  });
  const run = runWrapper(rig, 'codex', ['--record-requests']);
  const fake = await rig.call();
  const relay = relayOf(fake)!;
  // A process of the call's own, as the CLI is.
  const script = `require('node:http').request(process.argv[1], { method: 'POST' }, (r) => r.once('data', () => require('node:fs').writeFileSync('streaming', ''))).end('{}')`;
  await fake.tell(write(STREAMS.codex.opens(SESSION)));
  await fake.spawn([process.execPath, '-e', script, `${relay}/responses`]);
  await waitWhile(() => !existsSync(path.join(rig.project, 'streaming')));
  ends(fake, run.running.pid);
  const left = await run.ended();
  await closed;
  const { port } = new URL(relay);
  const socket = connect(Number(port), '127.0.0.1');
  const reached = await new Promise<string>((resolve) => {
    socket.once('connect', () => resolve('connected'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code!));
  });
  socket.destroy();
  assert.is(reached, 'ECONNREFUSED');
  assert.equal(rig.survivors(), []);
  return left;
}

test('told to stop in the middle of a stream, nothing is left', async ({ world }) => {
  const { code, record } = await midStream(world, (_, wrapper) => process.kill(wrapper, 'SIGTERM'));
  assert.equal([code, record.ending], [143, 'cancelled']);
});

test('a CLI that is killed in the middle of a stream leaves nothing', async ({ world }) => {
  const { record } = await midStream(world, (fake) => process.kill(fake.report.pid, 'SIGKILL'));
  assert.equal([record.ending, record.signal], ['signalled', 'SIGKILL']);
});

test.run();
