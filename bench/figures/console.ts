// The console over 10,000 tasks in a real Chromium: its first paint beside that of a page of one word, what its page then does, and what its server holds.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { CHROMIUM, hasChromium, openBrowser, visit } from '../../test/page/rig/browser.ts';
import { startConsole } from '../../test/page/rig/console-process.ts';
import { peakKib } from '../../test/rig/peak-memory.ts';
import { actsOf, fill, TASKS } from './console-page.ts';
import { inTurns, timesOf } from './pairs.ts';
import { type Figure, rowOf } from './row.ts';
import { BenchWorld } from './world.ts';

const GOAL = { paintMs: 300, megabytes: 120 };

export const CONSOLE: Figure = {
  about: `\`tollgate console\` over ${TASKS.toLocaleString('en')} tasks (Linux alone, with ${CHROMIUM})`,
  rounds: 9,
  async measure(rounds) {
    if (process.platform !== 'linux' || !hasChromium()) return [];
    const world = new BenchWorld();
    fill(world);
    const served = await startConsole({ project: world.root, env: world.env });
    const word = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>word</p>'));
    const browser = await openBrowser();
    try {
      // First of all a page that stays, as soon as its rows are there: the server has looked at all tasks by then.
      const acts = await actsOf(world, served, browser, rounds);
      const address = await listening(word);
      const { ours, bare } = await inTurns(rounds, {
        ours: () => firstPaint(browser, served.url),
        bare: () => firstPaint(browser, address),
      });
      const mib = peakKib(served.pid) / 1024;
      return [
        rowOf(
          'first paint of the console: its printed address in a new window without cache or cookie',
          'ms',
          ours,
          { name: 'a page of one word, likewise', ...bare },
          [{ goal: `< ${GOAL.paintMs} ms`, isReached: ours.median < GOAL.paintMs }],
        ),
        ...acts,
        rowOf('server of the console, most memory', 'MiB', timesOf([mib]), null, [
          { goal: `< ${GOAL.megabytes} MB`, isReached: mib * 1.048576 < GOAL.megabytes },
        ]),
      ];
    } finally {
      await browser.close();
      word.close();
      await served.end();
      world.dispose();
    }
  },
};

async function firstPaint(browser: Browser, address: string): Promise<number> {
  const { page, close } = await visit(browser, address);
  await page.waitForFunction(PAINTED);
  const ms = await page.evaluate(PAINTED);
  await close();
  return ms as number;
}

/** Since the page was asked for; nothing until something is painted. */
// A function: the policy of the page lets no text be evaluated.
const PAINTED = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
