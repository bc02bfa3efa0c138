// Whoever is to be told is told, or it is said why not: each with a real receiver on the loopback, or a real command.

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type NotifyRequest, notify } from '../../../loops/upkeep/notify.ts';
import { toDo } from '../../../policies/facts/next-action.ts';
import type { Notification, NotificationFacts } from '../../../policies/manifest/notification.ts';
import type { NotifierRow } from '../../../policies/manifest/notifier.ts';
import { openReceiver, type Receiver } from '../../rig/receiver.ts';
import { contextIn } from '../../rig/run-settings.ts';
import { validatorOf } from '../../rig/schemas/validator.ts';
import { TestRig } from '../../rig/test-rig.ts';

const test = suite('notify');
let rig: TestRig;
let receivers: Receiver[];
test.before.each(async () => {
  rig = await TestRig.open({ tools: [] });
  receivers = [];
});
test.after.each(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await rig.dispose();
});

async function receiving(answer?: Parameters<typeof openReceiver>[0]): Promise<Receiver> {
  const receiver = await openReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

const TOLD: NotificationFacts = {
  task_id: 'fix',
  batch_id: null,
  goal: 'Find out.',
  exit_code: 0,
  stage: null,
  class: null,
  reason: null,
  signature: null,
  retry_at: null,
  question: null,
  budget: { used: 1, total: 4 },
  tasks: null,
  near_budget: [],
  near_limits: [],
  next_actions: [toDo('read the answer')],
  summary: '/p/_summary.md',
};

/** A further try is not begun once little of the time is left: enough of it for all tries on a busy machine. */
const ROW: NotifierRow = { on: ['done'], format: 'json', timeout_ms: 30_000 };

/** Without pauses between tries. */
async function tell(
  row: Partial<NotifierRow>,
  more: Partial<NotifyRequest> = {},
  environment: Record<string, string> = {},
) {
  const said: string[] = [];
  const context = contextIn(rig, { environment: { ...rig.env, ...environment }, say: (line) => said.push(line) });
  const notifiers = [{ ...ROW, ...row }];
  const telling = { notifiers, events: ['done'], content: TOLD, root: rig.project, patterns: [], envAllow: undefined };
  const notified = await notify(context, { ...telling, beside: null, ...more } as NotifyRequest);
  return { notified, said };
}

test('a webhook hears all facts, signed', async () => {
  const { url, received } = await receiving();
  const { notified, said } = await tell({ webhook: url, secret_env: 'HOOK_SIGN' }, {}, { HOOK_SIGN: 'sign-me-0815' });
  assert.equal([notified.map(({ how, why }) => [how, why]), said], [[['sent', 'answered 200']], []]);
  const [one, ...others] = received;
  assert.is(others.length, 0);
  const { headers, method, body } = one!;
  const word = JSON.parse(body) as Notification;
  assert.ok(validatorOf('NOTIFICATION_SCHEMA')(word));
  const { id, at: _, ...rest } = word;
  assert.equal(rest, { schema: 1, event: 'done', text: 'tollgate: task fix is done, 1 of 4 paid calls used', ...TOLD });
  assert.equal([method, headers['tollgate-delivery'], headers['tollgate-event']], ['POST', id, 'done']);
  const mac = createHmac('sha256', 'sign-me-0815').update(`${headers['tollgate-timestamp']}.${body}`).digest('hex');
  assert.is(headers['tollgate-signature'], `v1=${mac}`);
});

test("Slack's form is one text", async () => {
  const { url, received } = await receiving();
  await tell({ webhook_env: 'HOOK', format: 'slack' }, {}, { HOOK: url });
  assert.equal(JSON.parse(received[0]!.body), { text: 'tollgate: task fix is done, 1 of 4 paid calls used' });
});

test('nothing secret is told: of the environment, of the signature, of the address, by the patterns of the task', async () => {
  const { url, received } = await receiving();
  const environment = { HOOK: `${url}/T0-hidden-1`, PLAIN: 'signs-as-99', CODEX_API_KEY: 'key-of-codex-42' };
  const told = {
    ...TOLD,
    goal: `use key-of-codex-42, signs-as-99, ${url}/T0-hidden-1 and ID-7`,
    question: 'signs-as-99?',
  };
  await tell({ webhook_env: 'HOOK', secret_env: 'PLAIN' }, { content: told, patterns: ['ID-\\d'] }, environment);
  assert.not.match(received[0]!.body, /key-of-codex-42|signs-as-99|T0-hidden-1|ID-7/);
  assert.match(received[0]!.body, /"goal":"use \[REDACTED:/);
});

test('only what was asked for is told', async () => {
  const { url, received } = await receiving();
  const { notified } = await tell({ webhook: url, on: ['failed', 'budget'] }, { events: ['done', 'budget'] });
  assert.equal(
    notified.map(({ event }) => event),
    ['budget'],
  );
  assert.equal(
    received.map(({ headers }) => headers['tollgate-event']),
    ['budget'],
  );
});

test('what is broken for a moment is asked again, with the same word', async () => {
  const { url, received } = await receiving((response, _, n) => {
    if (n === 1) response.destroy();
    else response.writeHead(n === 2 ? 500 : 202).end();
  });
  const { notified } = await tell({ webhook: url });
  assert.equal(notified[0]!.why, 'answered 202');
  assert.is(new Set(received.map(({ body }) => body)).size, 1);
  assert.is(received.length, 3);
});

test('what stays broken is given up, and said', async () => {
  const { url, received } = await receiving((response) => response.writeHead(503).end('down'));
  const { notified, said } = await tell({ webhook: url });
  const to = `webhook to ${new URL(url).host}`;
  assert.equal(notified, [{ event: 'done', to, how: 'failed', why: 'answered 503, after 4 tries' }]);
  assert.equal(said, [`the notification "done" was not sent by the ${to}: answered 503, after 4 tries`]);
  assert.is(received.length, 4);
});

test('a redirect is not followed', async () => {
  const other = await receiving();
  const { url } = await receiving((response) => response.writeHead(307, { location: other.url }).end());
  const { notified } = await tell({ webhook: url, secret_env: 'S' }, {}, { S: 'sign-me-0815' });
  assert.equal(notified[0]!.why, 'answered 307, which leads elsewhere and is not followed');
  assert.is(other.received.length, 0);
});

test('an answer without end is not read', async () => {
  let sent = 0;
  const { url } = await receiving((response) => {
    const chunk = Buffer.alloc(1024 * 1024);
    const more = () => {
      while (sent < 100 && !response.destroyed) {
        sent += 1;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  const { notified } = await tell({ webhook: url });
  assert.is(notified[0]!.how, 'sent');
  assert.ok(sent < 100, `${sent} MiB were taken`);
});

test('one that hangs is left at the deadline', async () => {
  const { url } = await receiving(() => {});
  const { notified } = await tell({ webhook: url, timeout_ms: 100 });
  assert.equal([notified[0]!.how, /^no answer in time/.test(notified[0]!.why)], ['failed', true]);
});

test('one that is not there', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const { notified } = await tell({ webhook: `http://127.0.0.1:${port}/` });
  assert.equal(notified[0]!.why, 'ECONNREFUSED, after 4 tries');
});

test('one that is not signed as it should be is not sent', async () => {
  const { url, received } = await receiving();
  const { notified } = await tell({ webhook: url, secret_env: 'NOT_THERE' });
  assert.equal([notified[0]!.how, notified[0]!.why, received.length], ['failed', '$NOT_THERE is not set', 0]);
});

test('a run that is told to stop waits for nobody', async () => {
  const { url, received } = await receiving(() => stop.abort('SIGINT'));
  const stop = new AbortController();
  const context = contextIn(rig, { stop: stop.signal });
  const telling = {
    events: ['done'],
    content: TOLD,
    root: rig.project,
    patterns: [],
    envAllow: undefined,
    beside: null,
  };
  const notified = await notify(context, { ...telling, notifiers: [{ ...ROW, webhook: url }] } as NotifyRequest);
  assert.equal([notified[0]!.why, received.length], ['stopped', 1]);
});

function script(name: string, text: string): void {
  chmodSync(rig.write(name, `#!/bin/sh\n${text}\n`), 0o755);
}

test('a command reads the JSON, in an environment without secrets', async () => {
  script('tell.sh', 'cat > told.json; env > told.env; echo "$1" > told.argv');
  const { notified } = await tell({ command: ['./tell.sh', 'a b'] }, {}, { GH_TOKEN: 'gh-token-1234', FINE: 'yes' });
  assert.equal(notified, [{ event: 'done', to: 'command ./tell.sh', how: 'sent', why: 'exit 0' }]);
  const read = (name: string) => readFileSync(path.join(rig.project, name), 'utf8');
  assert.ok(validatorOf('NOTIFICATION_SCHEMA')(JSON.parse(read('told.json'))));
  assert.equal([read('told.argv'), /^FINE=yes$/m.test(read('told.env'))], ['a b\n', true]);
  assert.not.match(read('told.env'), /gh-token-1234/);
});

test('a command that fails, is not there or does not end is said, and nothing of it survives', async () => {
  script('hang.sh', '(sleep 600 & sleep 600) & wait');
  const told = await Promise.all([
    tell({ command: ['sh', '-c', 'echo "no such room" >&2; exit 3'] }),
    tell({ command: ['./no-such-command'] }),
    tell({ command: ['./hang.sh'], timeout_ms: 1000 }),
  ]);
  assert.equal(
    told.map(({ notified }) => notified[0]!.why),
    ['exit 3: no such room', './no-such-command is not found, or no program', 'ended after 1 s'],
  );
  assert.equal(rig.survivors(), []);
});

test.run();
