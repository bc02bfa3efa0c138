// Every view in light and dark, wide and at 360 pixels: nothing keeps anybody from using it, and nothing needs a mouse.

import * as assert from 'uvu/assert';
import { seriousViolations } from './rig/accessibility.ts';
import { pageSuite } from './rig/page-suite.ts';
import { PLACES, toldWorld } from './rig/told-world.ts';

/** With a task parked, so that the last views in the rail count something. It may be the first row, and so has a page, too. */
const access = pageSuite('access', () => {
  const world = toldWorld();
  const { tasks } = world['/api/tasks'] as { tasks: { task_id: string }[] };
  const parked = { ...tasks[0], task_id: 'invoice-dates', state: 'parked' };
  return {
    ...world,
    '/api/tasks': { tasks: [...tasks, parked] },
    '/api/tasks/invoice-dates': world[`/api/tasks/${tasks[0]!.task_id}`]!,
  };
});

access.test('what keeps somebody from using it would be found', async ({ page, go }) => {
  await go('tasks');
  await page.evaluate(() => {
    document.querySelector('h1')!.style.color = '#eee';
    document.querySelector<HTMLInputElement>('main input')!.labels![0]!.remove();
    document.querySelector<HTMLInputElement>('main input')!.placeholder = '';
  });
  const found = (await seriousViolations(page)).map((violation) => violation.split(':')[0]);
  assert.equal(found.sort(), ['critical label', 'serious color-contrast']);
});

for (const scheme of ['light', 'dark'] as const)
  for (const width of [1280, 360])
    access.test(
      `axe finds nothing serious, ${scheme}, ${width} pixels`,
      async ({ page, go }) => {
        const found: string[] = [];
        for (const place of PLACES) {
          await go(place);
          for (const violation of await seriousViolations(page)) found.push(`${place}: ${violation}`);
          const wide = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          if (wide > 0) found.push(`${place}: ${wide} pixels wider than the window`);
        }
        assert.equal(found, []);
      },
      { scheme, width },
    );

access.test('axe finds nothing serious where something is wrong', async ({ page, go, server }) => {
  server.refused['/api/machine'] = { status: 500, message: 'It cannot be looked at.', way_out: 'Look at the disk.' };
  await go('machine');
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
  await server.close();
  await page.getByRole('button', { name: 'Try now' }).waitFor();
  assert.equal(await seriousViolations(page), []);
});

for (const [what, at, name] of [
  ['keys', 'now', /^Keys/],
  ['a budget', 'budgets', 'Set a budget'],
  ['recovery', 'sessions/58d9e1b3-73c5-4137-8fc7-bac02f7e65df', 'Recover …'],
  ['a book', 'distill', 'Distill a book …'],
] as const)
  access.test(`the dialog of ${what} keeps the focus, and gives it back at Escape`, async ({ page, go }) => {
    await go(at);
    const opener = page.getByRole('button', { name });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    assert.equal(await seriousViolations(page), []);
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press('Tab');
      // Between two rounds it may be with the browser's own frame.
      assert.ok(
        await page.evaluate(
          () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
        ),
      );
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const focused = await opener.evaluate(async (at) => {
      for (let n = 0; n < 60 && document.activeElement !== at; n += 1) await new Promise(requestAnimationFrame);
      return document.activeElement === at ? 'the opener' : (document.activeElement?.outerHTML.slice(0, 200) ?? 'none');
    });
    assert.is(focused, 'the opener');
  });

access.test('by Tab alone all that can be used is reached, in the order in which it stands', async ({ page, go }) => {
  for (const place of PLACES) {
    await go(place);
    const wanted = await page.evaluate(() => {
      const all = [
        ...document.querySelectorAll<HTMLElement>(
          'a[href], button, input, select, textarea, summary, [tabindex="0"], .manifest-editor',
        ),
      ];
      return all.filter((at) => at.checkVisibility() && !(at as HTMLButtonElement).disabled).length;
    });
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.evaluate(() => document.querySelector<HTMLElement>('.skip')!.focus());
    const reached = new Set<number>();
    let last = -1;
    for (let n = 0; n < wanted + 5; n += 1) {
      const at = await page.evaluate(() => {
        const all = [...document.querySelectorAll<HTMLElement>('*')];
        return document.activeElement === document.body ? -1 : all.indexOf(document.activeElement as HTMLElement);
      });
      if (at < 0 || reached.has(at)) break;
      assert.ok(at > last, `${place}: back to ${at} after ${last}`);
      reached.add(at);
      last = at;
      await page.keyboard.press('Tab');
    }
    assert.is(reached.size, wanted, place);
  }
});

access.test('the focus is seen wherever it is', async ({ page, go }) => {
  await go('tasks');
  await page.keyboard.press('Tab');
  for (let n = 0; n < 14; n += 1) {
    await page.keyboard.press('Tab');
    const width = await page.evaluate(() => {
      const at = document.activeElement;
      return at === null || at === document.body ? 2 : Number.parseFloat(getComputedStyle(at).outlineWidth);
    });
    assert.ok(width >= 2);
  }
});

access.test('keys lead to the views, to the filter, and through the rows', async ({ page }) => {
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await page.locator('.row-at').first().waitFor();
  await page.locator('.rows').focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.activeElement?.closest('[data-index="0"]') !== null);
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.activeElement?.closest('[data-index="1"]') !== null);
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.activeElement?.closest('[data-index="0"]') !== null);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Parts of the task' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
});

access.test('the first Tab offers to skip the rail, and does', async ({ page }) => {
  await page.keyboard.press('Tab');
  const skip = page.getByRole('button', { name: 'Skip to the view' });
  assert.ok(await skip.evaluate((at) => document.activeElement === at));
  await page.keyboard.press('Enter');
  assert.is(await page.evaluate(() => document.activeElement?.id), 'view');
});

access.test('with reduced motion nothing moves', async ({ page, go }) => {
  await go('now');
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('*')].map(
        (at) => Number.parseFloat(getComputedStyle(at).animationDuration) || 0,
      ),
    ),
  );
  assert.ok(longest <= 0.001, `${longest} s`);
});

access.run();
