// A control without a test is found: all that the source of the page has are drawn, and each that is drawn is one that a test over the console itself uses.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageOf } from '../../build/page.mjs';
import type { Resources, ResourcesOf } from '../../console/contract/resources.ts';
import { hasChromium, openBrowser, type Visit, visit } from './rig/browser.ts';
import { CONTROL_OF, CONTROLS, controlName } from './rig/controls.ts';
import { BATCH, SESSION } from './rig/told-names.ts';
import { openToldServer, type ToldServer, toldPage } from './rig/told-server.ts';
import { PLACES, toldWorld } from './rig/told-world.ts';

const controls = suite('controls');

const PAGE = path.resolve('console/page');
const TAG = /<(?:button|input|select|textarea|summary)(?=[\s>])|<a(?=\s[^>]*\bdownload\b)/g;

/** The text of a part of the page, with the place of each control's source in an attribute of it. */
function marked(file: string): { text: string; places: string[] } {
  const source = readFileSync(file, 'utf8');
  const places: string[] = [];
  const text = source.replace(TAG, (tag, at: number) => {
    const before = source.slice(0, at).split('\n');
    const place = `${path.relative(PAGE, file)}:${before.length}:${before.at(-1)!.length + 1}`;
    places.push(place);
    return `${tag} data-source="${place}"`;
  });
  return { text, places };
}

const MARKING: Plugin = {
  name: 'marks the controls',
  setup({ onLoad }) {
    onLoad({ filter: /console\/page\/.*\.tsx$/ }, ({ path: file }) => ({ contents: marked(file).text, loader: 'tsx' }));
  },
};

const inSource = (): string[] =>
  (readdirSync(PAGE, { recursive: true }) as string[])
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => marked(path.join(PAGE, file)).places)
    .sort();

const REDO = { text: 'redo it', command: 'tollgate run key-1 --redo a', pays: true, changes: null };

/** The told world, with so much of everything that each control is there in one place or other. */
function fullWorld(): Record<string, unknown> {
  const world = toldWorld();
  const { groups } = world['/api/failures'] as { groups: object[] };
  const { tasks } = world['/api/tasks'] as Resources['/api/tasks'];
  const machine = world['/api/machine'] as Resources['/api/machine'];
  const out = [{ check: 'gemini sign-in', status: 'fail', found: 'no key is set', fix: 'set a key' }];
  const many = Array.from({ length: 13 }, (_, n) => `key-${n}`);
  const same = Array.from({ length: 30 }, (_, n) => ` line ${n}`).join('\n');
  const diff = ['a', 'b'].map((name) => `diff --git a/${name} b/${name}\n@@ -1,31 +1,30 @@\n-x\n${same}\n`).join('');
  const session = `/api/sessions/${SESSION}`;
  const { turns, ...told } = world[session] as ResourcesOf['session'];
  const batch = '/api/batch/20261125020304-0a1b2c3d';
  const toldBatch = world[batch] as ResourcesOf['batch'];
  const task = { ...(world['/api/tasks/price-rounding'] as ResourcesOf['task']), supervision: null };
  // The name of the told stage is not one that a command takes.
  const attempts = [...task.attempts, { ...task.attempts[0], call_id: 'call-9', stage: 'codex_review' }];
  return {
    ...world,
    '/api/tasks/price-rounding': {
      ...{ ...task, attempts, failure: { ...task.failure, stage: null } },
      next_actions: [...task.next_actions, REDO],
    },
    [batch]: { ...toldBatch, failures: [{ ...toldBatch.failures[0], next_actions: [REDO] }] },
    [session]: { ...told, turns: turns.map((turn) => ({ ...turn, opening: { lines: 1, role: 'impl' } })) },
    '/api/failures': {
      groups: [
        { ...groups[0], task_ids: many },
        { ...groups[0], signature: 'another', next_action: REDO },
      ],
    },
    '/api/tasks': { tasks: [...tasks, { ...tasks[1], task_id: 'killed-run', state: 'interrupted' }] },
    '/api/machine': { ...machine, findings: [...machine.findings, ...out] },
    '/api/tasks/key-0/explain': world['/api/tasks/price-rounding/explain'],
    '/api/tasks/price-rounding/diff': { stages: [], whole: true },
    '/api/tasks/price-rounding/diff/*': { ...(world['/api/tasks/price-rounding/diff/*'] as object), text: diff },
    '/api/tasks/price-rounding/texts/outputs%2Fone.err': { text: 'x'.repeat(25_000), cut: 9 },
  };
}

/** What is pressed for more to be drawn, by place; a dialog is left by Escape. */
const OPENS: Record<string, readonly (string | RegExp)[]> = {
  now: ['Keys ?', 'Go to Ctrl K', 'Stop flaky-checkout'],
  'tasks/price-rounding': ['Rerun'],
  budgets: ['Set a budget', /^Change/, /^Release the hold on/],
  distill: ['Distill a book …'],
  compare: ['New comparison …'],
  'compare/compare-20261128120000-0a1b': ['Resume …', 'Remove worktrees …', /^Apply the changes of/],
  machine: ['Clean up …'],
  'distill/walden': ['Delete section 1'],
  'sessions/58d9e1b3-73c5-4137-8fc7-bac02f7e65df': ['Undo the last answer', /^Restore the undone answer/, 'Recover …'],
};

interface Seen {
  names: Set<string>;
  sources: Set<string>;
}

async function look({ page }: Visit, { names, sources }: Seen): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.skeletons') === null);
  const found = (await page.evaluate(`[...document.querySelectorAll('[data-source]')]
    .map((at) => [(${CONTROL_OF})(at), at.dataset.source])`)) as [[string, string, string], string][];
  for (const [control, source] of found) {
    names.add(controlName(control));
    sources.add(source);
  }
}

async function walk(visited: Visit, server: ToldServer): Promise<Seen> {
  const { page } = visited;
  const seen: Seen = { names: new Set(), sources: new Set() };
  for (const place of PLACES) {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
    await page.locator(`nav[aria-label="Views"] a[aria-current][href="#/${place.split('/')[0]}"]`).waitFor();
    await look(visited, seen);
    // One that only a narrow window shows is not folded.
    for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click();
    await look(visited, seen);
    for (const name of OPENS[place] ?? []) {
      const dialog = page.getByRole('dialog');
      // What the view shows may come anew between the two halves of a click, which then is none.
      for (let tries = 0; tries < 5 && !(await dialog.isVisible()); tries += 1) {
        await page.getByRole('button', { name }).first().click();
        await dialog.waitFor({ timeout: 3000 }).catch(() => {});
      }
      await dialog.waitFor();
      await look(visited, seen);
      if (name instanceof RegExp && name.source === '^Change') {
        await page.getByLabel('At the most').fill('');
        await look(visited, seen);
      }
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    if (place === `sessions/${SESSION}`) {
      await page.getByLabel('Search the conversation').fill('a prompt');
      await look(visited, seen);
    }
  }
  await page.evaluate(`location.hash = '#/failures?of=a%20signature'`);
  await page.getByText('Rule and signature').click();
  await look(visited, seen);
  const manifest = server.told['/api/tasks/price-rounding/manifest'] as object;
  server.told['/api/tasks/price-rounding/manifest'] = { ...manifest, text: '{"goal":"one"}', version: '0' };
  await page.evaluate(`location.hash = '#/tasks/price-rounding/manifest'`);
  await page.getByRole('button', { name: 'As in the file' }).waitFor();
  await look(visited, seen);
  await page.getByRole('button', { name: 'As in the file' }).click();
  await page.getByRole('button', { name: 'Format' }).waitFor();
  await look(visited, seen);
  server.told['/api/tasks/price-rounding/manifest'] = manifest;
  server.tell({ topic: '*' });
  await page.getByRole('button', { name: 'Format' }).waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Manifest' }).pressSequentially('#');
  await page.getByText('not saved yet').waitFor();
  server.told['/api/tasks/price-rounding/manifest'] = { ...manifest, text: 'goal: another\n', version: '2' };
  server.tell({ topic: '*' });
  await page.getByText('The file was changed by another program').waitFor();
  await page.getByRole('button', { name: 'Line 1' }).waitFor();
  await look(visited, seen);
  await page.evaluate(`location.hash = '#/new'`);
  await page.getByLabel('Goal', { exact: true }).fill('Repair the login.');
  await page.getByLabel('CLI of stage 1').waitFor();
  await look(visited, seen);
  await page.getByRole('button', { name: 'Create and run …' }).click();
  await page.getByRole('dialog').waitFor();
  await look(visited, seen);
  await page.keyboard.press('Escape');
  await page.evaluate(`location.hash = '#/tasks'`);
  for (const [box, opener, verb] of [
    ['Select price-rounding', 'Rerun selected', 'Rerun it'],
    ['Select all shown tasks', 'Rerun selected', /^Rerun these/],
  ] as const) {
    await page.getByLabel(box, { exact: true }).click();
    await look(visited, seen);
    await page.getByRole('button', { name: 'Run as a batch' }).click();
    await page.getByRole('dialog').waitFor();
    await look(visited, seen);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: opener }).click();
    await look(visited, seen);
    await page.getByRole('dialog').getByRole('button', { name: verb }).click();
    await page.getByText('done: /api/run').first().waitFor();
    const close = page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true });
    await close.waitFor();
    await look(visited, seen);
    await close.click();
  }
  for (const view of ['tasks', 'failures']) {
    await page.evaluate(`location.hash = '#/${view}?q=nothing-like-it'`);
    await page.getByRole('button', { name: `Show all ${view}` }).waitFor();
    await look(visited, seen);
  }
  const batch = server.told[`/api/batch/${BATCH}`] as object;
  server.told[`/api/batch/${BATCH}`] = { ...batch, state: 'running', totals: null, tasks: [] };
  await page.evaluate(`location.hash = '#/batch/${BATCH}'`);
  await page.getByRole('button', { name: 'Stop the batch' }).click();
  await page.getByRole('dialog').waitFor();
  await look(visited, seen);
  await page.keyboard.press('Escape');
  const task = server.told['/api/tasks/price-rounding'] as object;
  const now = server.told['/api/now'] as object;
  server.told['/api/now'] = { ...now, questions: [{ task_id: 'price-rounding', question: 'Which one?' }] };
  server.told['/api/tasks/price-rounding'] = { ...task, state: 'parked' };
  await page.evaluate(`location.hash = '#/tasks/price-rounding'`);
  await page.getByLabel('Answer to price-rounding').waitFor();
  await look(visited, seen);
  server.told['/api/tasks/price-rounding'] = { ...task, state: 'running' };
  server.tell({ topic: '*' });
  await page.evaluate(`location.hash = '#/tasks/price-rounding'`);
  await page.getByRole('button', { name: 'Stop price-rounding' }).waitFor();
  await look(visited, seen);
  const book = server.told['/api/distill/walden'] as object;
  server.told['/api/distill/walden'] = { ...book, state: 'running' };
  await page.evaluate(`location.hash = '#/distill/walden'`);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await look(visited, seen);
  server.refused['/api/distill/pause'] = { status: 409, message: 'It is not running.' };
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('It is not running.').waitFor();
  server.refused['/api/machine'] = { status: 500, message: 'The machine cannot be looked at.' };
  await page.evaluate(`location.hash = '#/machine'`);
  await page.getByText('The machine cannot be looked at.').waitFor();
  await look(visited, seen);
  await server.close();
  await page.getByRole('button', { name: 'Try now' }).waitFor();
  await look(visited, seen);
  return seen;
}

controls(
  `${Object.keys(CONTROLS).length} controls: each is drawn, named and used over the console itself`,
  async () => {
    if (!hasChromium()) throw new Error('this suite needs Chromium: apt-get update && apt-get install -y chromium');
    const { html } = await pageOf('console/page/main.tsx', 'console/page/style/style.css', [MARKING]);
    const server = await openToldServer(fullWorld(), toldPage(Buffer.from(html)));
    const browser = await openBrowser();
    try {
      const visited = await visit(browser, server.url);
      await visited.page.locator('.link-state.live').waitFor();
      const { names, sources } = await walk(visited, server);
      assert.equal(
        {
          'in the source, and never drawn by the walk': inSource().filter((place) => !sources.has(place)),
          'drawn, and used by no test over the console itself': [...names].filter((name) => !(name in CONTROLS)),
          'in the table, and nowhere on the page': Object.keys(CONTROLS).filter((name) => !names.has(name)),
        },
        {
          'in the source, and never drawn by the walk': [],
          'drawn, and used by no test over the console itself': [],
          'in the table, and nowhere on the page': [],
        },
      );
    } finally {
      await browser.close();
      await server.close();
    }
  },
);

controls('the page of the console in docs/ says how many there are', () => {
  assert.match(readFileSync('docs/console.md', 'utf8'), `each of its ${Object.keys(CONTROLS).length} controls`);
});

controls.run();
