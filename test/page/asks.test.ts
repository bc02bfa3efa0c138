// Every control asks for what it says, once, with the token of the page; a refusal stands where it was asked.

import * as assert from 'uvu/assert';
import { pageSuite, type Shown } from './rig/page-suite.ts';

const suite = pageSuite('asks');

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
  ...[false, true].map((run) => ({
    what: `create a task${run ? ', and run it' : ''}`,
    at: 'new',
    async use(shown: Shown) {
      const { page, server } = shown;
      server.told['/api/tasks/repair-the-login-now-b'] = server.told['/api/tasks/price-rounding'];
      await page.getByLabel('Goal', { exact: true }).fill('Repair the login: now. <b>');
      await page.getByLabel('US dollars').fill('1.5');
      await page.getByLabel('Minutes').fill('90');
      await page.getByLabel('Criteria', { exact: true }).fill(' one\n\ntwo ');
      if (!run) return button(shown, /^Create$/).click();
      await button(shown, 'Create and run …').click();
      // It was checked before; what follows is asked for once.
      await page.getByRole('dialog').getByText('1 paid call').waitFor();
      shown.server.changes.length = 0;
      await button(shown, /^Create and run$/).click();
    },
    asks: [
      '/api/create',
      {
        ...{ id: 'repair-the-login-now-b', goal: 'Repair the login: now. <b>', pipeline: null },
        ...{ stages: [{ tool: 'gemini', role: 'brief', access: null }], calls: 10, usd: 1.5, wallclock_sec: 5400 },
        ...{ commands: ['a tests'], criteria: ['one', 'two'], allow: [], deny: [], run },
      },
    ] as const,
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
      await button(shown, 'Change the calls of any a day').click();
      await shown.page.getByLabel('At the most').fill('');
      await button(shown, 'Take it away').click();
    },
    asks: ['/api/limits', { tool: 'any', per: 'day', unit: 'calls', most: null }],
  },
  {
    what: 'set a pace',
    at: 'budgets',
    async use(shown) {
      await button(shown, 'Set a pace').click();
      await shown.page.getByLabel('In each').selectOption('minute');
      await shown.page.getByLabel('At the most').fill('30');
      await button(shown, 'Set it').click();
    },
    asks: ['/api/limits', { tool: 'any', per: 'minute', unit: 'calls', most: 30 }],
  },
  {
    what: 'let go of a hold',
    at: 'budgets',
    async use(shown) {
      await button(shown, /Release the hold on gemini/).click();
      await button(shown, /^Release$/).click();
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
      await button(shown, /Restore the undone answer/).click();
      await button(shown, 'Restore it').click();
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
      await shown.page.getByLabel('Instruction (optional)').fill('The arguments alone.');
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
    async use(shown) {
      await button(shown, 'Keep answer').click();
      await button(shown, 'Run it').click();
    },
    asks: ['/api/run', { command: 'tollgate distill resume walden --accept' }],
  },
  {
    what: 'resume',
    at: 'distill/walden',
    async use(shown) {
      await button(shown, 'Resume').click();
      await button(shown, 'Run it').click();
    },
    asks: ['/api/run', { command: 'tollgate distill resume walden' }],
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
    what: 'compare CLIs',
    at: 'compare',
    async use(shown) {
      const { told } = shown.server;
      const tools = ['gemini', 'claude'].map((tool) => ({ tool, lacks: null, note: null }));
      told['/api/choices'] = { ...(told['/api/choices'] as object), tools };
      await button(shown, 'New comparison …').click();
      await shown.page.getByLabel('Prompt').fill('Which is it?');
      for (const tool of ['gemini', 'claude']) await shown.page.getByLabel(`Compare ${tool}`).click();
      await button(shown, 'Begin').click();
    },
    asks: ['/api/compare/start', { prompt: 'Which is it?', tools: ['gemini', 'claude'], access: 'read' }],
  },
  {
    what: 'run a batch',
    at: 'tasks',
    async use(shown) {
      await shown.page.getByLabel('Select price-rounding', { exact: true }).click();
      await button(shown, 'Run as a batch').click();
      await button(shown, 'Run the batch').click();
    },
    asks: ['/api/batch/start', { tasks: ['price-rounding'] }],
  },
  {
    what: 'sweep',
    at: 'machine',
    async use(shown) {
      await button(shown, 'Clean up …').click();
      await button(shown, /^Clean up$/).click();
    },
    asks: ['/api/sweep', {}],
  },
];

for (const { what, at, use, asks } of CONTROLS)
  suite.test(`${what}: asked for once, with the page's token, and told`, async (shown) => {
    await shown.go(at);
    await use(shown);
    await shown.page.getByText(`done: ${asks[0]}`).waitFor();
    const [path, wish] = asks;
    assert.equal(shown.server.changes, [{ path, wish, token: 'of-the-page' }]);
    assert.is(await shown.page.getByRole('dialog').count(), 0);
    assert.equal(shown.complaints, []);
  });

suite.test('a refusal stands in the dialog that asked, with its way out, and what was written stays', async (shown) => {
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

suite.test('a batch and a comparison say what they pay before they begin', async (shown) => {
  const { page, server, go } = shown;
  const { tasks } = server.told['/api/tasks'] as { tasks: { task_id: string }[] };
  const more = Array.from({ length: 99 }, (_, n) => ({ ...tasks[0]!, task_id: `more-${n}` }));
  const out = { tool: 'gemini', lacks: null, note: 'no sign-in found: no key is set' };
  const tools = [out, { ...out, tool: 'claude', note: null }];
  server.told['/api/choices'] = { ...(server.told['/api/choices'] as object), tools };
  server.tell({ topic: '*' });
  await go('tasks');
  // A run of a task that is done calls nothing.
  for (const id of ['price-rounding', 'release-notes']) await page.getByLabel(`Select ${id}`, { exact: true }).click();
  const bar = page.locator('.bar.selected');
  await bar.getByText(/^1–7 paid calls · about \$0\.04$/).waitFor();
  await bar.getByText('sign in to gemini first').waitFor();
  await button(shown, 'Run as a batch').click();
  await page
    .getByRole('dialog')
    .getByText(/It usually makes 1 paid call, at most 7;/)
    .waitFor();
  await page.keyboard.press('Escape');
  server.told['/api/tasks'] = { tasks: [...tasks, ...more] };
  server.tell({ topic: '*' });
  await page.getByLabel('Select all shown tasks').click();
  await bar.getByText('101 tasks selected').waitFor();
  await bar.getByText('At most 100 tasks run as a batch.').waitFor();
  assert.is(await button(shown, 'Run as a batch').isDisabled(), true);
  await go('compare');
  await button(shown, 'New comparison …').click();
  for (const tool of ['gemini', 'claude']) await page.getByLabel(`Compare ${tool}`).click();
  await page.getByText(/^2–6 paid calls · from \$0\.04; no sign-in for gemini\.$/).waitFor();
  server.told['/api/choices'] = { ...(server.told['/api/choices'] as object), tools: [out] };
  await page.keyboard.press('Escape');
  await button(shown, 'New comparison …').click();
  await page.getByText('Fewer than two are installed here.').waitFor();
});

suite.run();
