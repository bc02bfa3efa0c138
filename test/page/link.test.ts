// The page and its server: changes as they come, a server that is gone and comes back, a cookie that is missing, a task that is deleted.

import * as assert from 'uvu/assert';
import { pageSuite } from './rig/page-suite.ts';
import { NOW } from './rig/told-names.ts';
import { PLACES } from './rig/told-world.ts';

const link = pageSuite('link');

link.test('a change is shown without a reload', async ({ page, server, go }) => {
  await go('now');
  const told = server.told['/api/now'] as { questions: object[] };
  server.told['/api/now'] = { ...told, questions: [{ task_id: 'invoice-dates', question: 'And those of 2020?' }] };
  server.tell({ topic: 'now' });
  await page.getByText('And those of 2020?').waitFor();
});

link.test('a row changes alone, and by what the change says', async ({ page, server, go }) => {
  await go('tasks');
  const { tasks } = server.told['/api/tasks'] as { tasks: { task_id: string; state: string; usd: number }[] };
  await page.evaluate(() => {
    const changed = new Set<string>();
    Object.assign(window, { changed });
    new MutationObserver((records) => {
      for (const { target } of records) {
        const row = (target instanceof Element ? target : target.parentElement)?.closest('.row-at');
        if (row) changed.add(row.querySelector('a')!.textContent!);
      }
    }).observe(document.querySelector('.rows')!, { subtree: true, childList: true, characterData: true });
  });
  server.tell({ topic: 'tasks', change: { lines: [{ ...tasks[1]!, usd: 7.77 } as never], gone: [] } });
  await page.getByText('$7.77').waitFor();
  assert.equal(await page.evaluate(() => [...(window as unknown as { changed: Set<string> }).changed]), [
    'release-notes',
  ]);
});

link.test('what is told while the list is on its way is not undone by it', async ({ page, server, go }) => {
  await go('tasks');
  const { tasks } = server.told['/api/tasks'] as { tasks: { task_id: string; usd: number }[] };
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const older = { tasks: [{ ...tasks[0]!, usd: 5.55 }, tasks[1]!] };
  await page.route('**/api/tasks', async (route) => {
    await released;
    await route.fulfill({ json: older });
  });
  const asked = page.waitForRequest('**/api/tasks');
  server.tell({ topic: 'tasks' });
  await asked;
  server.tell({ topic: 'tasks', change: { lines: [{ ...tasks[1]!, usd: 7.77 } as never], gone: [] } });
  await page.getByText('$7.77').waitFor();
  release();
  await page.getByText('$5.55').waitFor();
  assert.is(await page.getByText('$7.77').count(), 1);
});

for (const [status, message] of [
  [500, 'state/journal.jsonl of price-rounding is of a newer version.'],
  [429, 'too many requests at once'],
] as const)
  link.test(`a list of tasks that is not renewed (${status}) is said, stays, and comes by itself`, async (shown) => {
    const { page, server, go } = shown;
    await go('tasks');
    const { tasks } = server.told['/api/tasks'] as { tasks: { usd: number }[] };
    server.told['/api/tasks'] = { tasks: [{ ...tasks[0]!, usd: 7.77 }, tasks[1]!] };
    server.refused['/api/tasks'] = { status, message };
    server.tell({ topic: 'tasks' });
    await page.getByRole('alert').getByText(message).waitFor();
    await page.getByText('What is shown is the list of tasks as it was before.').waitFor();
    await page.getByText(/^Retried automatically in \d+ s\.$/).waitFor();
    assert.is(await page.locator('.row-at').count(), 2);
    // So do the counts beside the views.
    await page.getByText('Not up to date', { exact: true }).waitFor();
    const counted = page.getByRole('link', { name: /^Failures/ });
    assert.is(await counted.textContent(), 'Failures1 failed, as it was before');
    delete server.refused['/api/tasks'];
    await page.getByText('$7.77').waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByText('Live', { exact: true }).waitFor();
    assert.is(await counted.textContent(), 'Failures1 failed');
  });

link.test('a list of tasks that never came is not said to be empty', async ({ page, server, go }) => {
  server.refused['/api/tasks'] = { status: 500, message: 'The disk cannot be read.' };
  await page.reload();
  await go('tasks');
  await page.getByRole('alert').getByText('The disk cannot be read.').waitFor();
  assert.is(await page.getByText('No task in this project').count(), 0);
  delete server.refused['/api/tasks'];
  await page.locator('.row-at').first().waitFor();
});

link.test('what fails for a while in a view comes by itself, and what was deleted is not asked for', async (shown) => {
  const { page, server, go } = shown;
  server.refused['/api/machine'] = { status: 503, message: 'It is busy.' };
  await go('machine');
  await page.getByText('It is busy.').waitFor();
  delete server.refused['/api/machine'];
  await page.getByText('a version').waitFor();
  server.refused['/api/tasks/price-rounding'] = { status: 404, message: 'There is no such task.' };
  await go('tasks/price-rounding');
  await page.getByText('There is no such task.').waitFor();
  assert.is(await page.getByText('Retried automatically').count(), 0);
});

link.test('a stream that is refused is said in the words of the server', async ({ page, server }) => {
  server.refused['/api/events'] = { status: 503, message: '8 pages look on already', way_out: 'close one of them' };
  await page.reload();
  await page.getByRole('alert').getByText('8 pages look on already').waitFor();
  await page.getByText('close one of them').waitFor();
  delete server.refused['/api/events'];
  await page.getByText('Live', { exact: true }).waitFor();
});

link.test(
  'a server that is gone is said, with the way out, and what was shown stays; back again, all is followed',
  async ({ page, server, go }) => {
    await go('tasks');
    await server.close();
    await page.getByText('Reconnecting …').waitFor();
    await page.getByText('The console does not answer any more.').waitFor();
    await page.getByText('Start it again with tollgate console').waitFor();
    await page.getByText(/^Retried automatically in \d+ s\.$/).waitFor();
    assert.is(await page.locator('.row-at').count(), 2);
    await server.reopen();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('The console does not answer any more.').waitFor({ state: 'detached' });
  },
);

link.test(
  'what the server cannot follow is said until it follows again, and then all is asked for anew',
  async ({ page, server, go }) => {
    await go('tasks');
    const { tasks } = server.told['/api/tasks'] as { tasks: object[] };
    server.tell({ topic: '*', trouble: "tasks can't be followed: EMFILE: too many open files" });
    await page
      .getByText("What changes is not shown just now: tasks can't be followed: EMFILE: too many open files.")
      .waitFor();
    await page.getByText('Not up to date').waitFor();
    assert.is(await page.locator('.row-at').count(), 2);
    server.told['/api/tasks'] = { tasks: [{ ...tasks[0], usd: 7.77 }, tasks[1]] };
    server.tell({ topic: '*' });
    await page.getByText('$7.77').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    assert.is(await page.getByText('What changes is not shown just now').count(), 0);
  },
);

link.test('a page that slept for an hour asks for a new stream, and reads its state again', async (shown) => {
  const { page, server, go } = shown;
  await page.clock.install();
  await page.reload();
  await page.locator('.link-state.live').waitFor();
  await go('tasks');
  const { tasks } = server.told['/api/tasks'] as { tasks: object[] };
  server.told['/api/tasks'] = { tasks: [{ ...tasks[0], usd: 7.77 }, tasks[1]] };
  // The connection is open, and nothing comes from it any more.
  server.forget();
  await page.clock.fastForward('01:00:00');
  await page.getByText('$7.77').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  server.tell({ topic: 'tasks', change: { lines: [{ ...tasks[1]!, usd: 8.88 } as never], gone: [] } });
  await page.getByText('$8.88').waitFor();
});

link.test('a clock that is set back or forth makes no time negative, and loses no change', async (shown) => {
  const { page, server, go } = shown;
  await page.clock.install({ time: new Date(NOW) });
  await page.reload();
  await page.locator('.link-state.live').waitFor();
  const { tasks } = server.told['/api/tasks'] as { tasks: object[] };
  let usd = 10;
  for (const hours of [-3, 400]) {
    const before = server.opened();
    await page.clock.setSystemTime(Date.parse(NOW) + hours * 3_600_000);
    // The page sees the jump at its next tick.
    await page.waitForFunction((at) => Math.abs(Date.now() - at) < 600_000, Date.parse(NOW) + hours * 3_600_000);
    await server.opens(before + 1);
    for (const place of PLACES.filter((each) => !/manifest|changes/.test(each))) {
      await go(place);
      for (const time of await page.locator('main time').allInnerTexts()) assert.not.match(time, /-\d|NaN|^in /);
    }
    await go('tasks');
    usd += 1;
    server.tell({ topic: 'tasks', change: { lines: [{ ...tasks[1]!, usd } as never], gone: [] } });
    await page.getByText(`$${usd}.00`).waitFor();
  }
});

link.test('without the cookie it says so', async ({ page, server }) => {
  const no = {
    status: 401,
    message: 'This browser has no cookie of this console.',
    way_out: 'Open the address that tollgate console printed.',
  };
  for (const path of ['/api/page', '/api/events', '/api/now', '/api/tasks']) server.refused[path] = no;
  await page.reload();
  await page.getByText('This browser has no cookie of this console.').first().waitFor();
  await page.getByText('Open the address that tollgate console printed.').first().waitFor();
});

link.test('a task that is deleted while it is shown is said to be gone', async ({ page, server, go }) => {
  await go('tasks/price-rounding');
  server.refused['/api/tasks/price-rounding'] = {
    status: 404,
    message: 'There is no task price-rounding any more: it was archived, or deleted.',
  };
  server.tell({ topic: 'tasks', change: { lines: [], gone: ['price-rounding'] } });
  server.tell({ topic: 'task', id: 'price-rounding' });
  await page.getByText('There is no task price-rounding any more').waitFor();
  await go('tasks');
  await page.getByText('1 task', { exact: true }).waitFor();
});

link.test(
  'what cannot be read is said where it would stand, and can be asked for again',
  async ({ page, server, go }) => {
    server.refused['/api/failures'] = {
      status: 500,
      message: 'state/journal.jsonl of price-rounding is of a newer version.',
      way_out: 'Update tollgate.',
    };
    await go('failures');
    await page.getByText('is of a newer version').waitFor();
    delete server.refused['/api/failures'];
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('table', { name: 'Failures' }).getByText('a evidence').waitFor();
    await page.getByText('is of a newer version').waitFor({ state: 'detached' });
  },
);

link.test('a place that there is not is said', async ({ page }) => {
  await page.evaluate(() => {
    location.hash = '#/nowhere';
  });
  await page.getByRole('heading', { name: 'No such view' }).waitFor();
});

link.test('a refusal that comes after the answer to its request is told', async ({ page, server, go }) => {
  await go('batch');
  server.tell({ topic: 'refusal', refusal: { message: 'It was begun, but was refused.', way_out: 'Mend it.' } });
  const note = page.locator('.notes .notice');
  await note.getByText('It was begun, but was refused.').waitFor();
  await note.getByText('Mend it.').waitFor();
});

link.run();
