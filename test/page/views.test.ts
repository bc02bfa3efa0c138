// Every view shows what it is told, and every control asks for what it says, once.

import * as assert from 'uvu/assert';
import { pageSuite, type Shown } from './rig/page-suite.ts';
import { PLACES } from './rig/told-world.ts';

const views = pageSuite('views');

const SHOWS: Record<string, readonly string[]> = {
  now: ['flaky-checkout', 'a question', 'claude', 'a last'],
  tasks: ['price-rounding', 'a goal', 'failed', '3 / 10', '$0.42'],
  'tasks/price-rounding': ['a summary', 'a stage', 'a next action', 'a folder'],
  'tasks/price-rounding/attempts': ['under way', 'transient', 'retry: a why'],
  'tasks/price-rounding/gate': ['did not pass', 'missing sections', 'a missing'],
  'tasks/price-rounding/changes': ['+a added', '-a removed', 'a diff note'],
  'tasks/price-rounding/texts': ['answer', 'outputs/one.err', 'a file'],
  'tasks/price-rounding/explain': ['a meaning', 'a evidence', 'a rule', 'a decision'],
  failures: ['1', 'transient', 'a evidence', 'price-rounding'],
  budgets: ['45 calls of 50 calls', '5 calls left', 'a hold', '3 calls at once of gemini'],
  sessions: ['9 days', 'a tag', 'a health', '1 error in a row'],
  'sessions/58d9e1b3-73c5-4137-8fc7-bac02f7e65df': ['a prompt', 'a answer', '[ REVERTED ]', 'a session note'],
  supervise: ['a instruction', 'a question', '1 of 3', 'Ask'],
  distill: ['walden', 'paused', '3 of 40'],
  'distill/walden': ['a section', 'held', 'a evidence', 'Asks again in'],
  machine: ['a version', 'not installed', 'a fix', 'fails'],
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
    'Failures',
    'Budgets and limits',
    'Sessions',
    'Supervise',
    'Distill',
    'Machine',
    'Now',
  ]) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    assert.match(await page.title(), name);
  }
});

interface Control {
  what: string;
  at: string;
  use: (shown: Shown) => Promise<void>;
  asks: readonly [path: string, wish: unknown];
}

const button = ({ page }: Shown, name: string | RegExp) => page.getByRole('button', { name });
const SESSION = '58d9e1b3-73c5-4137-8fc7-bac02f7e65df';

const recovery = (label: string, choice: string): Control => ({
  what: `recovery: ${label}`,
  at: `sessions/${SESSION}`,
  async use(shown) {
    await button(shown, 'Recover …').click();
    await shown.page.getByRole('dialog').getByLabel(label).check();
    await button(shown, 'Do it').click();
  },
  asks: ['/api/recover', { session: SESSION, choice }],
});

const CONTROLS: readonly Control[] = [
  {
    what: 'stop a run',
    at: 'now',
    async use(shown) {
      await button(shown, 'Stop flaky-checkout').click();
      await button(shown, 'Stop it').click();
    },
    asks: ['/api/stop', { task: 'flaky-checkout' }],
  },
  ...['now', 'supervise'].map((at) => ({
    what: `answer a question in ${at}`,
    at,
    async use(shown: Shown) {
      await shown.page.getByLabel('Answer to invoice-dates').fill('The second.');
      await button(shown, 'Answer').click();
    },
    asks: ['/api/answer', { task: 'invoice-dates', answer: 'The second.' }] as const,
  })),
  {
    what: 'set a budget',
    at: 'budgets',
    async use(shown) {
      await button(shown, 'Set a budget').click();
      await shown.page.getByLabel('Of which CLI').selectOption('codex');
      await shown.page.getByLabel('In each').selectOption('week');
      await shown.page.getByLabel('Counted in').selectOption('usd');
      await shown.page.getByLabel('At the most').fill('12.5');
      await button(shown, 'Set it').click();
    },
    asks: ['/api/limits', { tool: 'codex', per: 'week', unit: 'usd', most: 12.5 }],
  },
  {
    what: 'take a budget away',
    at: 'budgets',
    async use(shown) {
      await button(shown, /Change/).click();
      await shown.page.getByLabel('At the most').fill('');
      await button(shown, 'Take it away').click();
    },
    asks: ['/api/limits', { tool: 'any', per: 'day', unit: 'calls', most: null }],
  },
  {
    what: 'let go of a hold',
    at: 'budgets',
    async use(shown) {
      await button(shown, /Let go of gemini/).click();
      await button(shown, /^Let go$/).click();
    },
    asks: ['/api/release', { tool: 'gemini', account: 'a', model: 'a model' }],
  },
  {
    what: 'undo',
    at: `sessions/${SESSION}`,
    async use(shown) {
      await button(shown, 'Undo the last answer').click();
      await button(shown, /^Undo$/).click();
    },
    asks: ['/api/undo', { session: SESSION }],
  },
  {
    what: 'redo',
    at: `sessions/${SESSION}`,
    async use(shown) {
      await button(shown, /Bring back no. 1/).click();
      await button(shown, /^Bring back$/).click();
    },
    asks: ['/api/redo', { session: SESSION, n: 1 }],
  },
  recovery('Deep rollback', 'rollback'),
  recovery('Clear turn', 'clear'),
  recovery('Export diagnostic', 'export'),
  recovery('Ignore', 'ignore'),
  {
    what: 'distill a book',
    at: 'distill',
    async use(shown) {
      await button(shown, 'Distill a book …').click();
      await shown.page.getByLabel('The book').fill('books/walden.epub');
      await shown.page.getByLabel('What is wanted of it').fill('The arguments alone.');
      await shown.page.getByLabel('Model').selectOption('gemini-2.5-flash');
      await shown.page.getByLabel('Paid calls at the most').fill('12');
      await button(shown, 'Begin').click();
    },
    asks: [
      '/api/distill/start',
      { book: 'books/walden.epub', prompt: 'The arguments alone.', model: 'gemini-2.5-flash', max_calls: 12 },
    ],
  },
  {
    what: 'accept what is held',
    at: 'distill/walden',
    use: (shown) => button(shown, 'Accept section 3').click(),
    asks: ['/api/distill/resume', { name: 'walden', accept: true }],
  },
  {
    what: 'resume',
    at: 'distill/walden',
    use: (shown) => button(shown, 'Resume').click(),
    asks: ['/api/distill/resume', { name: 'walden' }],
  },
  ...(['pause', 'stop'] as const).map((verb) => ({
    what: verb,
    at: 'distill/walden',
    async use(shown: Shown) {
      const { told } = shown.server;
      told['/api/distill/walden'] = { ...(told['/api/distill/walden'] as object), state: 'running' };
      shown.server.tell({ topic: 'distill', id: 'walden' });
      await button(shown, verb === 'pause' ? 'Pause' : 'Stop').click();
    },
    asks: [`/api/distill/${verb}`, { name: 'walden' }] as const,
  })),
  {
    what: 'delete a section',
    at: 'distill/walden',
    async use(shown) {
      await button(shown, 'Delete section 1').click();
      await button(shown, /^Delete$/).click();
    },
    asks: ['/api/distill/delete', { name: 'walden', section: 1 }],
  },
  {
    what: 'sweep',
    at: 'machine',
    async use(shown) {
      await button(shown, 'Sweep …').click();
      await button(shown, /^Sweep$/).click();
    },
    asks: ['/api/sweep', {}],
  },
];

for (const { what, at, use, asks } of CONTROLS)
  views.test(`${what}: asked for once, with the page's token, and told`, async (shown) => {
    await shown.go(at);
    await use(shown);
    await shown.page.getByText(`done: ${asks[0]}`).waitFor();
    const [path, wish] = asks;
    assert.equal(shown.server.changes, [{ path, wish, token: 'of-the-page' }]);
    assert.is(await shown.page.getByRole('dialog').count(), 0);
    assert.equal(shown.complaints, []);
  });

views.test('a refusal stands in the dialog that asked, with its way out, and what was written stays', async (shown) => {
  const { page, server, go } = shown;
  server.refused['/api/undo'] = {
    status: 409,
    message: 'The session is in use: claude (pid 4711) has it.',
    way_out: 'Wait until it has ended.',
  };
  await go(`sessions/${SESSION}`);
  await button(shown, 'Undo the last answer').click();
  await button(shown, /^Undo$/).click();
  const alert = page.getByRole('dialog').getByRole('alert');
  await alert.getByText('The session is in use: claude (pid 4711) has it.').waitFor();
  await alert.getByText('Wait until it has ended.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  server.refused['/api/answer'] = { status: 507, message: 'The disk is full.', way_out: 'Free some space.' };
  await go('now');
  await page.getByLabel('Answer to invoice-dates').fill('The second.');
  await button(shown, 'Answer').click();
  await page.getByText('The disk is full.').waitFor();
  assert.is(await page.getByLabel('Answer to invoice-dates').inputValue(), 'The second.');
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
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^failed/ }).click();
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

views.test('what is empty says so, and by a filter that it is the filter', async ({ page, go, server }) => {
  const spent = server.told['/api/spent'] as { days: { day: string }[] };
  server.told['/api/spent'] = { ...spent, days: spent.days.map(({ day }) => ({ day, by_tool: {} })) };
  await go('budgets');
  await page.getByText('Nothing in 2 days').waitFor();
  await go('sessions');
  await page.getByLabel('Filter sessions').fill('nowhere');
  await page.getByText('Take a word out of the filter.').waitFor();
  await go('supervise/nobody');
  await page.getByText('It is not supervised').waitFor();
});

views.test('where it cannot be told what changed, that alone is said', async ({ page, go, server }) => {
  const note = 'Nothing was kept of the tree as it was when this task began.';
  server.told['/api/tasks/price-rounding/diff'] = { text: '', notes: [note] };
  await go('tasks/price-rounding/changes');
  await page.getByText(note).waitFor();
  assert.is(await page.getByText('Nothing has changed').count(), 0);
  server.told['/api/tasks/price-rounding/diff'] = { text: '', notes: [] };
  server.tell({ topic: '*' });
  await page.getByText('Nothing has changed').waitFor();
});

views.test('a turn that was taken back is struck through, dim, and marked', async ({ page, go }) => {
  await go(`sessions/${SESSION}`);
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

views.run();
