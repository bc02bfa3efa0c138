// What the console's page over 10,000 tasks takes once it is there: a load anew, a filter, an event, a long task.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { ConsoleProcess } from '../../test/page/rig/console-process.ts';
import { timesOf } from './pairs.ts';
import { type FigureRow, rowOf } from './row.ts';
import { BAD, copyTask, GOOD, makeTask, runGoodAndBad } from './tasks.ts';
import type { BenchWorld } from './world.ts';

export const TASKS = 10_000;
const ATTEMPTS = 1_000;
export const LONG = 'one-of-many-attempts';

export async function actsOf(
  world: BenchWorld,
  served: ConsoleProcess,
  browser: Browser,
  rounds: number,
): Promise<FigureRow[]> {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(served.url);
  await page.locator('.link-state.live').waitFor();
  const home = `${new URL(served.url).origin}/#/tasks`;
  const took: Record<'rows' | 'filter' | 'event' | 'open', number[]> = { rows: [], filter: [], event: [], open: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Another address in between, since a change behind the # alone loads nothing.
    await page.goto('about:blank');
    await page.goto(home);
    await page.locator('.row-at').first().waitFor();
    took.rows.push(await page.evaluate<number>('performance.now()'));
    took.filter.push(await filtered(page, `t${4_000 + round}`));
    took.event.push(await event(world, page, round));
    took.open.push(await opened(page));
  }
  await context.close();
  const row = (what: string, of: number[], most: number | null) => {
    const times = timesOf(of);
    return rowOf(
      what,
      'ms',
      times,
      null,
      most === null ? [] : [{ goal: `< ${most} ms`, isReached: times.median < most }],
    );
  };
  return [
    row('page of the console loaded anew, rows of all tasks there', took.rows, null),
    row('a filter over all tasks, until it is drawn', took.filter, 50),
    row('a line of a journal, until it is on the page', took.event, 200),
    row(`a task of ${ATTEMPTS.toLocaleString('en')} attempts, until they are drawn`, took.open, 300),
  ];
}

/** In the page itself, from the key to the frame in which its rows stand. */
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

/** The task that the filter shows is done; now it has failed. */
async function event(world: BenchWorld, page: Page, round: number): Promise<number> {
  const id = `t${4_000 + round}`;
  const texts = ['journal.jsonl', 'last_failure.json'].map((name) => {
    const text = readFileSync(path.join(world.root, '.tmp/task', BAD, 'state', name), 'utf8');
    return [`.tmp/task/${id}/state/${name}`, text.replaceAll(BAD, id)] as const;
  });
  const began = performance.now();
  for (const [file, text] of texts) world.write(file, text);
  await page.locator('.row-at .mark.bad').waitFor();
  return performance.now() - began;
}

const opened = (page: Page): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const began = performance.now();
    location.hash = ${JSON.stringify(`#/tasks/${LONG}/attempts`)};
    while (!/no\\. ${ATTEMPTS}/.test(document.querySelector('main').textContent)) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - began;
  })()`);

/** Copies of a task that is done; one that has failed; and one whose failed call is written down a thousand times. */
export function fill(world: BenchWorld): void {
  runGoodAndBad(world);
  const ids = Array.from({ length: TASKS - 3 }, (_, n) => `t${n}`);
  copyTask(world, GOOD, ids);
  makeTask(world, LONG);
  const journal = readFileSync(path.join(world.root, '.tmp/task', BAD, 'state/journal.jsonl'), 'utf8');
  world.write(`.tmp/task/${LONG}/state/journal.jsonl`, manyAttempts(journal));
}

function manyAttempts(journal: string): string {
  const lines = journal.replaceAll(BAD, LONG).trimEnd().split('\n');
  const facts = lines.map(
    (line) => JSON.parse(line) as { call_id?: string; attempt?: number; fact: string; calls?: number },
  );
  const own = facts.filter(({ call_id: id }) => id !== undefined);
  const first = facts.findIndex(({ call_id: id }) => id !== undefined);
  const head = facts.slice(0, first).map((fact) => (fact.fact === 'budget' ? { ...fact, calls: 2 * ATTEMPTS } : fact));
  const many = Array.from({ length: ATTEMPTS }, (_, n) =>
    own.map((fact) => ({
      ...fact,
      call_id: `${fact.call_id}-${n}`,
      ...(fact.attempt === undefined ? {} : { attempt: n + 1 }),
    })),
  );
  const rest = facts.slice(first).filter(({ call_id: id }) => id === undefined);
  return [...head, ...many.flat(), ...rest].map((fact) => `${JSON.stringify(fact)}\n`).join('');
}
