// The page over the console itself, with tasks of real runs: what is shown is what there is, and what is done is done.

import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { visit } from './rig/browser.ts';
import { startConsole } from './rig/console-process.ts';
import { type Live, liveSuite } from './rig/live-suite.ts';
import { SESSION_OF_GEMINI } from './rig/world.ts';

const live = liveSuite('live');

live.test('the token leaves the address, and a reload needs it no more', async ({ page, complaints }) => {
  assert.not.match(page.url(), /[?&]token|[\da-f]{32}/);
  await page.reload();
  await page.locator('.link-state.live').waitFor();
  assert.equal(complaints, []);
});

live.test('a browser without the cookie is told what to open', async ({ browser, console }) => {
  const stranger = await visit(browser, new URL('/', console.url).href);
  await stranger.page
    .getByText(/open the address that tollgate console has printed/i)
    .first()
    .waitFor();
  await stranger.close();
});

live.test('tasks stand as they stand on disk, in every state', async ({ page, go, complaints }) => {
  await go('tasks');
  await page.getByText('7 tasks', { exact: true }).waitFor();
  for (const [id, state] of Object.entries({
    'price-rounding': 'done',
    'rotate-keys': /failed\s+The service rejected the credentials of codex\./,
    'invoice-dates': /asks you\s+Which of the two date formats/,
    'settings-page': 'never run',
  }))
    assert.match(await page.locator('.row-at', { hasText: id }).innerText(), state);
  assert.equal(complaints, []);
});

live.test('every view of a real project is drawn without a complaint', async ({ page, go, complaints }) => {
  const shown: [string, string | RegExp][] = [
    ['now', 'Which of the two date formats do the invoices of 2019 use?'],
    ['tasks/price-rounding', 'Find out why totals are a cent off.'],
    ['tasks/rotate-keys', /bad.credentials|auth/],
    ['tasks/price-rounding', 'passed'],
    ['tasks/price-rounding/raw', 'outputs/'],
    ['tasks/rotate-keys/raw', /The service rejected the (?:credentials|API key)/],
    ['failures', 'your key was revoked'],
    ['budgets', 'Used by day'],
    ['sessions', /sessions? (?:was|were) not kept/],
    [`sessions/${SESSION_OF_GEMINI}`, 'Mend it in the view alone.'],
    ['supervise', 'Migrate the invoices to the new date parser.'],
    ['distill', 'walden'],
    ['distill/walden', '3 of 2,000 paid calls'],
    ['machine', 'Checks'],
  ];
  for (const [place, text] of shown) {
    await go(place);
    await page.locator('main').getByText(text).first().waitFor();
  }
  assert.equal(complaints, []);
});

live.test('prompts and answers open as text', async ({ page, go }) => {
  await go('tasks/price-rounding/raw');
  await page.locator('summary', { hasText: 'gemini_brief.gemini.out' }).click();
  await page.getByText('The rounding happens').first().waitFor();
});

for (const [how, id, take] of [
  [
    'deleted',
    'settings-page',
    async ({ rig }: Live) => rmSync(path.join(rig.project, '.tmp/task/settings-page'), { recursive: true }),
  ],
  ['archived', 'release-notes', ({ told }: Live) => told('archive', 'release-notes')],
] as const)
  live.test(`a task that is ${how} while it is shown is said to be gone, and left out of the list`, async (shown) => {
    const { page, go } = shown;
    await go(`tasks/${id}`);
    await page.getByLabel('Timeline of the stages').waitFor();
    await take(shown);
    const alert = page.getByRole('alert');
    await alert.getByText(`there is no task ${id}; it may have been archived, deleted or renamed`).first().waitFor();
    await page.getByText('What is shown is the task as it was before.').waitFor();
    await page.getByRole('button', { name: 'Ask again' }).first().click();
    await alert.getByText(`there is no task ${id}`).first().waitFor();
    await go('tasks');
    await page.getByRole('link', { name: id }).waitFor({ state: 'detached' });
    await go(`tasks/${id}`);
    await page.getByRole('link', { name: 'All tasks' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  });

live.test('a CLI that is not installed is said to be missing', async ({ rig, page, go }) => {
  rig.uninstall('copilot');
  await go('machine');
  await page.locator('.tile', { hasText: 'copilot' }).getByText('not installed').waitFor();
  rig.install('copilot');
});

live.test('a second console of the same project does not disturb the first', async ({ rig, browser, page, go }) => {
  const second = await startConsole(rig);
  const other = await visit(browser, second.url);
  await other.page.locator('.link-state.live').waitFor();
  await go('tasks');
  await page.locator('.row-at').first().waitFor();
  await other.close();
  await second.end();
  await page.reload();
  await page.locator('.link-state.live').waitFor();
});

live.test('when the console ends, the page says so; the next one on that port asks for its address', async (shown) => {
  const { rig, visit: look } = shown;
  const own = await startConsole(rig);
  const { page, close } = await look(own.url);
  await page.locator('.link-state.live').waitFor();
  await own.end();
  await page.getByText('The console does not answer any more.').waitFor();
  assert.ok(!existsSync(`/proc/${own.pid}`));
  const next = await startConsole(rig, '--port', new URL(own.url).port);
  await page.getByRole('button', { name: 'Try now' }).click();
  await page
    .getByRole('alert')
    .getByText(/open the address that tollgate console has printed/i)
    .first()
    .waitFor();
  await page.goto(next.url);
  await page.locator('.link-state.live').waitFor();
  await close();
  await next.end();
});

live.run();
