// What is changed by the console: each change once, by what its command does, and in the command's words where it is refused.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleClient, openConsoleOf } from '../../../rig/console-client.ts';
import { type DocumentApi, startDocumentApi } from '../../../rig/document-api.ts';
import { SESSION_IDS } from '../../../rig/session-files.ts';
import { makeIn, standsIn } from '../../../rig/session-run.ts';
import { answerWith, SESSION, STREAMS, write } from '../../../rig/streams.ts';
import { play, REASONER, superviseTask } from '../../../rig/supervise-run.ts';
import { ANY_ANSWER, makeTask } from '../../../rig/task-run.ts';
import { TestRig } from '../../../rig/test-rig.ts';

const KEY = 'test-key-of-the-loopback-service';
const test = suite<{ rig: TestRig; page: ConsoleClient; api: DocumentApi }>('what the console changes');
test.before.each(async (world) => {
  world.rig = await TestRig.open();
  world.api = await startDocumentApi({ key: KEY, looks: -1 });
  Object.assign(world.rig.env, { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: world.api.url });
  world.page = await openConsoleOf(world.rig);
});
test.after.each(async ({ rig, page, api }) => {
  page.command.signal('SIGINT');
  await page.command.result;
  await api.close();
  await rig.dispose();
});

test('a run is stopped, and its record says so; one that does not run is not', async ({ rig, page }) => {
  const task = makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const running = task.start();
  const call = await rig.call();
  await call.tell(write(STREAMS.codex.opens(SESSION)));
  const stopped = await page.post('/api/stop', { task: 'fix' });
  assert.equal(
    [stopped.status, stopped.value.says],
    [200, 'fix has the request to stop; the output of its call so far is kept.'],
  );
  assert.is((await running.result).code, 143);
  assert.is(task.failure()?.ending ?? 'cancelled', 'cancelled');
  const idle = await page.post('/api/stop', { task: 'fix' });
  assert.equal([idle.status, idle.value.message], [409, 'fix has ended already, so there is nothing to stop']);
  assert.is((await page.post('/api/stop', { task: 'none' })).status, 404);
});

test('a task is run again; one that runs is not, and no other word becomes an argument', async ({ rig, page }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  const begun = page.post('/api/run', { command: 'tollgate run fix' });
  const call = await rig.call();
  await call.tell(write(STREAMS.codex.opens(SESSION)));
  const { status, value } = await begun;
  assert.equal([status, value.says], [200, 'fix continues, and is at work.']);
  const again = await page.post('/api/run', { command: 'tollgate run fix' });
  assert.equal([again.status, again.value.message], [409, 'fix is already running; nothing was started']);
  assert.is((await page.post('/api/stop', { task: 'fix' })).status, 200);
  assert.is((await page.post('/api/run', { command: 'tollgate run none' })).status, 404);
  assert.is((await page.post('/api/run', { command: 'tollgate run --redo=all' })).status, 400);
});

test('a saved supervision continues by the id of its session', async ({ rig, page }) => {
  play(rig, ['fails', 'fails', 'fails', { action: 'done', summary: 'It is done.' }]);
  const task = superviseTask(rig);
  const { report } = await task.supervise();
  const [command] = /tollgate supervise --resume [\w-]+/.exec(JSON.stringify(report)) ?? [];
  const stream = await page.stream();
  const { status, value } = await page.post('/api/run', { command });
  assert.equal([status, /^fix continues, and is /.test(value.says ?? '')], [200, true], JSON.stringify(value));
  await stream.next(
    ({ topic, change }: { topic: string; change?: unknown }) =>
      topic === 'tasks' && (change as { lines: { state: string }[] }).lines.some(({ state }) => state === 'done'),
  );
  const none = await page.post('/api/run', { command: 'tollgate supervise --resume 0199-ab' });
  assert.is(none.status, 404);
  assert.match(none.value.message!, /^no supervised task of .* has a session "0199-ab"/);
});

test('a batch that does not run is not stopped, and a pace is in calls', async ({ rig, page }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  rig.answer(() => answerWith('codex', 'done'));
  await rig.run('tollgate', ['batch', 'fix']);
  const [batch] = readdirSync(path.join(rig.project, '.tmp/batch'));
  const over = await page.post('/api/batch/stop', { batch });
  assert.equal([over.status, over.value.message], [409, `${batch} has ended already, so there is nothing to stop`]);
  assert.is((await page.post('/api/batch/stop', { batch: 'none' })).status, 404);
  const pace = { tool: 'any', per: 'minute', unit: 'tokens', most: 3 };
  assert.equal((await page.post('/api/limits', pace)).value.message, 'a pace is counted in calls');
});

test('a question is answered, and the task continues in a run of its own', async ({ rig, page }) => {
  let asked = 0;
  rig.answer(({ report }) => {
    if (report.tool !== REASONER) return answerWith('codex', 'done');
    asked += 1;
    const said = asked === 1 ? { action: 'ask', question: 'Which?' } : { action: 'done', summary: 'It is done.' };
    return answerWith(REASONER, JSON.stringify(said));
  });
  const task = superviseTask(rig);
  await task.supervise();
  const stream = await page.stream();
  const answered = await page.post('/api/answer', { task: 'fix', answer: 'The left one; $(id) <b>.' });
  assert.is(answered.status, 200, JSON.stringify(answered.value));
  const isDone = ({ topic, change }: { topic: string; change?: unknown }) =>
    topic === 'tasks' && (change as { lines: { state: string }[] }).lines.some(({ state }) => state === 'done');
  await stream.next(isDone);
  assert.ok(task.prompts(REASONER)[1]!.includes('The left one; $(id) <b>.'));
  const none = await page.post('/api/answer', { task: 'none', answer: 'x' });
  assert.is(none.status, 404);
  stream.close();
});

test('a budget is set and taken away; one that is none is refused', async ({ page }) => {
  const wish = { tool: 'any', per: 'day', unit: 'calls', most: 7 };
  assert.is((await page.post('/api/limits', wish)).status, 200);
  const [budget] = (await page.get('/api/budgets')).value.budgets;
  assert.equal([budget.per, budget.unit, budget.most, budget.left], ['day', 'calls', 7, 7]);
  assert.is((await page.post('/api/limits', { ...wish, tool: 'codex', most: 3 })).status, 200);
  assert.is((await page.post('/api/limits', { ...wish, most: null })).status, 200);
  assert.is((await page.get('/api/budgets')).value.budgets.length, 1);
  const refused = await page.post('/api/limits', { ...wish, tool: 'No Tool' });
  assert.is(refused.status, 409);
  assert.match(refused.value.message, /no name of a CLI/);
});

test('a hold is taken away once', async ({ rig, page }) => {
  const now = Date.now();
  const hold = {
    tool: 'codex',
    account: 'a',
    model: null,
    reason: 'usage_limit',
    until: now + 3_600_000,
    seen_at: now,
    probe: null,
  };
  const { mkdirSync, writeFileSync } = await import('node:fs');
  const folder = path.join(rig.home, '.local/state/tollgate/limits');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'holds.json'), JSON.stringify({ v: 1, holds: [hold] }));
  assert.is((await page.get('/api/budgets')).value.holds.length, 1);
  const wish = { tool: 'codex', account: 'a', model: null };
  assert.is((await page.post('/api/release', wish)).status, 200);
  assert.is((await page.get('/api/budgets')).value.holds.length, 0);
  assert.is((await page.post('/api/release', wish)).status, 409);
});

const TURNS = [
  { prompt: 'one', answer: 'ONE' },
  { prompt: 'two', answer: 'TWO' },
];

test('an answer is taken back, brought back, rolled back; refused while the session is in use', async ({
  rig,
  page,
}) => {
  const session = SESSION_IDS.codex;
  const file = makeIn(rig, 'codex', TURNS);
  const was = readFileSync(file, 'utf8');
  const undone = await page.post('/api/undo', { session });
  assert.is(undone.status, 200, JSON.stringify(undone.value));
  assert.match(undone.value.says, /the answer to turn 2 \("two"\) is taken back/);
  const { reverted, redo } = (await page.get(`/api/sessions/${session}`)).value;
  assert.equal([reverted, redo.length], [1, 1]);
  assert.is((await page.post('/api/redo', { session, n: redo[0].n })).status, 200);
  assert.is(readFileSync(file, 'utf8'), was);
  const rolled = await page.post('/api/recover', { session, choice: 'rollback' });
  assert.is(rolled.status, 200, JSON.stringify(rolled.value));
  assert.is(await standsIn(rig, session), '+one=ONE -two=TWO');
  for (const choice of ['clear', 'export', 'ignore'])
    assert.is((await page.post('/api/recover', { session, choice })).status, 200, choice);

  rig.write('ask.md', 'continue');
  const words = ['--prompt-file', 'ask.md', '--out', 'a.out', '--err', 'a.err', '--resume-session', session];
  const running = rig.start('run_codex', words);
  await rig.call();
  const used = await page.post('/api/undo', { session });
  assert.is(used.status, 409);
  assert.match(used.value.message, /is in use: the call \S+ continues in it; try again when that has ended/);
  running.signal('SIGTERM');
  await running.result;
});

test('a book is begun, shown, a section deleted, exported; what is not there is refused before anything is paid', async ({
  rig,
  page,
  api,
}) => {
  rig.write('republic.txt', 'The Republic, by Plato.\n');
  const wish = { book: 'republic.txt', prompt: 'Distil <b>this</b>.', model: 'gemini-2.5-pro', max_calls: 9 };
  const none = await page.post('/api/distill/start', { ...wish, book: 'none.txt' });
  assert.is(none.status, 409);
  assert.match(none.value.message, /there is no book at .*none\.txt/);
  assert.is(api.paid().length, 0);
  const stream = await page.stream();
  const began = await page.post('/api/distill/start', wish);
  assert.is(began.status, 200, JSON.stringify(began.value));
  assert.is(began.value.failed, undefined, began.value.says);
  const isComplete = async () => (await page.get('/api/distill')).value.distillations[0]?.state === 'complete';
  while (!(await isComplete())) await stream.next(({ topic }) => topic === 'distill');
  const book = (await page.get('/api/distill/republic')).value;
  assert.equal([book.sections, book.document.length, book.waits_until], [3, 3, null]);
  assert.ok(book.document[0].text.length > 100 && book.trace.length > 0);
  const deleted = await page.post('/api/distill/delete', { name: 'republic', section: 2 });
  assert.is(deleted.status, 200, JSON.stringify(deleted.value));
  assert.is((await page.post('/api/distill/delete', { name: 'republic', section: 2 })).status, 409);
  const ended = await page.post('/api/run', { command: 'tollgate distill resume republic' });
  assert.equal([ended.status, ended.value.failed], [200, undefined], JSON.stringify(ended.value));
  const exported = await page.get('/api/distill/republic/export.md');
  assert.equal([exported.status, exported.headers['content-disposition']], [200, 'attachment; filename="republic.md"']);
  for (const word of ['pause', 'stop'])
    assert.match(
      (await page.post(`/api/distill/${word}`, { name: 'republic' })).value.says,
      /is not running; it is complete/,
    );
  assert.is((await page.post('/api/distill/pause', { name: 'none' })).status, 409);
  const resumed = await page.post('/api/run', { command: 'tollgate distill resume none' });
  assert.is(resumed.status, 409, JSON.stringify(resumed.value));
  assert.is(api.paid().length, 3);
  stream.close();
});

test('a book that rests as soon as it was begun is told with what the service said', async ({ rig, page, api }) => {
  rig.write('republic.txt', 'The Republic, by Plato.\n');
  api.script('start', ['bad-key']);
  const wish = { book: 'republic.txt', prompt: 'Distil this.', model: 'gemini-2.5-pro', max_calls: null };
  const began = await page.post('/api/distill/start', wish);
  assert.is(began.status, 200);
  assert.match(began.value.says, /^The book was begun, and is paused \(.+\) now: .*API key not valid/);
  assert.is(began.value.failed, true);
});

test('a batch of tasks is begun; one that is not there stops it before a paid call', async ({ rig, page }) => {
  makeTask(rig, { stages: [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }] });
  rig.answer(({ report: { tool } }) => answerWith(tool, 'done'));
  const none = await page.post('/api/batch/start', { tasks: ['fix', 'none'] });
  assert.is(none.status, 409);
  assert.match(none.value.message, /none/);
  assert.is((await page.get('/api/tasks/fix')).value.calls.used, 0);
  const began = await page.post('/api/batch/start', { tasks: ['fix'] });
  assert.is(began.status, 200);
  assert.match(began.value.says, /^The batch was begun, and is (?:at work|done now)\.$/);
});

test('a batch is not begun over what is at work, nor without the reasoner of a task', async ({ rig, page }) => {
  const stages = [{ tool: 'codex', role: 'brief', ...ANY_ANSWER }];
  for (const id of ['fix', 'other', 'third', 'fourth']) makeTask(rig, { stages }, id);
  superviseTask(rig, {}, 'led');
  const led = await page.post('/api/batch/start', { tasks: ['other', 'led'] });
  assert.equal(
    [led.status, led.value.message],
    [409, 'led is led by a reasoner, which a batch does not call; nothing was started'],
  );
  const running = rig.start('tollgate', ['batch', 'fix', 'other', 'third', '--concurrency=1']);
  await (await rig.call()).tell(write(STREAMS.codex.opens(SESSION)));
  for (const [task, why] of [
    ['fix', /^fix is already running; nothing was started$/],
    ['third', /^third waits in the batch \S+, which runs; nothing was started$/],
  ] as const) {
    const { status, value } = await page.post('/api/batch/start', { tasks: ['fourth', task] });
    assert.is(status, 409);
    assert.match(value.message, why);
  }
  running.signal('SIGTERM');
  await running.result;
  const both = await Promise.all([1, 2].map(() => page.post('/api/batch/start', { tasks: ['fourth'] })));
  assert.equal(both.map(({ status }) => status).sort(), [200, 409], JSON.stringify(both));
  assert.ok(both.some(({ value }) => /already (?:running|at work); nothing was started$/.test(value.message ?? '')));
  assert.is((await page.post('/api/stop', { task: 'fourth' })).status, 200);
});

test('an answer whose run asks again at once is taken, and said to be', async ({ rig, page }) => {
  const question = { action: 'ask', question: 'Which?' };
  rig.answer(({ report: { tool } }) => answerWith(tool, tool === REASONER ? JSON.stringify(question) : 'done'));
  await superviseTask(rig).supervise();
  const answered = await page.post('/api/answer', { task: 'fix', answer: 'The left one.' });
  assert.is(answered.status, 200);
  // On a busy machine the page does not wait until the run has parked its task again.
  assert.match(answered.value.says, /^fix has the answer, and is (?:parked now|at work)\.$/);
});

test('a sweep, with nothing to be swept', async ({ page }) => {
  const swept = await page.post('/api/sweep', {});
  assert.equal([swept.status, swept.value.says], [200, 'Nothing to sweep: no killed run has left anything behind.']);
});

test('what is no wish is refused in words, and nothing is done', async ({ page }) => {
  const WRONG: [string, object][] = [
    ['/api/stop', {}],
    ['/api/stop', { task: '--help' }],
    ['/api/stop', { task: '../x' }],
    ['/api/stop', { task: 1 }],
    ['/api/undo', { session: '-x' }],
    ['/api/undo', { session: 'x', more: 1 }],
    ['/api/redo', { session: 'x', n: '1' }],
    ['/api/redo', { session: 'x', n: -1 }],
    ['/api/recover', { session: 'x', choice: 'delete' }],
    ['/api/limits', { tool: 'any', per: 'year', unit: 'calls', most: 1 }],
    ['/api/answer', { task: 'x', answer: ' ' }],
    ['/api/distill/delete', { name: 'x', section: null }],
    ['/api/distill/start', { book: 'x\n', prompt: 'p', model: 'm', max_calls: 1 }],
    ['/api/sweep', { now: true }],
    ['/api/batch/start', { tasks: ['--from=x'] }],
    ['/api/compare/start', { prompt: ' ', tools: ['codex', 'claude'], access: 'read' }],
    ['/api/compare/start', { prompt: 'x', tools: ['codex', 'claude'], access: 'full' }],
  ];
  for (const [address, wish] of WRONG) {
    const { status, value } = await page.post(address, wish);
    assert.is(status, 400, JSON.stringify([address, wish]));
    assert.match(value.message, /; nothing was changed$/);
  }
});

test.run();
