// A suite of tests of the page over the console itself: one world of real runs, one console, a window for each test.

import type { Browser, BrowserContext } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasChromium, openBrowser, type Visit, visit } from './browser.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';
import { CONTROL_OF, CONTROLS, controlName, type LiveFile } from './controls.ts';
import { fillWorld, openWorld, type World } from './world.ts';

export interface Live extends Visit, World {
  browser: Browser;
  console: ConsoleProcess;
  /** A window of its own, whose uses count as well. */
  visit(address: string): Promise<Visit>;
  /** Goes to a place of the page. */
  go(place: string): Promise<void>;
  /** Opens a dialog by its button, and does what it asks by another. */
  confirm(opener: string | RegExp, verb: string): Promise<void>;
  /** What tollgate prints to these words with --json. */
  told(...words: string[]): Promise<Record<string, unknown>>;
}

interface LiveSuite {
  test(title: string, act: (live: Live) => Promise<void>): void;
  run(): void;
}

/** It has a test more: that the controls which the table gives to this file were used. */
export function liveSuite(name: LiveFile): LiveSuite {
  const used = new Set<string>();
  const tests = suite<{ world: World; console: ConsoleProcess; browser: Browser }>(name);
  tests.before(async (context) => {
    if (!hasChromium()) throw new Error('this suite needs Chromium: apt-get update && apt-get install -y chromium');
    context.world = await openWorld();
    await fillWorld(context.world);
    context.console = await startConsole(context.world.rig);
    context.browser = await openBrowser();
  });
  tests.after(async ({ world, console, browser }) => {
    await browser?.close();
    await console?.end();
    await world?.dispose();
  });
  return {
    test(title, act) {
      tests(title, async ({ world, console, browser }) => {
        const visitNoted = (address: string) =>
          visit(browser, address, { before: (context) => noteUses(context, used) });
        const visited = await visitNoted(console.url);
        try {
          await visited.page.locator('.link-state.live').waitFor();
          await act({ ...visited, ...world, browser, console, visit: visitNoted, ...waysOf(visited, world) });
        } finally {
          await visited.close();
        }
      });
    },
    run() {
      const due = Object.keys(CONTROLS).filter((control) => CONTROLS[control] === name);
      tests(`its ${due.length} controls were used`, () => {
        assert.equal(
          due.filter((control) => !used.has(control)),
          [],
        );
      });
      tests.run();
    },
  };
}

/** Of a page in it: what is clicked, filled or chosen, whoever does it. */
async function noteUses(context: BrowserContext, used: Set<string>): Promise<void> {
  await context.exposeBinding('noteUse', (_, control: [string, string, string]) => void used.add(controlName(control)));
  await context.addInitScript(`for (const what of ['click', 'input', 'change'])
    addEventListener(what, ({ target }) => {
      const control = (${CONTROL_OF})(target);
      if (control !== null) noteUse(control);
    }, true);`);
}

function waysOf({ page }: Visit, { rig }: World): Pick<Live, 'go' | 'confirm' | 'told'> {
  return {
    async go(place) {
      await page.evaluate((to) => {
        location.hash = `#/${to}`;
      }, place);
      await page.locator(`nav[aria-label="Views"] a[aria-current][href="#/${place.split(/[/?]/)[0]}"]`).waitFor();
    },
    async confirm(opener, verb) {
      await page.getByRole('button', { name: opener }).click();
      await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
    async told(...words) {
      const { stdout, stderr } = await rig.run('tollgate', [...words, '--json']);
      if (stdout === '') throw new Error(`tollgate ${words.join(' ')}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
