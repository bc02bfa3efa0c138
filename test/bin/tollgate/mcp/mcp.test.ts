// tollgate mcp as a client sees it: tools that read, resources, refusals, nonsense and floods.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openMcp } from '../../../rig/mcp-client.ts';
import { SESSION_IDS } from '../../../rig/session-files.ts';
import { makeIn } from '../../../rig/session-run.ts';
import { failWith } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig }>('tollgate mcp');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const CODEX = { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] };

test('its tools are those of its page, each with a schema of what it takes and gives', async ({ rig }) => {
  const { client, close } = await openMcp(rig);
  const { tools } = await client.listTools();
  const rows = readFileSync('docs/mcp.md', 'utf8').matchAll(/^\| `([a-z_]+)` \|/gm);
  assert.equal(
    tools.map(({ name }) => name),
    [...rows].map(([, name]) => name),
  );
  for (const { name, description, inputSchema, outputSchema } of tools)
    assert.ok(description && inputSchema.additionalProperties === false && outputSchema, name);
  await close();
});

test('how a task stands, why it failed, its budget, and its files', async ({ rig }) => {
  const task = makeTask(rig, CODEX);
  rig.answer(() => failWith('codex', 'invalid api key \u001b[31m', 401));
  await task.run();
  const { ask, client, close } = await openMcp(rig);
  const { object: status } = await ask('status');
  assert.equal([status.totals.failed, status.tasks[0].task_id, status.more], [1, 'fix', 0]);
  assert.is((await ask('status', { task: 'fix' })).object.tasks.length, 1);
  const { object: why, text, isError } = await ask('explain_failure', { task: 'fix' });
  assert.equal(
    [isError, why.class, why.reason, JSON.parse(text).signature],
    [false, 'auth', why.reason, why.signature],
  );
  assert.ok(why.next_actions.length > 0);
  const { object: failures } = await ask('list_failures', { since: '1h' });
  assert.equal([failures.groups.length, failures.groups[0].signature, failures.more], [1, why.signature, 0]);
  assert.is((await ask('budget', { task: 'fix' })).object.used, 1);
  assert.equal((await ask('budget')).object.budgets, []);
  const { resources } = await client.listResources();
  assert.equal(resources.map(({ uri }) => uri).sort(), ['tollgate://task/fix/failure', 'tollgate://task/fix/summary']);
  const { contents } = await client.readResource({ uri: 'tollgate://task/fix/summary' });
  assert.is((contents[0] as { text: string }).text, task.read('outputs/_summary.md'));
  await close();
});

test('a conversation is read, and its last answer taken back and brought again', async ({ rig }) => {
  makeIn(rig, 'codex', [
    { prompt: 'one', answer: 'ONE' },
    { prompt: 'two', answer: 'The token is ghp_0123456789abcdefghijABCDEFGHIJ012345.' },
  ]);
  const { ask, close } = await openMcp(rig);
  const session = SESSION_IDS.codex;
  const { object, text } = await ask('history', { session, last: 1 });
  assert.equal([object.turns_active, object.turns.length, text.includes('ghp_0123')], [2, 1, false]);
  assert.is((await ask('undo', { session, dry_run: true })).isError, false);
  for (const [given, gone] of [
    [{ session }, 1],
    [{ session, redo: true }, 0],
  ] as const) {
    const undone = await ask('undo', given);
    assert.is(undone.isError, false, undone.text);
    assert.is((await ask('history', { session })).object.turns_reverted, gone);
  }
  const exported = await ask('recover', { session, choose: 'export' });
  assert.equal([exported.isError, exported.object.how], [false, 'exported']);
  await close();
});

test('what leads out of the project, and what is not there, is an error result', async ({ rig }) => {
  makeTask(rig, CODEX);
  const { ask, client, close } = await openMcp(rig);
  for (const [tool, given, says] of [
    ['explain_failure', { task: '../elsewhere' }, /must match pattern/],
    ['budget', { task: '--set=9' }, /must match pattern/],
    ['budget', { task: 'fix', set: 9 }, /additional properties: "set" is not known; known are task$/],
    [
      'ask',
      { cli: 'codex', promt: 'Hi', agin: true },
      /"promt" is not known; did you mean prompt\?.*did you mean again\?/,
    ],
    ['history', { session: '-x' }, /must match pattern/],
    ['explain_failure', {}, /required property 'task'/],
    ['explain_failure', { task: 'none' }, /there is no task at /],
    ['recover', { session: 'none', choose: 'rollback' }, /no session/],
  ] as const) {
    const { isError, text } = await ask(tool, given);
    assert.is(isError, true, tool);
    assert.match(text, says);
  }
  for (const tool of ['explain_failure', 'budget', 'logs', 'run_task', 'status']) {
    const [first] = (await ask(tool, { task: 'none' })).object.next_actions as { call: unknown }[];
    assert.equal(first!.call, { tool: 'status', arguments: {} }, tool);
  }
  const refused = (asked: Promise<unknown>) =>
    asked.then(
      () => false,
      () => true,
    );
  assert.ok(await refused(ask('run_everything')));
  assert.ok(await refused(client.readResource({ uri: 'tollgate://task/..%2F..%2Fetc/summary' })));
  await close();
});

/** Without an SDK that would send nothing wrong. */
function spoken(rig: TestRig) {
  const server = spawn(process.execPath, [path.resolve('dist/tollgate.cjs'), 'mcp'], {
    cwd: rig.project,
    env: rig.env,
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value as string);
  const send = (...messages: object[]) =>
    server.stdin.write(messages.map((each) => `${JSON.stringify({ jsonrpc: '2.0', ...each })}\n`).join(''));
  const opened = async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a-test', version: '1' } };
    send({ id: 0, method: 'initialize', params });
    assert.is((await next()).id, 0);
    send({ method: 'notifications/initialized' });
  };
  return { server, next, send, opened };
}

test('nonsense and a message that is too large are answered, and the next one is, too', async ({ rig }) => {
  const { server, next, send, opened } = spoken(rig);
  await opened();
  server.stdin.write('{"jsonrpc": \n\n[1]\n');
  assert.equal([(await next()).error.code, (await next()).error.code], [-32_700, -32_600]);
  server.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(6 * 1024 ** 2)}"}\n`);
  assert.match((await next()).error.message, /at most 4194304 bytes/);
  send({ id: 2, method: 'no/such' }, { id: 3, method: 'ping' });
  const both = [await next(), await next()].sort((a, b) => a.id - b.id);
  assert.equal([both[0].error.code, both[1].result], [-32_601, {}]);
  server.stdin.end('{"jsonrpc":"2.0","id":4');
  assert.equal(await once(server, 'exit'), [0, null]);
});

const RELATED_TASK = 'io.modelcontextprotocol/related-task';
const NO_REQUESTS: [message: object, id: unknown, why: string][] = [
  [{ id: {}, method: 'ping' }, undefined, 'id is'],
  [{ id: 1.5, method: 'ping' }, undefined, 'id is'],
  [{ id: null, method: 'ping' }, undefined, 'id is'],
  [{ id: 1 }, 1, 'method is'],
  [{ id: 2, method: 5 }, 2, 'method is'],
  [{ id: 3, method: 'ping', params: 'x' }, 3, 'params is'],
  [{ id: 4, method: 'ping', params: { _meta: 'x' } }, 4, '_meta is'],
  [{ id: 5, method: 'ping', result: {} }, 5, 'has no "result"'],
  [{ id: 2 ** 53, method: 'ping' }, undefined, 'id is text or a whole number'],
  [{ id: 6, method: 'ping', params: { _meta: { [RELATED_TASK]: 5 } } }, 6, 'related-task'],
  [{ id: 7, method: 'ping', params: { _meta: { [RELATED_TASK]: {} } } }, 7, 'related-task'],
];
test('a message that is no request is answered as invalid, with its id', async ({ rig }) => {
  const { server, next, send, opened } = spoken(rig);
  await opened();
  for (const [message, id, why] of NO_REQUESTS) {
    // What is answered after it shows that it was not.
    send(message, { id: 'after', method: 'ping' });
    const { id: of, error } = await next();
    assert.equal([of, error?.code], [id, -32_600], why);
    assert.match(error.message, why);
    assert.is((await next()).id, 'after');
  }
  server.stdin.end();
  assert.equal(await once(server, 'exit'), [0, null]);
});

test('a request whose progress token is neither text nor a whole number is answered as invalid', async ({ rig }) => {
  const { server, next, send, opened } = spoken(rig);
  await opened();
  for (const [id, progressToken] of [{}, [], null, true, 1.5].entries()) {
    // What is answered after it shows that it was not.
    send({
      id: `wrong ${id}`,
      method: 'tools/call',
      params: { name: 'status', arguments: {}, _meta: { progressToken } },
    });
    send({ id: `right ${id}`, method: 'ping' });
    const { id: of, error } = await next();
    assert.equal([of, error?.code], [`wrong ${id}`, -32_600]);
    assert.match(error.message, 'progressToken');
    assert.is((await next()).id, `right ${id}`);
  }
  for (const [id, progressToken] of ['a', 7].entries())
    send({ id, method: 'tools/call', params: { name: 'status', arguments: {}, _meta: { progressToken } } });
  assert.equal([(await next()).error, (await next()).error], [undefined, undefined]);
  server.stdin.end();
  assert.equal(await once(server, 'exit'), [0, null]);
});

test('an argument that is no such thing, of any tool, is an error result, and nothing is begun', async ({ rig }) => {
  const { server, next, send, opened } = spoken(rig);
  await opened();
  send({ id: 1, method: 'tools/list', params: {} });
  const { tools } = (await next()).result as { tools: { name: string; inputSchema: { properties?: object } }[] };
  for (const { name, inputSchema } of tools) {
    const fields = Object.keys(inputSchema.properties ?? {});
    for (const wrong of [5, -1, null, true, [], {}, '\u0000', 'x'.repeat(100_000)]) {
      const given = Object.fromEntries(fields.map((field) => [field, wrong]));
      send({ id: 2, method: 'tools/call', params: { name, arguments: given } });
      const { result, error } = await next();
      if (fields.length > 0) assert.ok(error !== undefined || result.isError === true, `${name}: ${typeof wrong}`);
    }
    send({ id: 2, method: 'tools/call', params: { name, arguments: 'no object' } });
    assert.ok('error' in (await next()), name);
  }
  send({ method: 'notifications/cancelled', params: { requestId: 99_999 } }, { id: 3, method: 'ping' });
  assert.equal((await next()).result, {});
  assert.is(rig.calls.length, 0);
  server.stdin.end();
  assert.equal(await once(server, 'exit'), [0, null]);
});

test('a flood is answered one by one, most of it with a word to wait', async ({ rig }) => {
  const { server, next, send, opened } = spoken(rig);
  await opened();
  const calls = Array.from({ length: 400 }, (_, i) => ({
    ...{ id: i + 1, method: 'tools/call', params: { name: 'status', arguments: {} } },
  }));
  send(...calls);
  const ids = new Set<number>();
  let served = 0;
  for (const _ of calls) {
    const { id, result } = await next();
    ids.add(id);
    if (result.isError) assert.match(result.structuredContent.message, /64 calls of tools are under way/);
    else served += 1;
  }
  assert.is(ids.size, calls.length);
  assert.ok(served >= 64);
  server.kill('SIGTERM');
  assert.equal(await once(server, 'exit'), [143, null]);
});

test.run();
