// Every view shows what it is told, filtered and sorted, and says what is empty.

import * as assert from 'uvu/assert';
import type { Resources, ResourcesOf } from '../../console/contract/resources.ts';
import { pageSuite } from './rig/page-suite.ts';
import { BATCH, SESSION } from './rig/told-names.ts';
import { PLACES } from './rig/told-world.ts';

const views = pageSuite('views');

const SHOWS: Record<string, readonly string[]> = {
  now: ['flaky-checkout', 'a question', 'a worker said', 'claude', 'a last'],
  tasks: ['price-rounding', 'a goal', 'failed', '3 / 10', '≥ $0.42'],
  new: [
    'No sign-in was found for any CLI',
    'codex a lack',
    'a pipeline (codex a lack)',
    'Still needed: a goal, an id.',
  ],
  'tasks/price-rounding': [
    ...['a stage', 'A next action', 'a failure sentence', 'a failure evidence', 'retry: a why', 'sign-in', 'temporary'],
    ...['1–7 paid calls · about $0.04', '$0.42 + 2 calls without a price'],
    ...[
      'did not pass',
      'missing sections',
      'a missing',
      'a lack',
      'a instruction',
      '1 of 3 errors of the reasoner in a row',
      'asks you',
      'Attempt 1 failed (usage limit). The stage was called again.',
    ],
  ],
  'tasks/price-rounding/changes': ['+a added', '-a removed', 'a diff note'],
  'tasks/price-rounding/manifest': ['manifest.yaml', 'as in the file', 'Line 1 a mistake'],
  'tasks/price-rounding/raw': [
    ...['a summary', 'a folder', 'answer', 'outputs/one.err', 'a file'],
    ...['a sentence', 'a evidence', 'Rule and signature', 'a decision'],
  ],
  failures: [
    ...['temporary', 'a evidence', '3 failed calls in 1 task', 'price-rounding'],
    ...['1–7 paid calls · about $0.04', '9 days'],
  ],
  budgets: ['5 of 50 calls left today', '45 calls of 50 calls', '5 calls left', 'a hold', '3 calls at once of gemini'],
  sessions: ['a tag', 'a health', '1 error in a row', 'a stage of the tag', '1 session was not kept'],
  'sessions/58d9e1b3-73c5-4137-8fc7-bac02f7e65df': ['a prompt', 'a answer', '[ REVERTED ]', 'a session note'],
  supervise: ['a instruction', 'a question', '1 of 3'],
  compare: ['compare-20261128120000-0a1b', 'a variant, codex'],
  'compare/compare-20261128120000-0a1b': [
    ...['a goal', 'a variant', 'a answer', '+a added', 'a sentence', 'a evidence', 'a problem', 'passed (a verdict)'],
  ],
  batch: ['1 of 2', '3', '1 min 1 s', 'a why'],
  'batch/20261125020304-0a1b2c3d': [
    ...[
      'Done 1 of 2 tasks Paid calls 3',
      'a sentence',
      'sign-in',
      'price-rounding',
      'a message',
      'A note',
      'In a terminal',
      '1–7 paid calls · about $0.04',
    ],
  ],
  distill: ['walden', 'paused', '3 of 40'],
  'distill/walden': ['a section', 'held', 'a evidence', 'Asks again in'],
  machine: ['a version', 'not installed', 'A fix', 'fails', '1 check to look at. Checking costs nothing.'],
  fleet: [
    'a database',
    'a lost task is lost',
    'may be paid',
    'over for 1 min 10 s',
    'a sentence of the fleet',
    'a pool',
  ],
};

views.test('each place shows what it is told, without a complaint', async ({ page, go, complaints }) => {
  assert.equal(Object.keys(SHOWS), PLACES);
  for (const [place, texts] of Object.entries(SHOWS)) {
    await go(place);
    const shown = (await page.locator('main').innerText()).replace(/\s+/g, ' ');
    assert.equal(
      texts.filter((text) => !shown.includes(text)),
      [],
      `${place}: ${shown}`,
    );
  }
  assert.equal(complaints, []);
});

views.test('the rail leads to each view, and says which it is', async ({ page }) => {
  for (const name of [
    'Tasks',
    'New task',
    'Failures',
    'Budgets',
    'Sessions',
    'Batches',
    'Supervise',
    'Distill',
    'Machine',
    'Now',
  ]) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    assert.match(await page.title(), name);
    assert.match(await page.title(), /^[^·]+ · .*\d+ failed.* · Tollgate$/);
  }
});

views.test('an export is a file to download', async ({ page, go }) => {
  await go('distill/walden');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Markdown' }).click(),
  ]);
  assert.is(download.suggestedFilename(), 'book.md');
});

views.test('the filter of tasks chooses by any word and by state, and stands in the address', async ({ page, go }) => {
  await go('tasks');
  const rows = page.locator('.row-at');
  await page.keyboard.press('/');
  await page.keyboard.type('release');
  await page.getByText('1 of 2 tasks').waitFor();
  assert.is(await rows.count(), 1);
  assert.match(page.url(), /q=release/);
  // The order is by need first, which no column has.
  assert.is(await page.locator('[aria-sort]').count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^needs you/ }).click();
  await page.locator('.row-at').getByText('A first step').waitFor();
  await page.getByRole('button', { name: /^failed/ }).click();
  await page.getByText('A first step').waitFor({ state: 'detached' });
  await page.getByText('1 of 2 tasks').waitFor();
  assert.match(await rows.first().innerText(), 'price-rounding');
  await page.getByRole('button', { name: /^all/ }).click();
  await page.getByRole('button', { name: 'Task', exact: true }).click();
  await page.locator('[aria-sort="ascending"]').waitFor();
  assert.match(await rows.first().innerText(), 'price-rounding');
  await page.getByRole('button', { name: 'Task', exact: true }).click();
  await page.locator('[aria-sort="descending"]').waitFor();
  assert.match(await rows.first().innerText(), 'release-notes');
});

views.test('a failure asks for a wait only until the wait is over', async ({ page, go, server }) => {
  const [group] = (server.told['/api/failures'] as { groups: object[] }).groups;
  const text = 'no sooner than 5 minutes after the failure, call gemini again';
  const action = { text, command: 'tollgate run price-rounding', pays: true, changes: null };
  const since = (minutes: number) => ({
    ...{ ...group, signature: `${minutes}`, next_action: action },
    last_seen: new Date(Date.now() - minutes * 60_000).toISOString(),
  });
  server.told['/api/failures'] = { groups: [since(1), since(6)] };
  for (const place of ['failures', 'now']) {
    await go(place);
    await page.getByText(/^Rerun from \d\d:\d\d \(in [345] min\)\.$/).waitFor();
    assert.is(await page.getByText('Call gemini again', { exact: true }).count(), 1);
  }
  await go('failures');
  const [waits, ready] = await page.locator('.row-at').all();
  assert.match(await waits!.innerText(), /1–7 paid calls · about \$0\.04/);
  assert.is(await waits!.getByRole('button').isDisabled(), true);
  assert.is(await ready!.getByRole('button').isDisabled(), false);
});

views.test(
  'on a phone each cause of failures is a card: class and time, headline, words of the service, tasks, what to do',
  async ({ page, go }) => {
    await go('failures');
    const row = page.locator('.row-at').first();
    const tops: number[] = [];
    for (const part of ['.class', '.what a', '.what .mono', '.seen b', '.do .button'])
      tops.push((await row.locator(part).first().boundingBox())!.y);
    assert.equal(
      [...tops].sort((a, b) => a - b),
      tops,
    );
    const time = (await row.locator('.seen time').boundingBox())!;
    assert.ok(time.y < tops[1]!, 'the time stands beside the class');
    assert.is(await row.locator('.trend').isVisible(), false);
  },
  { width: 360, height: 800 },
);

views.test(
  'on a phone the button of a task is below its goal and its facts, as wide as they are',
  async ({ page, go }) => {
    await go('tasks/price-rounding');
    const head = page.locator('.view-head');
    const facts = (await head.locator('.facts-line').boundingBox())!;
    const button = (await head.locator('.action .button').boundingBox())!;
    assert.ok(button.y >= facts.y + facts.height);
    assert.is(Math.round(button.width), Math.round(facts.width));
  },
  { width: 360, height: 800 },
);

views.test('a batch advises the sign-in first, and the rerun after it', async ({ page, go, server }) => {
  const batch = server.told[`/api/batch/${BATCH}`] as ResourcesOf['batch'];
  const signIn = { text: 'run `codex login`', pays: false, changes: null };
  const again = { text: 'call codex again', command: 'tollgate run price-rounding', pays: true, changes: null };
  const waits = { ...again, text: 'no sooner than 5 minutes after the failure, call gemini again' };
  const failure = { ...batch.failures[0]!, next_actions: [signIn, again] };
  server.told[`/api/batch/${BATCH}`] = { ...batch, failures: [failure] };
  await go(`batch/${BATCH}`);
  const card = page.getByRole('region', { name: 'What is not done' });
  await card.locator('.main', { hasText: 'Copy' }).waitFor();
  assert.is(await card.locator('.main').count(), 1);
  const { tasks } = server.told['/api/tasks'] as Resources['/api/tasks'];
  server.told['/api/tasks'] = { tasks: tasks.map((task) => ({ ...task, at: new Date().toISOString() })) };
  const other = { ...failure, sentence: 'another sentence', next_actions: [waits] };
  server.told[`/api/batch/${BATCH}`] = { ...batch, failures: [failure, other] };
  server.tell({ topic: '*' });
  await card
    .getByText(/from \d\d:\d\d \(in [45] min\)/)
    .first()
    .waitFor();
  await page.getByText('a task can be rerun after the steps below, the other 1 later.').waitFor();
  // Each cause has a rerun of its own.
  assert.is(
    await page
      .locator('.view-head')
      .getByRole('button', { name: /^Rerun/ })
      .count(),
    0,
  );
  assert.is(await card.locator('.main').count(), 1);
  // Each task is named with the sign-in that it needs itself.
  const choices = server.told['/api/choices'] as Resources['/api/choices'];
  const out = ['codex', 'gemini'].map((tool) => ({ tool, lacks: null, note: 'no sign-in found: no key' }));
  server.told['/api/choices'] = { ...choices, tools: out };
  const needs = [['codex'], ['gemini']].map((tools) => ({ tools, is_open: false, most: 1 }));
  const at = new Date().toISOString();
  const [ready, waiting] = ['a task', 'price-rounding'].map((task_id, n) => ({
    ...{ ...tasks[0]!, task_id, at, state: 'failed' as const, next_run: needs[n]! },
  }));
  server.told['/api/tasks'] = { tasks: [waiting!, ready!] };
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  server.tell({ topic: '*' });
  const head = page.locator('.view-head');
  await head.getByText(/Sign in to codex for a task, to gemini for price-rounding\./).waitFor();
  const wait = (await head.innerText()).replace(/\s+/g, ' ').split('The other 1: ')[1]!;
  assert.is(wait.replace(/\d/g, '0').slice(0, 28), 'rerun from 00:00 (in 0 min).');
  await card.getByText(/Sign in to gemini\. Rerun from/).waitFor();
  server.told['/api/choices'] = choices;
  server.told['/api/tasks'] = { tasks: tasks.map((task) => ({ ...task, at })) };
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  const both = { ...other, task_ids: batch.task_ids };
  server.told[`/api/batch/${BATCH}`] = { ...batch, failures: [failure, both] };
  server.tell({ topic: '*' });
  const all = page.getByRole('button', { name: 'Rerun these 2 of the batch' });
  await all.waitFor();
  assert.is(await all.isDisabled(), true);
});

views.test('what is empty says so, and by a filter that it is the filter', async ({ page, go, server }) => {
  const spent = server.told['/api/spent'] as { days: { day: string }[] };
  server.told['/api/spent'] = { ...spent, days: spent.days.map(({ day }) => ({ day, by_tool: {} })) };
  await go('budgets');
  await page.getByText('Nothing in 2 days').waitFor();
  await go('sessions');
  await page.getByLabel('Filter sessions').fill('nowhere');
  await page.getByText('Take a word out of the filter.').waitFor();
  server.told['/api/supervise'] = { supervisions: [] };
  await go('supervise');
  await page.getByText('No supervised task').waitFor();
  await go('supervise/price-rounding');
  await page.getByRole('table').getByText('asks you', { exact: true }).waitFor();
});

views.test('a conversation that is not kept leads to its task', async ({ page, go, server }) => {
  await go('sessions');
  const lost = page.getByRole('group', { name: 'Conversations that are not kept' });
  assert.is(await lost.isVisible(), false);
  await page.getByText('1 session was not kept').click();
  await lost.getByText('codex_impl').waitFor();
  assert.is(await page.getByText('No CLI kept a conversation').count(), 0);
  const { sessions } = server.told['/api/sessions'] as Resources['/api/sessions'];
  server.told['/api/sessions'] = { sessions: sessions.filter(({ kept }) => !kept) };
  server.tell({ topic: '*' });
  await page.getByText('No CLI kept a conversation.').waitFor();
  await lost.locator('a[href="#/tasks/price-rounding"]').click();
  await page.getByRole('heading', { level: 1, name: 'price-rounding' }).waitFor();
});

views.test('a diff shows code in colours, each side of a file by itself', async ({ page, go, server }) => {
  const text = [
    'diff --git a/a.ts b/a.ts',
    '@@ -1,2 +1,2 @@',
    '-/* once',
    '+const once = "<b>now</b>";',
    ' return; // not within the comment of the earlier side',
    'diff --git a/b.txt b/b.txt',
    '@@ -1 +1 @@',
    '-const a',
    '+const b',
    '',
  ].join('\n');
  const shown = server.told['/api/tasks/price-rounding/diff/codex_impl'] as object;
  server.told['/api/tasks/price-rounding/diff/codex_impl'] = { ...shown, text, earlier: '' };
  await go('tasks/price-rounding/changes');
  await page.locator('.diff-line .code-keyword').first().waitFor();
  const tones = await page
    .locator('.diff-line [class^="code-"]')
    .evaluateAll((all) => all.map((at) => `${at.className.slice(5)}: ${at.textContent}`));
  assert.equal(tones, [
    'comment: /* once',
    'keyword: const',
    'name: once',
    'string: "<b>now</b>"',
    'keyword: return',
    'comment: // not within the comment of the earlier side',
  ]);
  const lines = await page.locator('.diff-line').allInnerTexts();
  assert.equal(lines.slice(0, 2), ['-/* once', '+const once = "<b>now</b>";']);
});

views.test('a diff stays readable where its colours cannot be loaded', async ({ page, go }) => {
  await page.route('**/colours.js', (route) => route.abort());
  const [failed] = await Promise.all([page.waitForEvent('requestfailed'), go('tasks/price-rounding/changes')]);
  assert.match(failed.url(), /colours\.js$/);
  await page.getByText('+a added').waitFor();
});

views.test('where it cannot be told what changed, that alone is said', async ({ page, go, server }) => {
  const note = 'Nothing was kept of the tree as it was when this task began.';
  const none = { text: '', earlier: '', changes: [], outside: [], notes: [], command: null };
  server.told['/api/tasks/price-rounding/diff'] = { stages: [], whole: true };
  server.told['/api/tasks/price-rounding/diff/*'] = { ...none, notes: [note] };
  await go('tasks/price-rounding/changes');
  await page.getByText(note).waitFor();
  assert.is(await page.getByText('Nothing has changed').count(), 0);
  server.told['/api/tasks/price-rounding/diff/*'] = none;
  server.tell({ topic: '*' });
  await page.getByText('Nothing has changed').waitFor();
});

views.test('a finding of the gate leads to the changes of its stage, and to its log', async ({ page, go, server }) => {
  const task = server.told['/api/tasks/price-rounding'] as ResourcesOf['task'];
  const names = ['outputs/codex_impl.codex.out', 'outputs/codex_impl.codex.err'];
  server.told['/api/tasks/price-rounding'] = {
    ...task,
    stages: [{ ...task.stages[0]!, stage: 'codex_impl' }],
    attempts: [{ ...task.attempts[0]!, stage: 'codex_impl', class: null, reason: null }],
    gates: [{ ...task.gates[0]!, stage: 'codex_impl', call_id: 'call-1' }],
    texts: names.map((name) => ({ name, what: name.endsWith('out') ? 'answer' : 'stderr', bytes: 20 })),
  };
  for (const name of names)
    server.told[`/api/tasks/price-rounding/texts/${encodeURIComponent(name)}`] = { text: `what ${name} has`, cut: 0 };
  await go('tasks/price-rounding');
  await page
    .locator('.attempt-bar.bad')
    .getByText('answered, but its gate did not pass')
    .waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'Open log' }).click();
  await page.getByText('what outputs/codex_impl.codex.err has').waitFor();
  assert.is(await page.getByText('what outputs/codex_impl.codex.out has').count(), 0);
  await go('tasks/price-rounding');
  await page.getByRole('link', { name: 'Open changes' }).click();
  await page.getByRole('link', { name: 'codex_impl', exact: false }).and(page.locator('[aria-current]')).waitFor();
});

views.test(
  'on a phone the table of an answer keeps its heads, and a task in another session says so in one line',
  async ({ page, go, server }) => {
    const task = server.told['/api/tasks/price-rounding'] as ResourcesOf['task'];
    const name = 'outputs/codex_impl.codex.out';
    server.told['/api/tasks/price-rounding'] = {
      ...{ ...task, state: 'done', failure: null, next_actions: [] },
      lacks: ['session 1 was requested, but the CLI continued in 2'],
      attempts: [{ ...task.attempts[0]!, stage: 'codex_impl', class: null, reason: null }],
      texts: [{ name, what: 'answer', bytes: 40 }],
    };
    const text = '| case | now | wanted |\n|---|---|---|\n| 3 | 1.02 | 1.01 |\n';
    server.told[`/api/tasks/price-rounding/texts/${encodeURIComponent(name)}`] = { text, cut: 0 };
    await go('tasks/price-rounding');
    await page.getByRole('columnheader', { name: 'wanted' }).waitFor();
    const missing = page.getByRole('region', { name: 'What is missing' });
    await missing.getByText('Done, but in another session than requested.').waitFor();
    await missing.getByText('session 1 was requested').waitFor();
  },
  { width: 360, height: 800 },
);

views.test(
  'Now shows the most frequent causes of failures, each with its way to them',
  async ({ page, go, server }) => {
    const { groups } = server.told['/api/failures'] as Resources['/api/failures'];
    await go('now');
    const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Needs you' }) });
    await panel.getByRole('link', { name: groups[0]!.sentence }).click();
    await page.getByRole('region', { name: 'The chosen failure' }).waitFor();
  },
);

views.test('Now lists all that needs the user, and tasks that are done apart', async ({ page, go, server }) => {
  const { tasks } = server.told['/api/tasks'] as Resources['/api/tasks'];
  const other = { ...tasks[1]!, task_id: 'killed-run', state: 'interrupted' as const };
  server.told['/api/tasks'] = { tasks: [...tasks, other] };
  const now = server.told['/api/now'] as Resources['/api/now'];
  const rest = { ...now.tasks[0]!, running: [], waits: null };
  const ended = (['done', 'failed'] as const).map((state) => ({ ...rest, task_id: `is-${state}`, state }));
  server.told['/api/now'] = { ...now, tasks: [...now.tasks, ...ended] };
  server.tell({ topic: '*' });
  await go('now');
  const panel = page.getByRole('region', { name: 'Needs you' });
  await panel.getByText('Its run ended before it could finish.').waitFor();
  const shown = await panel.innerText();
  for (const text of ['invoice-dates', 'a question', 'a sentence', 'price-rounding', 'killed-run', 'Continue'])
    assert.ok(shown.includes(text), text);
  await page.getByRole('region', { name: 'Lately done' }).getByText('is-done').waitFor();
  assert.is(await page.getByText('is-failed').count(), 0);
  assert.match(
    await page.locator('.strip').innerText(),
    /^2 need you \(1 failed, 1 interrupted\)\s+1 running\s+\S+ today/,
  );
});

views.test('Budgets says of which task a call may be that counts without a run', async ({ page, go, server }) => {
  const { tasks } = server.told['/api/tasks'] as Resources['/api/tasks'];
  const other = { ...tasks[1]!, task_id: 'killed-run', state: 'interrupted' as const };
  server.told['/api/tasks'] = { tasks: [...tasks, other] };
  server.tell({ topic: '*' });
  await go('budgets');
  await page.getByText('1 interrupted (killed-run)').waitFor();
  await page.getByRole('link', { name: 'clean up on Machine' }).waitFor();
});

views.test('calls of two runs are no retry, and a session without a file is no link', async ({ page, go, server }) => {
  const address = '/api/tasks/price-rounding';
  const task = server.told[address] as ResourcesOf['task'];
  const at = (sec: number) => new Date(Date.parse(task.attempts[0]!.at) + sec * 1000).toISOString();
  const attempts = task.attempts.slice(0, 2).map((each, nth) => ({
    ...{ ...each, run_id: `run-${nth}`, at: at(nth * 9), ending: 'exited', class: 'auth', reason: 'bad_credentials' },
    ...{ session_id: SESSION, session_kept: false },
    decision: { action: 'stop', why: 'never retried: it would fail the same way' },
  }));
  server.told[address] = { ...task, attempts };
  server.tell({ topic: '*' });
  await go('tasks/price-rounding');
  const timeline = page.getByRole('region', { name: 'Timeline of the stages' });
  await timeline.getByText('Tried in 2 runs, 2 calls in all; another call would fail the same way.').waitFor();
  await timeline.getByText('a vertical line the start of another run').waitFor();
  assert.is(await timeline.locator('.wait').count(), 0);
  assert.is(await timeline.locator('.run-begin').count(), 1);
  await page.getByText('its session was not kept').waitFor();
  assert.is(await page.getByRole('link', { name: 'its session' }).count(), 0);
  const sessions = server.told['/api/sessions'] as Resources['/api/sessions'];
  server.told['/api/sessions'] = { sessions: sessions.sessions.filter(({ kept }) => !kept) };
  await go('sessions');
  await page.getByText('No CLI kept a conversation.').waitFor();
  assert.is(await page.getByLabel('Filter sessions').count(), 0);
});

views.test('an interrupted task says first that its CLI still runs', async ({ page, go, server }) => {
  const { tasks } = server.told['/api/tasks'] as Resources['/api/tasks'];
  const other = { ...tasks[1]!, task_id: 'killed-run', state: 'interrupted' as const };
  server.told['/api/tasks'] = { tasks: [...tasks, other] };
  const now = server.told['/api/now'] as Resources['/api/now'];
  server.told['/api/now'] = { ...now, still_running: [{ task_id: 'killed-run', tool: 'claude' }] };
  const task = server.told['/api/tasks/price-rounding'] as ResourcesOf['task'];
  const attempts = task.attempts.slice(0, 1).map((each) => ({ ...each, ending: 'lost' }));
  const killed = { ...task, state: 'interrupted' as const, failure: null, left_running: true, attempts };
  server.told['/api/tasks/price-rounding'] = killed;
  server.tell({ topic: '*' });
  await go('now');
  await page.getByText('claude still runs and may cost more.').waitFor();
  await go('tasks/price-rounding');
  const ended = page.getByRole('region', { name: 'How it ended' });
  assert.match(await ended.innerText(), /^gemini still runs \(for [^)]+\) and may cost more\.\s+Stop it …/);
  assert.equal(await page.locator('main .main').allInnerTexts(), ['Stop it …']);
  await ended.getByText('Continue and Redo take over the running call: neither starts a second one').waitFor();
  assert.is(await page.getByText('The run ended').count(), 0);
  assert.is(await page.getByText('How long the interrupted call took').count(), 0);
});

views.test('a turn that was taken back is struck through, dim, and marked', async ({ page, go }) => {
  await go('sessions/58d9e1b3-73c5-4137-8fc7-bac02f7e65df');
  const turn = page.locator('.turn.reverted');
  assert.match(await turn.locator('h3').innerText(), '[ REVERTED ]');
  const [line, colour, plain] = await turn
    .locator('del')
    .first()
    .evaluate((at) => [
      getComputedStyle(at).textDecorationLine,
      getComputedStyle(at).color,
      getComputedStyle(document.body).color,
    ]);
  assert.is(line, 'line-through');
  assert.is.not(colour, plain);
});

views.test('a broken conversation says why, offers to recover it, and marks the turn', async ({ page, go, server }) => {
  await go(`sessions/${SESSION}`);
  const card = page.getByRole('region', { name: 'What is wrong' });
  await card.getByText('A flaw', { exact: true }).waitFor();
  await card.locator('.main', { hasText: 'Recover …' }).waitFor();
  assert.equal(await page.locator('.mark', { hasText: 'broken' }).count(), 2);
  const told = server.told[`/api/sessions/${SESSION}`] as ResourcesOf['session'];
  const health = { lines: ['2 turns', 'it is well-formed'], flaws: [], flawed_turns: [] };
  server.told[`/api/sessions/${SESSION}`] = { ...told, health };
  server.tell({ topic: '*' });
  await page.getByText('it is well-formed').waitFor();
  assert.is(await card.count(), 0);
  assert.is(await page.getByRole('button', { name: 'Recover …' }).count(), 1);
});

views.test('the machine marks a CLI that is signed out, and shows a fix as a command', async ({ page, go, server }) => {
  const told = server.told['/api/machine'] as Resources['/api/machine'];
  const clis = ['no sign-in found: no key', 'signed in by A_KEY', 'unclear: why'].map((signed_in, n) => ({
    ...{ tool: `cli-${n}`, version: null, path: '/usr/bin/cli', signed_in },
  }));
  const finding = { check: 'disk space', status: 'warn' as const, found: 'one', fix: 'tollgate preflight --sweep' };
  server.told['/api/machine'] = { ...told, clis, findings: [finding] };
  await go('machine');
  await page.locator('.tile', { hasText: 'cli-0' }).locator('.mark.bad', { hasText: 'no sign-in found' }).waitFor();
  await page.locator('.tile', { hasText: 'by A_KEY' }).locator('.mark.good', { hasText: 'signed in' }).waitFor();
  await page.locator('.tile', { hasText: 'cli-2' }).locator('.mark.wait', { hasText: 'unclear' }).waitFor();
  const fix = page.locator('.fix');
  assert.is(await fix.locator('code').innerText(), 'tollgate preflight --sweep');
  await fix.getByRole('button', { name: 'Copy command' }).waitFor();
});

views.test('a CLI without a sign-in is named where its calls would be paid', async ({ page, go, server }) => {
  const told = server.told['/api/choices'] as Resources['/api/choices'];
  const out = { tool: 'gemini', lacks: null, note: 'no sign-in found: no key is set' };
  server.told['/api/choices'] = { ...told, tools: [out, told.tools[1]!] };
  const { tasks } = server.told['/api/tasks'] as Resources['/api/tasks'];
  const next_run = { tools: ['gemini'], is_open: false, most: 9 };
  const other = { ...tasks[1]!, next_run, task_id: 'killed-run', state: 'interrupted' as const };
  server.told['/api/tasks'] = { tasks: [...tasks, other] };
  server.tell({ topic: '*' });
  await go('now');
  await page.getByText('No sign-in was found for any CLI. Their calls may fail.').waitFor();
  await page
    .getByText(/^1–\d+ paid calls · about \$0\.04$/)
    .first()
    .waitFor();
  // The notice above says it for all, and has the one button for what comes next.
  assert.is(await page.getByText('sign in to').count(), 0);
  await page.getByRole('button', { name: 'Continue anyway' }).waitFor();
  assert.equal(await page.locator('main .main').allInnerTexts(), ['How to sign in']);
  await go('tasks/price-rounding');
  await page.getByRole('button', { name: 'Rerun anyway' }).waitFor();
  assert.equal(await page.locator('main .main').allInnerTexts(), ['How to sign in to gemini']);
  await go('distill');
  await page.getByText('No sign-in was found for gemini. You can begin a distillation').waitFor();
  await page.getByText('1 paid call a section, up to 2,000 · about $0.04').waitFor();
  await go('compare');
  await page.getByText('You can begin a comparison, but their calls may fail.').waitFor();
  await go('failures');
  await page.getByRole('link', { name: 'How to sign in to gemini' }).first().waitFor();
  assert.is(await page.locator('main .main').count(), 1);
  await go('now');
  await page.locator('.count.machine', { hasText: '1 without a sign-in' }).waitFor();
  server.told['/api/choices'] = told;
  // The user comes back from a terminal.
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await page.getByRole('button', { name: 'Continue', exact: true }).waitFor();
  assert.equal(await page.locator('main .main').allInnerTexts(), ['Answer']);
  assert.is(await page.getByText('No sign-in was found').count(), 0);
});

views.test('a task that never ran shows what its prompts ask for', async ({ page, go, server }) => {
  const task = server.told['/api/tasks/price-rounding'] as ResourcesOf['task'];
  const limits = { calls: 10, usd: 2, wallclock_sec: null };
  const writes = { only_reads: false, limits };
  const asks = { commands: ['npm test'], criteria: ['The sum is exact.'], allow: [], deny: ['.ci/**'], ...writes };
  const never = { ...task, state: 'never_run', failure: null, next_actions: [], attempts: [], gates: [], asks };
  server.told['/api/tasks/price-rounding'] = never;
  await go('tasks/price-rounding');
  const panel = page.getByRole('region', { name: 'Limits and acceptance' });
  const shown = (await panel.innerText()).replace(/\s+/g, ' ');
  for (const text of ['The sum is exact.', 'npm test', 'May change every file', 'May not change .ci/**'])
    assert.ok(shown.includes(text), shown);
  for (const text of ['Paid calls at most 10', 'Cost at most $2.00', 'Time no limit'])
    assert.ok(shown.includes(text), shown);
  server.told['/api/tasks/price-rounding'] = { ...never, asks: { ...asks, only_reads: true } };
  server.tell({ topic: '*' });
  await panel.getByText('no file: its stages only read').waitFor();
  assert.is(await panel.getByText('May not change').count(), 0);
});

views.test('a summary names its files and sessions as links', async ({ page, go, server }) => {
  const task = server.told['/api/tasks/price-rounding'] as ResourcesOf['task'];
  const id = '00000000-0000-4000-8000-000000000001';
  const lines = [
    '# Task price-rounding: done',
    '',
    'Goal: a goal',
    '',
    '- Answer of one: /a folder/outputs/one.out',
    '',
  ];
  const summary = [...lines, `Sessions: one ${id} (new)`].join('\n');
  const attempts = task.attempts.map((each) => ({ ...each, session_id: id }));
  server.told['/api/tasks/price-rounding'] = { ...task, state: 'done', folder: '/a folder', summary, attempts };
  await go('tasks/price-rounding/raw');
  const prose = page.locator('.prose');
  assert.is(await prose.getByText('Goal:').count(), 0);
  assert.is(await prose.getByRole('link', { name: id }).getAttribute('href'), `#/sessions/${id}`);
  await prose.getByRole('link', { name: 'outputs/one.out' }).click();
  await page.locator('details[open]', { hasText: 'outputs/one.out' }).waitFor();
});

views.test(
  'the price of a run has all its retries, and not all that its budget allows',
  async ({ page, go, server }) => {
    const { tasks } = server.told['/api/tasks'] as Resources['/api/tasks'];
    const [first, ...others] = tasks;
    const priced = async (most: number, words: string) => {
      const next_run = { tools: ['gemini'], is_open: false, most };
      server.told['/api/tasks'] = { tasks: [{ ...first!, next_run }, ...others] };
      server.tell({ topic: '*' });
      await page.locator('.price').getByText(words, { exact: true }).waitFor();
    };
    await go('tasks/price-rounding');
    await priced(1, '1 paid call · about $0.04');
    await priced(3, '1–3 paid calls · about $0.04');
    await priced(9, '1–7 paid calls · about $0.04');
  },
);

views.test('a new task says before a check what it pays for', async ({ page, go, server }) => {
  const told = server.told['/api/choices'] as Resources['/api/choices'];
  server.told['/api/choices'] = { ...told, tools: [{ tool: 'gemini', lacks: null, note: null }, told.tools[1]!] };
  await go('new');
  await page.getByText('Some CLIs cannot answer yet').waitFor();
  await page.getByRole('link', { name: 'How to sign in' }).waitFor();
  await page.getByLabel('Goal', { exact: true }).fill('Repair the login.');
  await page.getByText('1–10 paid calls · about $0.04').waitFor();
  await page.locator('.ways .main:enabled', { hasText: 'Create and run …' }).waitFor();
  assert.is(await page.locator('.field:has(:required)').count(), 3);
});

views.test('a task that asks shows its reasoner, and marks it as asking', async ({ page, go, server }) => {
  const task = server.told['/api/tasks/price-rounding'] as ResourcesOf['task'];
  const [stage, attempt] = [task.stages[0]!, task.attempts[2]!];
  const stages = ['worker', 'reasoner'].map((name) => ({ ...stage, stage: name }));
  const attempts = stages.map(({ stage: name }) => ({
    ...attempt,
    call_id: name,
    stage: name,
    attempt: 1,
    class: null,
  }));
  const now = { ...task, state: 'parked', failure: null, next_actions: [], gates: [], stages, attempts };
  server.told['/api/tasks/price-rounding'] = now;
  await go('tasks/price-rounding');
  const lane = page.locator('.timeline li', { hasText: 'reasoner' });
  await lane.locator('.mark.wait', { hasText: 'asks you' }).waitFor();
  await lane.locator('.attempt-bar.waits[aria-pressed="true"]').waitFor();
  await page.getByRole('heading', { name: 'reasoner, attempt 1' }).waitFor();
});

views.test('a gate is drawn beside a short bar, and within its lane', async ({ page, go, server }) => {
  const task = server.told['/api/tasks/price-rounding'] as ResourcesOf['task'];
  const [attempt, gate] = [task.attempts[0]!, task.gates[0]!];
  const at = (ms: number) => new Date(Date.parse(attempt.at) + ms).toISOString();
  const attempts = [
    { ...attempt, ending: 'exited' },
    { ...attempt, call_id: 'call-2', attempt: 2, at: at(60_000), ms: 10, ending: 'exited' },
  ];
  server.told['/api/tasks/price-rounding'] = {
    ...task,
    at: at(60_020),
    attempts,
    gates: [{ ...gate, at: at(60_015) }],
  };
  await go('tasks/price-rounding');
  const lane = page.locator('.timeline li', { has: page.locator('.gate') });
  const [bar, diamond, figures] = await Promise.all(
    [lane.locator('.attempt-bar').last(), lane.locator('.gate'), lane.locator('.lane-figures')].map((each) =>
      each.evaluate((element) => element.getBoundingClientRect().toJSON()),
    ),
  );
  assert.ok(bar.right + 4 <= diamond.left, `${bar.right} and ${diamond.left}`);
  assert.ok(diamond.right <= figures.left, `${diamond.right} and ${figures.left}`);
});

views.run();
