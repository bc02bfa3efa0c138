// Eight hours of a busy project before the console, as fast as they can be shown: what its server and its page hold then.

import { readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { hasChromium, openBrowser } from '../../test/page/rig/browser.ts';
import { type ConsoleProcess, startConsole } from '../../test/page/rig/console-process.ts';
import { fill, LONG } from './console-page.ts';
import type { Figure, FigureRow } from './row.ts';
import { BAD, copyTask, GOOD } from './tasks.ts';
import { BenchWorld } from './world.ts';

/** A task changes every four seconds: it has failed, or is done. */
const EVENTS = (8 * 3600) / 4;
/** Written at once, then awaited on the page. */
const AT_ONCE = 24;
const GROUPS = EVENTS / AT_ONCE;
/** So many tasks are at work, each again and again. */
const WORKING = 50 * AT_ONCE;
const VIEWS = ['now', 'tasks', 'failures', 'tasks/t1', 'budgets', 'tasks'];

export const HOURS: Figure = {
  about: `the console over 8 hours of ${EVENTS.toLocaleString('en')} changes among 10,000 tasks, with a page that shows them (Linux alone)`,
  rounds: null,
  async measure() {
    if (process.platform !== 'linux' || !hasChromium()) return [];
    const world = new BenchWorld();
    let served: ConsoleProcess | null = null;
    let browser: Browser | null = null;
    try {
      fill(world);
      served = await startConsole({ project: world.root, env: world.env });
      browser = await openBrowser();
      return await held(world, served, browser);
    } finally {
      await browser?.close();
      await served?.end();
      world.dispose();
    }
  },
};

async function held(world: BenchWorld, served: ConsoleProcess, browser: Browser): Promise<FigureRow[]> {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  await page.goto(served.url);
  await page.locator('.link-state.live').waitFor();
  const session = await page.context().newCDPSession(page);
  const weigh = async () => ({ server: residentOf(served.pid), page: await heapOf(session) });
  const failed = new Set<string>([BAD, LONG]);
  let tenth = { server: 0, page: 0 };
  for (let group = 0; group < GROUPS; group += 1) {
    if (group % 5 === 0) await show(page, VIEWS[(group / 5) % VIEWS.length]!);
    const ids = Array.from({ length: AT_ONCE }, (_, n) => `t${(group * AT_ONCE + n) % WORKING}`);
    const isNew = !failed.has(ids[0]!);
    copyTask(world, isNew ? BAD : GOOD, ids);
    for (const id of ids) isNew ? failed.add(id) : failed.delete(id);
    await page.locator('.views a[href="#/failures"] .count', { hasText: new RegExp(`^${failed.size} `) }).waitFor();
    if (group + 1 === Math.round(GROUPS / 10)) tenth = await weigh();
  }
  const end = await weigh();
  const row = (what: string, ours: number, peer: number): FigureRow => ({
    ...{ what, unit: 'MiB', ours, min: ours },
    peer: { name: 'after a tenth of them', value: peer, min: peer },
    goals: [{ goal: 'flat (≤ 1.1 ×)', isReached: ours <= 1.1 * peer }],
  });
  return [
    row('server of the console after 8 hours of changes', end.server, tenth.server),
    row('what its page holds after them, garbage collected', end.page, tenth.page),
  ];
}

async function show(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${view}`)}`);
  await page.locator(`.views a[aria-current][href="#/${view.split('/')[0]}"]`).waitFor();
}

const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;

async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 2 ** 20;
}
