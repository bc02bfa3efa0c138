// A suite of tests of the page: one Chromium, one server that says what it is told, and a window for each test.

import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import { hasChromium, type Look, openBrowser, type Visit, visit } from './browser.ts';
import { openToldServer, type ToldServer } from './told-server.ts';
import { toldWorld } from './told-world.ts';

export interface Shown extends Visit {
  server: ToldServer;
  /** Goes to a place of the page, and waits until it is drawn. */
  go(place: string): Promise<void>;
}

interface PageSuite {
  test(name: string, act: (shown: Shown) => Promise<void>, look?: Look): void;
  run(): void;
}

export function pageSuite(name: string, told: () => Record<string, unknown> = () => toldWorld()): PageSuite {
  const tests = suite(name);
  let browser: Browser | null = null;
  tests.before(async () => {
    if (!hasChromium()) throw new Error('this suite needs Chromium: apt-get update && apt-get install -y chromium');
    browser = await openBrowser();
  });
  tests.after(async () => {
    await browser?.close();
  });
  return {
    test(title, act, look) {
      tests(title, async () => {
        const server = await openToldServer(told());
        const visited = await visit(browser!, server.url, look);
        const { page } = visited;
        const go = async (place: string) => {
          await page.evaluate((to) => {
            location.hash = `#/${to}`;
          }, place);
          await page.locator(`nav[aria-label="Views"] a[aria-current][href="#/${place.split('/')[0]}"]`).waitFor();
          await page.waitForFunction(() => document.querySelector('.skeletons') === null);
          // Its editor is loaded, and its text is checked, when the first mistake is there.
          if (place.endsWith('/manifest')) await page.getByRole('button', { name: 'Line 1' }).first().waitFor();
        };
        try {
          await page.locator('.link-state.live').waitFor();
          await act({ ...visited, server, go });
        } finally {
          await visited.close();
          await server.close().catch(() => {});
        }
      });
    },
    run: () => tests.run(),
  };
}
