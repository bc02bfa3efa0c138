// Notifications and the icon of the window: on a click only, while the page is hidden, each failure once; the icon shows the state.

import * as assert from 'uvu/assert';
import type { TaskLine } from '../../console/contract/page.ts';
import { pageSuite, type Shown } from './rig/page-suite.ts';

const notify = pageSuite('notify');

/** In the page: notifications that only note what they were told, and a page that can be hidden. */
const fakes = (permission: string, answer: string) => `
  window.told = []; window.asked = 0; window.isHidden = false;
  window.Notification = class {
    static permission = ${JSON.stringify(permission)};
    static requestPermission() { window.asked += 1; return Promise.resolve(${JSON.stringify(answer)}); }
    constructor(title) { window.told.push(title); }
    close() {}
  };
  Object.defineProperty(document, 'hidden', { get: () => window.isHidden });`;

const withFakes = (permission: string, answer: string) => ({
  before: (context: { addInitScript(script: string): Promise<unknown> }) =>
    context.addInitScript(fakes(permission, answer)).then(() => {}),
});

const told = ({ page }: Shown) => page.evaluate('window.told');

function fail({ server }: Shown, at: string, state: TaskLine['state'] = 'failed'): void {
  const { tasks } = server.told['/api/tasks'] as { tasks: TaskLine[] };
  server.tell({ topic: 'tasks', change: { lines: [{ ...tasks[0]!, task_id: 'the-new-one', state, at }], gone: [] } });
}

notify.test(
  'one for each failure and question, while the page is hidden; none for what was there',
  async (shown) => {
    const { page, go } = shown;
    await go('tasks');
    await page.locator('.row-at').first().waitFor();
    assert.is(await page.evaluate('window.asked'), 0);
    await page.getByText('Settings', { exact: true }).click();
    await page.getByLabel('Notifications').click();
    await page.locator('input:checked').and(page.getByLabel('Notifications')).waitFor();
    assert.is(await page.evaluate('window.asked'), 1);
    fail(shown, '2026-01-01T00:00:00.000Z');
    await page.locator('.row-at', { hasText: 'the-new-one' }).waitFor();
    assert.equal(await told(shown), [], 'the page is visible');
    await page.evaluate('window.isHidden = true');
    fail(shown, '2026-01-02T00:00:00.000Z');
    await page.waitForFunction(() => (window as unknown as { told: string[] }).told.length === 1);
    fail(shown, '2026-01-02T00:00:00.000Z');
    fail(shown, '2026-01-03T00:00:00.000Z', 'parked');
    await page.waitForFunction(() => (window as unknown as { told: string[] }).told.length === 2);
    assert.equal(await told(shown), ['the-new-one failed', 'the-new-one asks a question']);
  },
  withFakes('default', 'granted'),
);

notify.test(
  'a browser that blocks them is said, and nothing is asked',
  async ({ page }) => {
    await page.getByText('Settings', { exact: true }).click();
    await page.getByText('blocked by the browser').waitFor();
    assert.is(await page.getByLabel('Notifications').isDisabled(), true);
    assert.is(await page.evaluate('window.asked'), 0);
  },
  withFakes('denied', 'denied'),
);

notify.test('the icon shows the state, and the policy of the page allows it', async ({ page, server, complaints }) => {
  const { tasks } = server.told['/api/tasks'] as { tasks: TaskLine[] };
  const gone = tasks.map(({ task_id: id }) => id);
  for (const [state, icon] of [
    ['parked', 'question'],
    ['failed', 'failed'],
    ['running', 'running'],
    ['done', 'idle'],
  ] as const) {
    server.tell({ topic: 'tasks', change: { lines: [{ ...tasks[0]!, task_id: 'only', state }], gone } });
    await page.locator(`link[rel="icon"][data-state="${icon}"]`).waitFor({ state: 'attached' });
  }
  const isDrawn = `new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(true);
    image.onerror = () => resolve(false);
    image.src = document.querySelector('link[rel="icon"]').href;
  })`;
  assert.is(await page.evaluate(isDrawn), true);
  assert.equal(complaints, []);
});

notify.run();
