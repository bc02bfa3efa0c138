// Lists and texts by the page over the console itself: filtered, sorted, opened to their end; each as the files have it.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { answerWith, failWith } from '../rig/streams.ts';
import { superviseTask } from '../rig/supervise-run.ts';
import { makeTask } from '../rig/task-run.ts';

import { liveSuite } from './rig/live-suite.ts';
import { stageOf } from './rig/world.ts';

const live = liveSuite('live-lists');

interface Row {
  task_id: string;
  state: string;
  calls: { used: number };
}

live.test('tasks are filtered by words and state, as many as the report has', async ({ page, go, told }) => {
  const { tasks } = (await told('report')) as unknown as { tasks: Row[] };
  const rows = page.locator('.row-at');
  await go('tasks');
  await page.getByLabel('Filter tasks').fill('rotate staging');
  await page.getByText(`1 of ${tasks.length} tasks`).waitFor();
  assert.match(await rows.first().innerText(), 'rotate-keys');
  await page.getByLabel('Filter tasks').fill('');
  const failed = tasks.filter(({ state }) => state === 'failed').length;
  await page.getByRole('button', { name: `failed ${failed}`, exact: true }).click();
  await page.getByText(`${failed} of ${tasks.length} tasks`).waitFor();
  assert.is(await rows.count(), failed);
});

live.test('tasks are sorted by each column, there and back', async ({ page, go, told }) => {
  await go('tasks');
  const shown = () =>
    page.locator('.row-at .task_id a').evaluateAll((links) =>
      links
        .map((link) => ({ at: Number((link.closest('.row-at') as HTMLElement).dataset.index), id: link.textContent }))
        .sort((a, b) => a.at - b.at)
        .map(({ id }) => id),
    );
  const { tasks } = (await told('report')) as unknown as { tasks: Row[] };
  const by = (key: (row: Row) => string | number) =>
    [...tasks]
      .sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.task_id < b.task_id ? -1 : 1))
      .map(({ task_id: id }) => id);
  for (const [name, wanted] of [
    ['Task', by(({ task_id: id }) => id)],
    ['State', by(({ state }) => state)],
    ['Calls', by(({ calls }) => calls.used)],
    ['Cost', null],
    ['Last', null],
  ] as const) {
    const orders: Record<string, (string | null)[]> = {};
    for (let times = 0; times < 2; times += 1) {
      const head = page.getByRole('columnheader', { name, exact: true });
      const before = await head.getAttribute('aria-sort');
      await page.getByRole('button', { name, exact: true }).click();
      await head.and(page.locator(`:not([aria-sort="${before}"])`)).waitFor();
      orders[String(await head.getAttribute('aria-sort'))] = await shown();
    }
    assert.equal(Object.keys(orders).sort(), ['ascending', 'descending'], name);
    const { ascending, descending } = orders as { ascending: string[]; descending: string[] };
    if (wanted !== null) assert.equal(ascending, wanted, name);
    assert.equal([...ascending].sort(), [...descending].sort());
    if (name !== 'Cost') assert.is.not(JSON.stringify(ascending), JSON.stringify(descending), name);
  }
});

live.test('selected tasks are rerun, and each result is said', async ({ page, go, told }) => {
  const { tasks } = (await told('report')) as unknown as { tasks: Row[] };
  await go('tasks');
  const bar = page.locator('.selected');
  await page.getByLabel('Select all shown tasks').click();
  await bar.getByText(`${tasks.length} tasks selected`).waitFor();
  await page.getByRole('button', { name: 'Copy ids' }).click();
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await bar.waitFor({ state: 'detached' });
  await page.getByLabel('Cause').selectOption('transient');
  await page.getByText(`2 of ${tasks.length} tasks`).waitFor();
  assert.match(page.url(), /class=transient/);
  // A range with shift, then one of it again with its key.
  await page.getByLabel('Select nightly-import').click();
  await page.getByLabel('Select search-index').click({ modifiers: ['Shift'] });
  await bar.getByText('2 tasks selected').waitFor();
  await page.getByRole('link', { name: 'search-index' }).focus();
  await page.keyboard.press('x');
  await bar.getByText('1 task selected').waitFor();
  await page.keyboard.press('x');
  await bar.getByText('2 tasks selected').waitFor();
  await page.getByRole('button', { name: 'Rerun selected' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/They usually make 3 paid calls; /).waitFor();
  await dialog.getByRole('button', { name: 'Rerun these 2' }).click();
  for (const id of ['nightly-import', 'search-index']) await dialog.getByText(new RegExp(`^${id} continues`)).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByLabel('Cause').selectOption('');
  for (const id of ['nightly-import', 'search-index'])
    await page.locator('.row-at', { hasText: new RegExp(`${id}.*2 / 10`) }).waitFor();
  const needing = tasks.filter(({ state }) => ['failed', 'parked', 'interrupted', 'refused'].includes(state));
  await page.getByRole('button', { name: `needs you ${needing.length}` }).click();
  await page.getByText(`${needing.length} of ${tasks.length} tasks`).waitFor();
  await page.getByLabel('Filter tasks').fill('nothing like it');
  await page.getByRole('button', { name: 'Show all tasks' }).click();
  await page.getByText(`${tasks.length} tasks`, { exact: true }).waitFor();
});

live.test('failures are filtered, explained and rerun, one row for one cause', async ({ rig, page, go }) => {
  const ids = Array.from({ length: 13 }, (_, n) => `expired-${n}`);
  let said = 0;
  const redone = new Promise<void>((resolve) => {
    rig.answer(({ report }) => {
      if (!/say nothing/i.test(report.stdin.text))
        return failWith('codex', 'unexpected status 401 Unauthorized: the certificate has expired', 401);
      said += 1;
      if (said === 2) resolve();
      return answerWith('codex', 'Done.');
    });
  });
  for (const id of ids) await makeTask(rig, { goal: 'Renew it.', stages: [stageOf('codex', 'brief')] }, id).run();
  const strict = { stages: [{ tool: 'codex', role: 'impl', access: 'write' }] };
  await makeTask(rig, { goal: 'Say nothing.', ...strict }, 'says-nothing').run('--trust-workspace');
  await go('failures');
  const row = page.locator('.row-at', { hasText: 'the certificate has expired' });
  await row.getByText('13 failed calls in 13 tasks').waitFor();
  // To run its task again is the first action of an overload, but no CLI is signed in here.
  const overloaded = page.locator('.row-at', { hasText: 'The service is overloaded.' });
  await overloaded.locator('.button:not(.main)', { hasText: 'Rerun these 2' }).waitFor();
  await overloaded.getByText(/Sign in to gemini/).waitFor();
  assert.match((await row.getByRole('img').getAttribute('aria-label')) ?? '', / \d{4}-\d\d-\d\d 13$/);
  await row.getByRole('link', { name: 'The service' }).click();
  await page.getByRole('button', { name: 'all 13 tasks' }).click();
  for (const id of ids) await page.getByRole('link', { name: id, exact: true }).waitFor();
  await page.getByText('Rule and signature').click();
  await page.getByLabel('Filter failures').fill('expired-12');
  await page.getByText(/^1 of /).waitFor();
  await page.getByLabel('Filter failures').fill('nothing like it');
  await page.getByRole('button', { name: 'Show all failures' }).click();
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByLabel('CLI', { exact: true }).waitFor({ state: 'hidden' });
  await page.getByText('Filters', { exact: true }).click();
  await page.getByLabel('CLI', { exact: true }).waitFor();
  await page.setViewportSize(size);
  for (const [label, value, fits] of [
    ['Cause', 'auth', /^\d of /],
    ['CLI', 'codex', /^\d of /],
    ['Last seen', '1', /^\d of /],
  ] as const) {
    await page.getByLabel(label, { exact: true }).selectOption(value);
    await page.getByText(fits).waitFor();
  }
  assert.match(page.url(), /class=auth&cli=codex&days=1/);
  assert.is(await page.locator('.row-at', { hasText: 'temporary' }).count(), 0);
  // The address keeps the filter.
  await page.reload();
  await row.waitFor();
  assert.is(await page.getByLabel('CLI', { exact: true }).inputValue(), 'codex');
  await row.getByRole('button', { name: 'Rerun these 13' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Rerun these 13' }).click();
  for (const id of ids) await dialog.getByText(new RegExp(`^${id} continues`)).waitFor({ timeout: 60_000 });
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByLabel('CLI', { exact: true }).selectOption('');
  await page.getByLabel('Cause', { exact: true }).selectOption('contract_violation');
  await page
    .locator('.row-at')
    .getByRole('button', { name: /^Redo(?: anyway)?$/ })
    .click();
  await dialog.getByText('tollgate run says-nothing').waitFor();
  await dialog.getByRole('button', { name: 'Run it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await redone;
  await page.getByLabel('Cause', { exact: true }).selectOption('auth');
  await page.locator('.row-at').getByRole('button', { name: 'Copy command' }).first().click();
  await page.getByLabel('Cause', { exact: true }).selectOption('auth');
  await page.getByRole('button', { name: 'Rerun of rotate-keys' }).click();
  await dialog.getByRole('button', { name: 'Rerun it' }).click();
  await dialog.getByText(/^rotate-keys continues/).waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
});

live.test('a long prompt and a long diff are shown to their end', async ({ rig, page, go }) => {
  execFileSync('git', ['init', '-q'], { cwd: rig.project, env: rig.env });
  const words = Array.from({ length: 40 }, (_, n) => `word ${n}`).join('\n');
  rig.write('src/edited.txt', `first\n${words}\n`);
  const lines = Array.from({ length: 1_100 }, (_, n) => `line ${n}`).join('\n');
  const goal = `Write it. ${'All of it, from the first word to the last. '.repeat(600)}`;
  rig.answer(({ report }) =>
    report.tool === 'gemini'
      ? answerWith('gemini', JSON.stringify({ action: 'done', summary: 'It is written.' }))
      : [
          { do: 'save', file: 'src/edited.txt', text: `other\n${words}\nlast\n` },
          { do: 'save', file: 'src/long.txt', text: lines },
          ...answerWith('codex', 'It is written.'),
        ],
  );
  const { code } = await superviseTask(rig, { goal }, 'long-text').supervise();
  assert.is(code, 0);
  await go('tasks/long-text/changes');
  const diff = page.getByRole('table', { name: 'What changed' });
  await diff.focus();
  await page.keyboard.press('End');
  await diff.getByText('+line 1099').waitFor();
  await page.getByRole('button', { name: 'src/edited.txt +2 −1' }).click();
  await diff.getByText('-first').waitFor();
  await diff
    .getByRole('button', { name: /^Show \d+ unchanged lines$/ })
    .first()
    .click();
  await diff.getByText('word 10').waitFor();
  await diff.getByRole('button', { name: 'src/edited.txt' }).click();
  await diff.getByText('-first').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Fold all files' }).click();
  await diff.getByText('+line 1').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Fold all files' }).click();
  await diff.getByText('-first').waitFor();
  await page.getByRole('button', { name: 'Copy the diff' }).click();
  await page.getByText('The diff was copied.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as patch' }).click(),
  ]);
  assert.is(download.suggestedFilename(), 'long-text.patch');
  const patch = readFileSync(await download.path(), 'utf8');
  assert.match(patch, /^diff --git a\/src\/edited\.txt b\/src\/edited\.txt$/m);
  assert.match(patch, /^\+line 1099$/m);
  rig.answer(() => [{ do: 'save', file: 'src/later.txt', text: 'later\n' }, ...answerWith('codex', 'Done.')]);
  await makeTask(rig, { stages: [stageOf('codex', 'impl')] }, 'later-text').run();
  await go('tasks/later-text/changes');
  await diff.getByText('+later').waitFor();
  await page.locator('summary', { hasText: 'Changes from before this stage' }).click();
  await page.getByRole('table', { name: 'What had changed before' }).getByText('src/edited.txt').waitFor();
  const log = Array.from({ length: 90_000 }, (_, n) => `logged ${n}`).join('\n');
  rig.write('.tmp/task/long-text/outputs/long.err', `${log}\nits last line\n`);
  await go('tasks/long-text/raw');
  const prompt = page.locator('summary', { hasText: /^prompt/ }).first();
  const name = await prompt.locator('.mono').innerText();
  await prompt.click();
  await page.getByRole('button', { name: /^Show all [\d,]+ characters$/ }).click();
  const shown = await page.getByLabel(name).innerText();
  const kept = readFileSync(path.join(rig.project, '.tmp/task/long-text', name), 'utf8');
  assert.is(shown.trim(), kept.trim());
  await page.locator('summary', { hasText: 'long.err' }).click();
  await page.getByRole('button', { name: 'Show the end' }).click();
  const end = page.getByLabel('The end of outputs/long.err');
  await end.waitFor();
  assert.match(await page.getByLabel('outputs/long.err', { exact: true }).innerText(), /^logged 0\nlogged 1\n/);
  await page.getByRole('button', { name: 'Show all 524,' }).last().click();
  assert.match(await end.innerText(), /^logged \d+\nlogged [\s\S]*\nlogged 89999\nits last line\s*$/);
  await page.getByRole('button', { name: 'Copy prompt' }).first().click();
  await page.getByRole('button', { name: 'Copied prompt' }).first().waitFor();
});

live.test('an explanation shows its rule on request', async ({ page, go }) => {
  await go('tasks/price-rounding/raw');
  await go('tasks/nightly-import/raw');
  await page.getByText('Rule and signature').click();
  await page.getByLabel('The rule').waitFor();
});

live.test('the palette leads to a task, a session and a view by their words', async ({ page, go }) => {
  await go('now');
  await page.getByRole('button', { name: 'Go to Ctrl K' }).click();
  const field = page.getByRole('combobox', { name: 'Find a view' });
  await field.fill('no such words');
  await page.getByText('Nothing has these words.').waitFor();
  await field.fill('signing rotate');
  await page.getByRole('option', { name: 'rotate-keys' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'rotate-keys' }).waitFor();
  await page.getByRole('button', { name: 'Rerun' }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('dialog').getByText('tollgate run rotate-keys').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await field.fill('view');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await page.getByRole('link', { name: 'rotate-keys' }).waitFor();
  await page.keyboard.press('j');
  await page.waitForFunction(() => document.activeElement?.closest('.row-at') !== null);
});

live.test('the chosen theme counts before that of the system, also after a reload', async ({ page }) => {
  // A change of colour takes a moment.
  const isGround = (colour: string) =>
    page.waitForFunction((is) => getComputedStyle(document.documentElement).backgroundColor === is, colour);
  const [light, dark] = ['rgb(245, 246, 248)', 'rgb(14, 17, 22)'];
  await isGround(light);
  await page.context().grantPermissions(['notifications']);
  await page.reload();
  await page.getByText('Settings', { exact: true }).click();
  await page.getByLabel('Notifications').click();
  await page.locator('input:checked').and(page.getByLabel('Notifications')).waitFor();
  await page.getByLabel('Theme').selectOption('dark');
  await isGround(dark);
  await page.reload();
  await page.locator('.link-state.live').waitFor();
  await isGround(dark);
  await page.getByText('Settings', { exact: true }).click();
  await page.getByLabel('Theme').selectOption('light');
  await isGround(light);
  await page.getByLabel('Theme').selectOption('system');
  await isGround(light);
});

live.test('the keys are listed, lead to each view, and past the rail', async ({ page, go }) => {
  await go('now');
  await page.getByRole('button', { name: 'Keys ?' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const [key, name] of [
    ['t', 'Tasks'],
    ['f', 'Failures'],
    ['b', 'Budgets'],
    ['s', 'Sessions'],
    ['v', 'Supervise'],
    ['d', 'Distill'],
    ['m', 'Machine'],
    ['n', 'Now'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }
  await page.setViewportSize({ width: 360, height: 800 });
  const machine = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Machine' });
  assert.is(await machine.isVisible(), false);
  await page.getByRole('button', { name: 'Menu' }).click();
  await machine.click();
  await page.getByRole('heading', { level: 1, name: 'Machine' }).waitFor();
  await page.getByRole('button', { name: 'Menu', expanded: false }).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  // The heading of a view takes the focus once it is drawn.
  await page.waitForFunction(() => document.activeElement?.localName === 'h1');
  await page.getByRole('button', { name: 'Skip to the view' }).focus();
  await page.keyboard.press('Enter');
  assert.is(await page.evaluate('document.activeElement.id'), 'view');
});

live.run();
