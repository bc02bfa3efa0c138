// Ten thousand tasks, a thousand attempts, and hours of events: the page keeps what is in sight, and no more.

import * as assert from 'uvu/assert';
import type { TaskLine } from '../../console/contract/page.ts';
import { pageSuite, type Shown } from './rig/page-suite.ts';
import { NOW } from './rig/told-names.ts';
import { toldWorld } from './rig/told-world.ts';

const STATES = ['done', 'failed', 'running', 'parked', 'never_run'] as const;

const lineOf = (n: number): TaskLine => ({
  task_id: `task-${String(n).padStart(5, '0')}`,
  state: STATES[n % STATES.length]!,
  goal: `Goal of number ${n}`,
  at: NOW,
  stage: null,
  class: null,
  reason: null,
  signature: null,
  why: null,
  to_do: null,
  calls: { used: n % 10, budget: 10 },
  next_run: null,
  usd: n / 100,
  calls_without_price: 0,
});

const ALL = Array.from({ length: 10_000 }, (_, n) => lineOf(n));

const large = pageSuite('large', () => {
  const world = toldWorld();
  const task = world['/api/tasks/price-rounding'] as { attempts: object[] };
  const attempts = Array.from({ length: 1_000 }, (_, n) => ({
    ...task.attempts[0],
    call_id: `call-${n}`,
    attempt: n + 1,
  }));
  return { ...world, '/api/tasks': { tasks: ALL }, '/api/tasks/price-rounding': { ...task, attempts } };
});

large.test('of ten thousand rows those in sight are there, to the very last', async ({ page, go }) => {
  await go('tasks');
  await page.getByText('10,000 tasks', { exact: true }).waitFor();
  const rows = page.locator('.row-at');
  assert.ok((await rows.count()) < 60, `${await rows.count()} rows`);
  await page.locator('.rows').focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.activeElement?.closest('[data-index="9999"]') !== null);
  assert.ok((await rows.count()) < 60, `${await rows.count()} rows`);
});

large.test('a filter among ten thousand finds the one', async ({ page, go }) => {
  await go('tasks');
  await page.keyboard.press('/');
  await page.keyboard.type('number 4711');
  await page.getByText('1 of 10,000 tasks').waitFor();
  await page.getByRole('link', { name: 'task-04711' }).waitFor();
});

large.test('of a thousand attempts the last sixty are drawn', async ({ page, go }) => {
  await go('tasks/price-rounding');
  await page.getByRole('button', { name: /, attempt 1000 by / }).waitFor();
  assert.is(await page.locator('.attempt-bar').count(), 60);
});

large.test('hours of events leave no more nodes, listeners or memory behind', async (shown) => {
  const { page, go } = shown;
  await go('tasks');
  // By time alone, the changed row is in sight.
  await page.evaluate(() => {
    location.hash = '#/tasks?sort=at';
  });
  await events(shown, 0, 400);
  const before = await held(shown);
  // One each two seconds is 14,400 in eight hours; they come in messages of ten.
  await events(shown, 400, 1_840);
  const after = await held(shown);
  assert.ok(after.nodes <= before.nodes * 1.1 + 50, `${before.nodes} nodes, then ${after.nodes}`);
  assert.ok(after.listeners <= before.listeners * 1.1 + 50, `${before.listeners} listeners, then ${after.listeners}`);
  assert.ok(after.heap <= before.heap * 1.25, `${before.heap} bytes, then ${after.heap}`);
  assert.is(await page.locator('.notes .notice').count(), 0);
});

/** Messages of ten changed rows each; the last is waited for. */
async function events({ page, server }: Shown, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    const lines = Array.from({ length: 10 }, (_, k) => ({ ...ALL[(n * 10 + k) % ALL.length]!, usd: n }));
    server.tell({ topic: 'tasks', change: { lines, gone: [] } });
    if (n % 80 === 79 || n === to - 1) {
      const goal = `seen ${n}`;
      server.tell({
        topic: 'tasks',
        change: { lines: [{ ...ALL[0]!, at: '2026-11-25T03:00:00.000Z', goal }], gone: [] },
      });
      await page.getByText(goal, { exact: true }).waitFor();
    }
  }
}

async function held({ page, context }: Shown): Promise<{ nodes: number; listeners: number; heap: number }> {
  const debug = await context.newCDPSession(page);
  await debug.send('HeapProfiler.enable');
  await debug.send('HeapProfiler.collectGarbage');
  await debug.send('Performance.enable');
  const { metrics } = await debug.send('Performance.getMetrics');
  await debug.detach();
  const of = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  return { nodes: of('Nodes'), listeners: of('JSEventListeners'), heap: of('JSHeapUsedSize') };
}

large.run();
