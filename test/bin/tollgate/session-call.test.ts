// Calls in one line that share a session: by its name, or as the previous call's.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { acquireTicket } from '../../../loops/limits/acquire-ticket.ts';
import { sessionLines } from '../../../loops/session/change-sessions.ts';
import { TOOLS } from '../../../policies/facts/tools.ts';
import { identify } from '../../../wrappers/processes/identity.ts';
import type { FakeCommand } from '../../rig/fake-call.ts';
import { answerWith, failWith, SESSION } from '../../rig/streams.ts';
import { TestRig } from '../../rig/test-rig.ts';
import { waitWhile } from '../../rig/wait-while.ts';

const test = suite<{ rig: TestRig }>('calls that share a session');
test.before.each(async (context) => {
  context.rig = await TestRig.open();
});
test.after.each(({ rig }) => rig.dispose());

const TOLLGATE = path.resolve(import.meta.dirname, '../../../dist/tollgate.cjs');
const OTHER = '00000000-0000-4000-8000-000000000002';

interface Made {
  code: number | null;
  stdout: string;
  stderr: string;
  /** The arguments of the CLI; null if it was not started. */
  argv: string | null;
}

/** Starts a command, and lets the CLI answer, or do what `does` says. */
async function call(
  rig: TestRig,
  argv: readonly string[],
  does: readonly FakeCommand[] = answerWith('codex', 'The answer.'),
  env: Record<string, string> = {},
): Promise<Made> {
  const running = rig.start('tollgate', ['call', ...argv], { env });
  const fake = await rig.callBefore(running.result);
  await fake?.tell(...does);
  const { code, stdout, stderr } = await running.result;
  return { code, stdout, stderr, argv: fake === null ? null : fake.report.argv.join(' ') };
}

function answersIn(rig: TestRig): string[] {
  const calls = path.join(rig.project, '.tmp/calls');
  const files = readdirSync(calls).map((id) => path.join(calls, id, 'answer.md'));
  return files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
}

const sessionsIn = (rig: TestRig) => {
  const file = path.join(rig.project, '.tmp/state/sessions.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).active_sessions : {};
};

for (const tool of TOOLS)
  test(`${tool}: the second call of a name resumes the session of the first`, async ({ rig }) => {
    const asks = [tool, 'Say hello.', '--session', 'login', '--trust-workspace', '--no-files'];
    const first = await call(rig, asks, answerWith(tool, 'One.'));
    assert.equal([first.code, first.stdout], [0, 'One.\n'], first.stderr);
    const [entry] = Object.values<{ session_id: string }>(sessionsIn(rig).login);
    const second = await call(rig, asks, answerWith(tool, 'Two.', entry!.session_id));
    assert.equal([second.code, second.stdout], [0, 'Two.\n'], second.stderr);
    assert.ok(second.argv!.includes(entry!.session_id), second.argv!);
    assert.ok(second.stderr.startsWith(`tollgate call ${tool}: resuming ${tool} session ${entry!.session_id}\n`));
  });

test('a name that is new begins a session, and another name another one', async ({ rig }) => {
  await call(rig, ['codex', 'Say hello.', '--session', 'login']);
  const { argv } = await call(rig, ['codex', 'Say hello.', '--session', 'logout'], answerWith('codex', 'B.', OTHER));
  assert.not.ok(argv!.includes('resume'), argv!);
  const { login, logout } = sessionsIn(rig);
  assert.equal([login.codex.session_id, logout.codex.session_id], [SESSION, OTHER]);
});

test('a name without a CLI uses the CLI that used the name last', async ({ rig }) => {
  await call(rig, ['codex', 'Say hello.', '--session', 'login']);
  const { code, argv, stderr } = await call(rig, ['And now?', '--session', 'login']);
  assert.is(code, 0);
  assert.ok(argv!.includes(`resume ${SESSION}`) || argv!.includes(SESSION), argv!);
  assert.match(stderr, /^tollgate call codex: resuming codex session /);
});

test('a name is refused for a CLI that keeps no session, and reported if the CLI names none', async ({ rig }) => {
  rig.write('mine.sh', '#!/bin/sh\ntouch called; echo Hi.\n');
  chmodSync(path.join(rig.project, 'mine.sh'), 0o755);
  const described = (more: object) =>
    rig.write('tollgate.yaml', JSON.stringify({ tools: { mine: { binary: './mine.sh', ...more } } }));
  const asks = ['call', 'mine', 'Say hello.', '--session', 'login', '--trust-workspace'];
  described({});
  const refused = await rig.run('tollgate', asks);
  assert.is(refused.code, 11);
  assert.match(refused.stderr, '--session: mine continues in no session, since the argv of tools.mine');
  assert.not.ok(existsSync(path.join(rig.project, 'called')));
  described({ argv: [['--resume', '{session}']] });
  const { code, stdout, stderr } = await rig.run('tollgate', asks);
  assert.equal([code, stdout], [0, 'Hi.\n'], stderr);
  assert.match(stderr, 'warning: mine named no session, so none is stored under "login"');
});

test('a failed first call stores no session', async ({ rig }) => {
  await call(rig, ['codex', 'Say hello.', '--session', 'login'], failWith('codex', 'Incorrect API key provided', 401));
  assert.equal(sessionsIn(rig), {});
});

test('a session that failed three times in a row is replaced by a new one', async ({ rig }) => {
  const asks = ['codex', 'Say hello.', '--session', 'login'];
  await call(rig, asks);
  for (let failures = 0; failures < 3; failures++) await call(rig, asks, failWith('codex', 'stream disconnected', 500));
  assert.is(sessionsIn(rig).login.codex.error_count, 3);
  const { argv, stderr } = await call(rig, asks, answerWith('codex', 'New.', OTHER));
  assert.not.ok(argv!.includes(SESSION), argv!);
  assert.match(stderr, new RegExp(`a new session replaces ${SESSION}: it failed 3 times in a row`));
  assert.is(sessionsIn(rig).login.codex.session_id, OTHER);
});

test('a session that its CLI does not know any more is replaced at the next call', async ({ rig }) => {
  const asks = ['codex', 'Say hello.', '--session', 'login'];
  await call(rig, asks);
  const lost = await call(rig, asks, failWith('codex', `No saved session found with ID ${SESSION}.`, 404));
  assert.is(lost.code, 12);
  assert.match(
    lost.stderr,
    `codex cannot resume ${SESSION}, so "login" does not name it any more: the next call begins`,
  );
  const { code, argv } = await call(rig, asks, answerWith('codex', 'New.', OTHER));
  assert.is(code, 0);
  assert.not.ok(argv!.includes(SESSION), argv!);
  assert.is(sessionsIn(rig).login.codex.session_id, OTHER);
});

test('a session that its CLI finds only in its own folder keeps its name', async ({ rig }) => {
  const asks = ['claude', 'Say hello.', '--session', 'login', '--trust-workspace'];
  await call(rig, asks, answerWith('claude', 'One.'));
  const row = { type: 'user', uuid: 'u', sessionId: SESSION, cwd: '/another/folder', message: { content: 'Hi.' } };
  const file = path.join(rig.home, '.claude/projects/-another-folder', `${SESSION}.jsonl`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(row)}\n`);
  const text = `No conversation found with session ID: ${SESSION}\n`;
  const { stderr } = await call(rig, asks, [
    { do: 'write', to: 'stderr', text },
    { do: 'exit', code: 1 },
  ]);
  assert.match(stderr, 'make the call in /another/folder, since "login" still names it');
  assert.is(sessionsIn(rig).login.claude.session_id, SESSION);
});

test('two calls at once with one name: the second waits, and resumes the session of the first', async ({ rig }) => {
  const asks = ['call', 'codex', 'Say hello.', '--session', 'login'];
  const first = rig.start('tollgate', asks);
  const one = await rig.call();
  const second = rig.start('tollgate', asks);
  await second.says(/waiting for the codex session of feature "login"/);
  await one.tell(...answerWith('codex', 'One.'));
  assert.is((await first.result).code, 0);
  const two = await rig.call();
  assert.ok(two.report.argv.includes(SESSION));
  await two.tell(...answerWith('codex', 'Two.'));
  const { code, stdout } = await second.result;
  assert.equal([code, stdout], [0, 'Two.\n']);
});

test('a call that is stopped while it waits starts nothing', async ({ rig }) => {
  const asks = ['call', 'codex', 'Say hello.', '--session', 'login'];
  const first = rig.start('tollgate', asks);
  const one = await rig.call();
  const second = rig.start('tollgate', asks);
  await second.says(/waiting for the codex session/);
  second.signal('SIGINT');
  assert.is((await second.result).code, 130);
  const later = rig.callBefore(first.result);
  await one.tell(...answerWith('codex', 'One.'));
  assert.equal([(await first.result).code, await later], [0, null]);
});

for (const [what, before] of [
  ['that it began', []],
  ['that it resumed', ['codex', 'Say hello.', '--session', 'login']],
] as const)
  test(`a killed call whose CLI continues in the session ${what}: the next call waits, and resumes it`, async ({
    rig,
  }) => {
    if (before.length > 0) await call(rig, before);
    const killed = rig.start('tollgate', ['call', 'codex', 'Say hello.', '--session', 'login']);
    const orphan = await rig.call();
    killed.signal('SIGKILL');
    await killed.result;
    const next = rig.start('tollgate', ['call', 'And now?', '--session', 'login']);
    await next.says(/codex: waiting for the session of "login": the call .* still works, .* --sweep --now ends it/);
    const later = rig.call();
    await orphan.tell(...answerWith('codex', 'Late.'));
    const fake = await later;
    assert.ok(fake.report.argv.includes(SESSION));
    await fake.tell(...answerWith('codex', 'Two.'));
    const { code, stdout } = await next.result;
    assert.equal([code, stdout], [0, 'Two.\n']);
    assert.ok(answersIn(rig).includes('Late.'), 'what was paid for is published');
  });

test('a sweep stores the session of a killed call under its name, but not over a newer one', async ({ rig }) => {
  for (const [session, kept] of [
    [SESSION, SESSION],
    [OTHER, OTHER],
  ] as const) {
    rmSync(path.join(rig.project, '.tmp/state/sessions.json'), { force: true });
    const killed = rig.start('tollgate', ['call', 'codex', 'Say hello.', '--session', 'login']);
    const orphan = await rig.call();
    killed.signal('SIGKILL');
    await killed.result;
    await orphan.tell(...answerWith('codex', 'Late.'));
    if (session === OTHER) {
      const entry = { session_id: OTHER, last_used: '2099-01-01T00:00:00.000Z', error_count: 0, total_tokens: 1 };
      const login = { codex: { ...entry, context_tokens: 1, feature_id: 'login', cwd: rig.project } };
      rig.write('.tmp/state/sessions.json', JSON.stringify({ active_sessions: { login } }));
    }
    await rig.run('tollgate', ['preflight', '--sweep', '--now']);
    assert.is(sessionsIn(rig).login.codex.session_id, kept);
  }
});

test('a call that is killed while another process changes sessions.json keeps its name', async ({ rig }) => {
  const line = { folder: sessionLines(path.join(rig.project, '.tmp')), name: 'file' };
  await acquireTicket({
    ...{ line, mode: 'write', taskId: 'other', stage: 'sessions.json', longestMs: 60_000 },
    ...{ stop: new AbortController().signal, whileWaiting: () => {}, clock: () => new Date() },
  });
  // Nobody waits for a process above it, so another one holds the ticket.
  const holder = spawn('sleep', ['60']);
  const file = path.join(line.folder, 'file.1.jsonl');
  const tickets = () => readFileSync(file, 'utf8');
  const [own, other] = [await identify(process.pid), await identify(holder.pid!)].map((one) => JSON.stringify(one));
  writeFileSync(file, tickets().replace(own!, other!));
  const held = tickets();
  assert.match(held, other!);
  const killed = rig.start('tollgate', ['call', 'codex', 'Say hello.', '--session', 'login']);
  await (await rig.call()).tell(...answerWith('codex', 'The answer.'));
  await waitWhile(() => tickets() === held);
  killed.signal('SIGKILL');
  await killed.result;
  holder.kill();
  await rig.run('tollgate', ['preflight', '--sweep', '--now']);
  assert.is(sessionsIn(rig).login?.codex.session_id, SESSION);
  assert.equal(answersIn(rig), ['The answer.']);
});

test('a call that the agent of the session starts gets a new session, and does not store it', async ({ rig }) => {
  const asks = ['call', 'codex', 'Say hello.', '--session', 'login'];
  await call(rig, asks.slice(1));
  const outer = rig.start('tollgate', asks);
  const fake = await rig.call();
  const said = path.join(rig.root, 'said');
  const nested = rig.call();
  const ran = fake.tell({ do: 'run', argv: [process.execPath, TOLLGATE, ...asks], to: said });
  const inner = await nested;
  assert.not.ok(inner.report.argv.includes(SESSION), inner.report.argv.join(' '));
  await inner.tell(...answerWith('codex', 'Inner.', OTHER));
  await ran;
  assert.match(readFileSync(said, 'utf8'), /a new session is begun, and not stored/);
  await fake.tell(...answerWith('codex', 'Outer.'));
  assert.is((await outer.result).code, 0);
  assert.is(sessionsIn(rig).login.codex.session_id, SESSION);
});

test('--last resumes the session of the previous call, with its CLI', async ({ rig }) => {
  await call(rig, ['codex', 'Say hello.']);
  await call(rig, ['copilot', 'Say hello.', '--trust-workspace'], answerWith('copilot', 'B.', OTHER));
  const { code, argv } = await call(
    rig,
    ['And now?', '--last', '--trust-workspace'],
    answerWith('copilot', 'C.', OTHER),
  );
  assert.is(code, 0);
  assert.ok(argv!.includes(OTHER), argv!);
  const named = await call(rig, ['codex', 'And now?', '--last']);
  assert.ok(named.argv!.includes(SESSION), named.argv!);
});

const REFUSED: [what: string, argv: string[], says: string][] = [
  ['--last without a previous call', ['codex', 'Hi there.', '--last'], 'has no call of codex with a session'],
  ['two sessions', ['codex', 'Hi.', '--last', '--session', 'a'], 'give only one of --session and --last'],
  ['a name with a line break', ['codex', 'Hi.', '--session', 'a\nb'], '--session must be 1 to 128 characters'],
  ['an empty name', ['codex', 'Hi.', '--session='], '--session needs a value'],
];
for (const [what, argv, says] of REFUSED)
  test(`${what}: nothing is started`, async ({ rig }) => {
    const made = await call(rig, argv);
    assert.equal([made.code, made.argv, made.stdout], [2, null, '']);
    assert.ok(made.stderr.includes(says), made.stderr);
  });

test('a record that an agent forged names no session', async ({ rig }) => {
  const folder = path.join(rig.project, '.tmp/calls/20990101000000-00000000');
  mkdirSync(folder, { recursive: true });
  rig.write('.tmp/calls/20990101000000-00000000/call.json', '{"tool":"codex","session_id":"--yolo","started_at":"x"}');
  const { code, argv } = await call(rig, ['codex', 'Hi.', '--last']);
  assert.equal([code, argv], [2, null]);
  rmSync(folder, { recursive: true });
});

const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.log('SKIPPED: the live line of a call that waits: there is no script(1) for a terminal');
(hasScript ? test : test.skip)(
  'a message is on a line of its own, and a call that waits does not say that its CLI works',
  async ({ rig }) => {
    const first = rig.start('tollgate', ['call', 'codex', 'Say hello.', '--session', 'login']);
    const one = await rig.call();
    const command = `'${process.execPath}' '${TOLLGATE}' call codex Hi. --session login`;
    const terminal = spawn('script', ['-qec', command, '/dev/null'], { cwd: rig.project, env: rig.env });
    let shown = '';
    const waits = new Promise<void>((resolve) => {
      terminal.stdout.on('data', (text) => {
        shown += text;
        if (/tollgate call codex: codex[^\n]* \(\d+ s\)/.test(shown)) resolve();
      });
    });
    const ended = once(terminal, 'close');
    await Promise.race([waits, ended]);
    assert.not.match(shown, /codex works/);
    await one.tell(...answerWith('codex', 'One.'));
    await first.result;
    await (await rig.call()).tell(...answerWith('codex', 'Two.'));
    await ended;
    assert.match(shown, /\r\u001b\[Ktollgate call codex: resuming codex session/);
  },
);

test.run();
