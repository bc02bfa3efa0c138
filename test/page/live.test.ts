// The page over the console itself, with tasks of real runs: what is shown is what there is, and what is done is done.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTask, type TestTask } from '../rig/task-run.ts';
import type { TestRig } from '../rig/test-rig.ts';
import { hasChromium, openBrowser, type Visit, visit } from './rig/browser.ts';
import { type ConsoleProcess, startConsole } from './rig/console-process.ts';
import { fillWorld, openWorld, SESSION_OF_GEMINI, stageOf } from './rig/world.ts';

const live = suite<{ rig: TestRig; console: ConsoleProcess; browser: Browser; visit: Visit }>('live');

live.before(async (context) => {
  if (!hasChromium()) throw new Error('this suite needs Chromium: apt-get update && apt-get install -y chromium');
  context.rig = await openWorld();
  await fillWorld(context.rig);
  context.console = await startConsole(context.rig);
  context.browser = await openBrowser();
});

live.after(async ({ rig, console, browser }) => {
  await browser?.close();
  await console?.end();
  await rig?.dispose();
});

live.before.each(async (context) => {
  context.visit = await visit(context.browser, context.console.url);
  await context.visit.page.locator('.link-state.live').waitFor();
});

live.after.each(async (context) => {
  await context.visit.close();
});

const go = async ({ page }: Visit, place: string) => {
  await page.evaluate((to) => {
    location.hash = `#/${to}`;
  }, place);
  await page.locator(`.views a[aria-current][href="#/${place.split('/')[0]}"]`).waitFor();
};

live('the token leaves the address, and a reload needs it no more', async ({ visit: visited }) => {
  const { page } = visited;
  assert.not.match(page.url(), /[?&]token|[\da-f]{32}/);
  await page.reload();
  await page.locator('.link-state.live').waitFor();
  assert.equal(visited.complaints, []);
});

live('a browser without the cookie is told what to open', async ({ browser, console }) => {
  const stranger = await visit(browser, new URL('/', console.url).href);
  await stranger.page
    .getByText(/open the address that tollgate console has printed/i)
    .first()
    .waitFor();
  await stranger.close();
});

live('tasks stand as they stand on disk, in every state', async ({ visit: visited }) => {
  const { page } = visited;
  await go(visited, 'tasks');
  await page.getByText('7 tasks', { exact: true }).waitFor();
  for (const [id, state] of Object.entries({
    'price-rounding': 'done',
    'rotate-keys': 'failed',
    'invoice-dates': 'parked',
    'settings-page': 'never run',
  }))
    assert.match(await page.locator('.row-at', { hasText: id }).innerText(), state);
  assert.equal(visited.complaints, []);
});

live('every view of a real project is drawn without a complaint', async ({ visit: visited }) => {
  const { page } = visited;
  const shown: [string, string | RegExp][] = [
    ['now', 'Which of the two date formats do the invoices of 2019 use?'],
    ['tasks/price-rounding', 'Find out why totals are a cent off.'],
    ['tasks/rotate-keys/attempts', /bad.credentials|auth/],
    ['tasks/price-rounding/gate', 'passed'],
    ['tasks/price-rounding/texts', 'outputs/'],
    ['tasks/rotate-keys/explain', 'not authenticated or not authorised'],
    ['failures', 'your key was revoked'],
    ['budgets', 'Used by day'],
    ['sessions', 'price-rounding'],
    [`sessions/${SESSION_OF_GEMINI}`, 'Mend it in the view alone.'],
    ['supervise', 'Migrate the invoices to the new date parser.'],
    ['distill', 'No book yet'],
    ['machine', 'Checks'],
  ];
  for (const [place, text] of shown) {
    await go(visited, place);
    await page.locator('main').getByText(text).first().waitFor();
  }
  assert.equal(visited.complaints, []);
});

live('prompts and answers open as text', async ({ visit: visited }) => {
  const { page } = visited;
  await go(visited, 'tasks/price-rounding/texts');
  await page.locator('summary', { hasText: 'gemini_brief.gemini.out' }).click();
  await page.getByText('The rounding happens').first().waitFor();
});

live(
  'a run that begins, works and is stopped is seen at once, and ends by the page',
  async ({ rig, visit: visited }) => {
    const { page } = visited;
    await go(visited, 'now');
    const task: TestTask = makeTask(
      rig,
      { goal: 'Find the flaky checkout test.', stages: [stageOf('gemini', 'brief')] },
      'flaky-checkout',
    );
    const running = task.start();
    await page.locator('.work', { hasText: 'flaky-checkout' }).getByText('gemini', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop flaky-checkout' }).click();
    await page.getByRole('button', { name: 'Stop it' }).click();
    const { code } = await running.result;
    assert.not.equal(code, 0);
    await page.locator('.work', { hasText: 'flaky-checkout' }).waitFor({ state: 'detached' });
  },
);

live('a budget is set by the page as by the command', async ({ rig, visit: visited }) => {
  const { page } = visited;
  await go(visited, 'budgets');
  await page.getByRole('button', { name: 'Set a budget' }).click();
  await page.getByLabel('At the most').fill('50');
  await page.getByRole('button', { name: 'Set it' }).click();
  await page.getByText(/of 50 calls/).waitFor();
  const { stdout } = await rig.run('tollgate', ['budget', '--json']);
  assert.match(stdout, '"most":50');
});

live('an answer is undone and brought back; in use, it is refused in words', async ({ rig, visit: visited }) => {
  const { page } = visited;
  await go(visited, `sessions/${SESSION_OF_GEMINI}`);
  await page.getByRole('button', { name: 'Undo the last answer' }).click();
  await page.getByRole('button', { name: /^Undo$/ }).click();
  await page.getByText('[ REVERTED ]').waitFor();
  const { stdout } = await rig.run('tollgate', ['history', SESSION_OF_GEMINI, '--json']);
  assert.match(stdout, '"state":"reverted"');
  await page.getByRole('button', { name: /Bring back no. 1/ }).click();
  await page.getByRole('button', { name: /^Bring back$/ }).click();
  await page.getByText('[ REVERTED ]').waitFor({ state: 'detached' });
});

live('a question is answered', async ({ rig, visit: visited }) => {
  const { page } = visited;
  await go(visited, 'supervise');
  await page.getByLabel('Answer to invoice-dates').fill('The second.');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.locator('.notes .notice').waitFor();
  assert.match(await page.locator('.notes .notice').innerText(), /answer|invoice-dates/i);
  const kept = path.join(rig.project, '.tmp/task/invoice-dates/state/journal.jsonl');
  assert.ok(readFileSync(kept, 'utf8').length > 0);
});

live('a task that is deleted under the page is said to be gone', async ({ rig, visit: visited }) => {
  const { page } = visited;
  await go(visited, 'tasks/settings-page');
  await page.getByText('Split the settings page in two.').first().waitFor();
  rmSync(path.join(rig.project, '.tmp/task/settings-page'), { recursive: true });
  await go(visited, 'tasks/settings-page/attempts');
  await page
    .getByRole('alert')
    .getByText(/no task|gone|archived|deleted/i)
    .first()
    .waitFor();
  await go(visited, 'tasks');
  await page.getByRole('link', { name: 'settings-page' }).waitFor({ state: 'detached' });
});

live('a CLI that is not installed is said to be missing', async ({ rig, visit: visited }) => {
  const { page } = visited;
  rig.uninstall('copilot');
  await go(visited, 'machine');
  await page.locator('.tile', { hasText: 'copilot' }).getByText('not installed').waitFor();
  rig.install('copilot');
});

live('a second console of the same project does not disturb the first', async ({ rig, browser, visit: visited }) => {
  const second = await startConsole(rig);
  const other = await visit(browser, second.url);
  await other.page.locator('.link-state.live').waitFor();
  await go(visited, 'tasks');
  await visited.page.locator('.row-at').first().waitFor();
  await other.close();
  await second.end();
  await visited.page.reload();
  await visited.page.locator('.link-state.live').waitFor();
});

live('when the console ends, the page says so', async ({ rig, browser }) => {
  const own = await startConsole(rig);
  const visited = await visit(browser, own.url);
  await visited.page.locator('.link-state.live').waitFor();
  await own.end();
  await visited.page.getByText('The console does not answer any more.').waitFor();
  assert.ok(!existsSync(`/proc/${own.pid}`));
  await visited.close();
});

live.run();
