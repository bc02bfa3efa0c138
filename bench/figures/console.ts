// Measures the console over 10,000 tasks in Chromium: first paint beside a page of one word, a filter, an event, the memory.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, hasChromium, openBrowser, visit } from '../../test/page/rig/browser.ts';
import { startConsole } from '../../test/page/rig/console-process.ts';
import { peakKib } from '../../test/rig/peak-memory.ts';
import { atMost, type Figure, inTurns, timesOf } from './measure.ts';
import { BAD, type BenchWorld, fillWithTasks, inWorld } from './world.ts';

const TASKS = 10_000;

export const CONSOLE: Figure = {
  about: `\`tollgate console\` over ${TASKS.toLocaleString('en')} tasks (Linux alone, with ${CHROMIUM})`,
  rounds: 9,
  async measure(rounds) {
    if (process.platform !== 'linux' || !hasChromium()) return [];
    return inWorld(async (world) => {
      fillWithTasks(world, TASKS);
      const served = await startConsole({ project: world.root, env: world.env });
      const word = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>word</p>'));
      await new Promise<void>((listens) => word.listen(0, '127.0.0.1', listens));
      const browser = await openBrowser();
      try {
        const page = await browser.newPage({ reducedMotion: 'reduce' });
        await page.goto(served.url);
        await page.goto(`${new URL(served.url).origin}/#/tasks`);
        // By then the server has looked at all tasks.
        await page.locator('.row-at').first().waitFor();
        const { filter } = await inTurns(rounds, { filter: (round) => filtered(page, `t${4001 + 10 * round}`) });
        const { event } = await inTurns(rounds, { event: (round) => failed(world, page, `t${6001 + 10 * round}`) });
        const { ours, bare } = await inTurns(rounds, {
          ours: () => firstPaint(browser, served.url),
          bare: () => firstPaint(browser, `http://127.0.0.1:${(word.address() as AddressInfo).port}/`),
        });
        const mib = timesOf([peakKib(served.pid) / 1024]);
        return [
          {
            ...{ what: 'first paint: its printed address in a new window without cache or cookie', unit: 'ms', ours },
            ...{ peer: { name: 'a page of one word, likewise', ...bare }, goal: atMost(300, 'ms', ours) },
          },
          { what: 'a filter over all tasks', unit: 'ms', ours: filter, goal: atMost(50, 'ms', filter) },
          { what: 'a line of a journal on the page', unit: 'ms', ours: event, goal: atMost(200, 'ms', event) },
          { what: 'its server, most memory', unit: 'MiB', ours: mib, goal: atMost(114, 'MiB', mib) },
        ];
      } finally {
        await browser.close();
        word.close();
        await served.end();
      }
    });
  },
};

/** Measured inside the page, from the key to the frame that draws its rows. */
const filtered = (page: Page, text: string): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const field = document.querySelector('input[type=search]');
    const began = performance.now();
    field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input', { bubbles: true }));
    while (document.querySelectorAll('.row-at').length !== 1) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - began;
  })()`);

/** The task that the filter shows is done first, and then becomes failed. */
async function failed(world: BenchWorld, page: Page, id: string): Promise<number> {
  await filtered(page, id);
  const began = performance.now();
  for (const name of ['journal.jsonl', 'last_failure.json']) {
    const text = readFileSync(path.join(world.root, '.tmp/task', BAD, 'state', name), 'utf8');
    world.write(`.tmp/task/${id}/state/${name}`, text.replaceAll(BAD, id));
  }
  await page.locator('.row-at .mark.bad').waitFor();
  return performance.now() - began;
}

async function firstPaint(browser: Browser, address: string): Promise<number> {
  const { page, close } = await visit(browser, address);
  await page.waitForFunction(PAINTED);
  const ms = await page.evaluate(PAINTED);
  await close();
  return ms as number;
}

// The time since the page was requested; undefined until something is painted. It is a function, since the policy of the page
// does not allow the evaluation of text.
const PAINTED = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
