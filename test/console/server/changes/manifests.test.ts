// The manifest of a task by the console: read, checked and saved only over the version that was seen, and never while the task runs.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleClient, openConsoleOf } from '../../../rig/console-client.ts';
import { answerWith, SESSION, STREAMS, write } from '../../../rig/streams.ts';
import { ANY_ANSWER, makeTask, untilStarted } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const test = suite<{ rig: TestRig; page: ConsoleClient }>('manifests');
test.before.each(async (world) => {
  world.rig = await TestRig.open({ tools: ['codex'] });
  world.page = await openConsoleOf(world.rig);
});
test.after.each(async ({ rig, page }) => {
  page.command.signal('SIGINT');
  await page.command.result;
  await rig.dispose();
});

const MANIFEST = 'task_id: fix\ngoal: Find out.\nstages:\n  - {tool: codex, role: brief, requires: [], min_lines: 0}\n';
const FILE = '.tmp/task/fix/manifest.yaml';

const shownIn = async (page: ConsoleClient, task = 'fix') => (await page.get(`/api/tasks/${task}/manifest`)).value;
const textOf = (rig: TestRig, file = FILE) => readFileSync(path.join(rig.project, file), 'utf8');

test('a manifest is shown, checked at its lines, and saved as it was written', async ({ rig, page }) => {
  rig.write(FILE, MANIFEST);
  const { name, text, version, locked } = await shownIn(page);
  assert.equal([name, text, locked], ['manifest.yaml', MANIFEST, null]);
  const wrong = MANIFEST.replace('brief', 'brieff').replace('goal', 'gaol');
  const { problems } = (await page.post('/api/manifest/check', { task: 'fix', text: wrong })).value;
  const gaol = problems.find(({ message }: { message: string }) =>
    /gaol is unknown; did you mean goal\?/.test(message),
  );
  assert.is(gaol?.line, 2);
  assert.ok(problems.some(({ message }: { message: string }) => /there is no role "brieff"/.test(message)));
  const better = MANIFEST.replace('Find out.', 'Ünderstand it; $(id) <b>.');
  const { forecast } = (await page.post('/api/manifest/check', { task: 'fix', text: better })).value;
  assert.equal(
    forecast.stages.map(({ stage, calls }: { stage: string; calls: boolean }) => [stage, calls]),
    [['codex_brief', true]],
  );
  const once = `${better}\nbudgets: {retry_budget: 0}\n`;
  const strict = (await page.post('/api/manifest/check', { task: 'fix', text: once })).value.forecast;
  assert.equal([forecast.retries, strict.retries], [2, 0]);
  assert.is(textOf(rig), MANIFEST);
  const saved = await page.post('/api/manifest', { task: 'fix', text: better, version });
  assert.equal([saved.status, saved.value.says], [200, 'The manifest of fix was saved.']);
  assert.is(textOf(rig), better);
  assert.equal(readdirSync(path.join(rig.project, '.tmp/task/fix')), ['manifest.yaml']);
});

test('a manifest that changed meanwhile is not overwritten', async ({ rig, page }) => {
  rig.write(FILE, MANIFEST);
  const { version } = await shownIn(page);
  const other = `${MANIFEST}# by another program\n`;
  rig.write(FILE, other);
  const refused = await page.post('/api/manifest', { task: 'fix', text: `${MANIFEST}# mine\n`, version });
  assert.is(refused.status, 409);
  assert.match(refused.value.message, /was changed by another program meanwhile; nothing was saved/);
  assert.is(textOf(rig), other);
  const now = await shownIn(page);
  assert.is((await page.post('/api/manifest', { task: 'fix', text: MANIFEST, version: now.version })).status, 200);
  assert.is(textOf(rig), MANIFEST);
});

test('one with a mistake may be saved, which is said; no run of it begins', async ({ rig, page }) => {
  rig.write(FILE, MANIFEST);
  const { version } = await shownIn(page);
  const text = MANIFEST.replace('goal', 'gaol');
  const saved = await page.post('/api/manifest', { task: 'fix', text, version });
  assert.is(saved.status, 200);
  assert.match(
    saved.value.says,
    /^The manifest of fix was saved; a run refuses it as long as it has mistakes \(\d\)\.$/,
  );
  const { code } = await rig.run('tollgate', ['run', 'fix', '--json']);
  assert.equal([code, rig.calls.length], [2, 0]);
});

test('JSON is checked and saved like YAML; of a supervised task there is no forecast', async ({ rig, page }) => {
  const manifest = { task_id: 'fix', goal: 'Find out.', stages: [{ tool: 'codex', role: 'brief' }] };
  rig.write('.tmp/task/fix/manifest.json', JSON.stringify(manifest, null, 2));
  const { name, version } = await shownIn(page);
  assert.is(name, 'manifest.json');
  const text = JSON.stringify({ ...manifest, goal: 'Else.', budgets: { paid_call_budget: -1 } }, null, 2);
  const { problems } = (await page.post('/api/manifest/check', { task: 'fix', text })).value;
  assert.equal(problems, [{ line: 11, message: 'budgets.paid_call_budget must be at least 0' }]);
  const led = JSON.stringify({
    ...{ task_id: 'fix', goal: 'Else.' },
    supervise: { worker: { tool: 'codex' }, reasoner: { tool: 'codex' } },
  });
  const checked = (await page.post('/api/manifest/check', { task: 'fix', text: led })).value;
  assert.equal([checked.problems, checked.forecast], [[], null]);
  assert.is((await page.post('/api/manifest', { task: 'fix', text: led, version })).status, 200);
  assert.is(textOf(rig, '.tmp/task/fix/manifest.json'), led);
});

test('nothing is saved while the task runs, since the agent would be blamed for it', async ({ rig, page }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const { version } = await shownIn(page);
  const running = task.start();
  const call = await rig.call();
  await call.tell(write(STREAMS.codex.opens(SESSION)));
  const before = textOf(rig, '.tmp/task/fix/manifest.json');
  assert.match((await shownIn(page)).locked, /^fix is running: a run has it \(pid \d+\)$/);
  const refused = await page.post('/api/manifest', { task: 'fix', text: before.replace('Find', 'Seek'), version });
  assert.is(refused.status, 409);
  assert.match(refused.value.message, /^fix is running: .*; nothing was saved$/);
  assert.is(textOf(rig, '.tmp/task/fix/manifest.json'), before);
  for (const command of answerWith('codex', 'done')) await call.tell(command);
  assert.is((await running.result).code, 0);
  assert.is((await shownIn(page)).locked, null);
});

test('what is saved while the agent of another task runs is the user’s own: no agent is blamed, and the task runs', async ({
  rig,
  page,
}) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] }, 'edited');
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] }, 'by-hand');
  const other = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] }, 'other');
  const running = other.start();
  const call = await rig.call();
  await untilStarted(other);
  const { text, version } = await shownIn(page, 'edited');
  const saved = await page.post('/api/manifest', { task: 'edited', text: text.replace('Find', 'Seek'), version });
  assert.is(saved.status, 200, JSON.stringify(saved.value));
  const byHand = '.tmp/task/by-hand/manifest.json';
  writeFileSync(path.join(rig.project, byHand), textOf(rig, byHand).replace('Find', 'Seek'));
  for (const command of answerWith('codex', 'done')) await call.tell(command);
  assert.is((await running.result).code, 0);
  rig.answer(() => answerWith('codex', 'done'));
  const refused = await rig.run('tollgate', ['run', 'by-hand', '--json']);
  assert.equal([refused.code, /--accept-changes/.test(refused.stdout)], [2, true]);
  assert.is((await rig.run('tollgate', ['run', 'edited', '--json'])).code, 0);
  assert.ok(rig.calls.at(-1)!.report.stdin.text.includes('Seek out.'));
});

test('a secret is not shown, and a text that cannot be sent whole is not replaced', async ({ rig, page }) => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  rig.write(FILE, MANIFEST.replace('Find out.', secret));
  const shown = await shownIn(page);
  assert.is(shown.text.includes(secret), false);
  assert.match(shown.locked, /^it holds what looks like a secret/);
  rig.write('.tmp/task/long/manifest.yaml', `${MANIFEST.replace('fix', 'long')}${'# x\n'.repeat(30_000)}`);
  assert.match((await shownIn(page, 'long')).locked, /^it has more than 100000 bytes/);
  rig.write('.tmp/task/latin/manifest.yaml', Buffer.from('task_id: latin\ngoal: caf\xe9\n', 'latin1'));
  const { locked, version } = await shownIn(page, 'latin');
  assert.match(locked, /^it is not UTF-8 text/);
  const refused = await page.post('/api/manifest', { task: 'latin', text: 'x', version });
  assert.match(refused.value.message, /^it is not UTF-8 text; .*; nothing was saved$/);
});

test('what is no request is refused, and nothing is changed', async ({ rig, page }) => {
  rig.write(FILE, MANIFEST);
  const { version } = await shownIn(page);
  const wish = { task: 'fix', text: MANIFEST, version };
  for (const wrong of [
    { ...wish, task: '../fix' },
    { ...wish, task: '.tmp/task/fix' },
    { ...wish, text: '' },
    { ...wish, text: 'a\0b' },
    { ...wish, text: 1 },
    { ...wish, version: null },
    { ...wish, file: '/etc/passwd' },
  ])
    assert.is((await page.post('/api/manifest', wrong)).status, 400, JSON.stringify(wrong));
  assert.is((await page.post('/api/manifest', { ...wish, task: 'none' })).status, 404);
  assert.is((await page.post('/api/manifest/check', { task: 'none', text: 'x' })).status, 404);
  assert.is((await page.post('/api/manifest', { ...wish, version: '0' })).status, 409);
  const bomb = `a: &a [x, x]\nb: &b [*a, *a]\n${'c: [*b, *b]\n'.repeat(60)}`;
  for (const text of [bomb, '['.repeat(5000), '{'.repeat(300), '- '.repeat(400), '\u202e: \u0007', 'task_id: [']) {
    const { status, value } = await page.post('/api/manifest/check', { task: 'fix', text });
    assert.is(status, 200);
    assert.ok(value.problems.length > 0, text.slice(0, 40));
  }
  assert.is(textOf(rig), MANIFEST);
});

test('the schema and the late scripts are served to the page alone, and those are no scripts by their addresses', async ({
  page,
}) => {
  for (const name of ['editor.js', 'colours.js']) {
    const { status, headers, text } = await page.get(`/${name}`);
    assert.equal([status, headers['content-type']], [200, 'text/plain; charset=utf-8']);
    assert.ok(text.length > 100_000);
  }
  assert.match(await page.raw(`GET /colours.js HTTP/1.1\r\nHost: 127.0.0.1:${page.port}\r\n\r\n`), 'HTTP/1.1 401');
  const policy = String((await page.get('/')).headers['content-security-policy']);
  assert.match(policy, /script-src 'sha256-\S+' 'sha256-\S+' 'sha256-\S+'; /);
  assert.match(policy, "require-trusted-types-for 'script'; trusted-types late-script");
  assert.is((await page.get('/api/schema')).value.properties.task_id.type, 'string');
});

test.run();
