// Takes the pictures of docs/console/: the main views, in light and dark, over a project of real runs: `npm run screenshots`.

import { mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeTask } from '../rig/task-run.ts';
import { openBrowser, visit } from './rig/browser.ts';
import { startConsole } from './rig/console-process.ts';
import { fillWorld, openWorld, SESSION_OF_GEMINI, stageOf } from './rig/world.ts';

const OUT = 'docs/console';
const VIEWS: readonly [name: string, place: string, ready: string][] = [
  ['now', 'now', '.work'],
  ['tasks', 'tasks', '.row-at .goal >> nth=7'],
  ['task', 'tasks/price-rounding', '.timeline'],
  ['failed', 'tasks/rotate-keys', '.failure'],
  ['failures', 'failures', '.row-at'],
  ['session', `sessions/${SESSION_OF_GEMINI}`, '.reverted'],
  ['budgets', 'budgets', '.chart'],
];

/** In the page: a temporary folder as a project in somebody's home. */
const hidePlaces = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode;
    if (data.includes(${JSON.stringify('/rig-')})) texts.currentNode.data = data.replace(/\\S*\\/rig-\\w+\\/(?:project|home)/g, '~/shop');
  }
})()`;

const world = await openWorld();
const { rig } = world;
const browser = await openBrowser();
try {
  await fillWorld(world);
  await rig.run('tollgate', ['undo', SESSION_OF_GEMINI]);
  await rig.run('tollgate', ['budget', '--set', '50', '--per', 'day']);
  makeTask(
    rig,
    { goal: 'Find the flaky checkout test.', stages: [stageOf('gemini', 'brief')] },
    'flaky-checkout',
  ).start();
  await rig.run('tollgate', ['status']);
  // As on a machine whose CLIs are signed in.
  delete rig.env.GOOGLE_GEMINI_BASE_URL;
  for (const name of ['GEMINI_API_KEY', 'COPILOT_GITHUB_TOKEN', 'CODEX_API_KEY', 'ANTHROPIC_API_KEY'])
    rig.env[name] = 'a-key-of-nobody';
  const served = await startConsole(rig);
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  for (const scheme of ['light', 'dark'] as const) {
    const { page, close } = await visit(browser, served.url, { scheme, width: 1180, height: 760 });
    await page.locator('.link-state.live').waitFor();
    for (const [name, place, ready] of VIEWS) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
      await page.locator(`main ${ready}`).first().waitFor();
      if (name === 'session') await page.locator('.reverted').scrollIntoViewIfNeeded();
      // Paths of the machine that takes them are nobody's concern.
      await page.evaluate(hidePlaces);
      const file = path.join(OUT, `${name}-${scheme}.png`);
      await page.screenshot({ path: file });
      console.log(`${file}: ${Math.round(statSync(file).size / 1024)} kB`);
    }
    await close();
  }
  await served.end();
} finally {
  await browser.close();
  await world.dispose();
}
