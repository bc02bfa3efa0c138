// The console's page in a Chromium over 10,000 tasks: until it is painted, filtered, told of an event, and a long task is open.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { hasChromium, openBrowser } from '../../test/page/rig/browser.ts';
import { type ConsoleProcess, startConsole } from '../../test/page/rig/console-process.ts';
import type { Figure, FigureRow } from './row.ts';
import { BenchWorld, command } from './world.ts';

const TASKS = 10_000;
const ATTEMPTS = 1_000;
/** Words that stand nowhere else in their files. */
const GOOD = 'one-that-is-done';
const BAD = 'one-that-failed';
const LONG = 'one-of-many-attempts';

const GOALS = { paint: 300, filter: 50, event: 200, open: 300, megabytes: 120 };

export const CONSOLE_PAGE: Figure = {
  about: `the console over ${TASKS.toLocaleString('en')} tasks in a headless Chromium`,
  rounds: 7,
  async measure(rounds) {
    if (!hasChromium()) {
      console.log('console-page: skipped, since there is no /usr/bin/chromium\n');
      return [];
    }
    const world = new BenchWorld();
    let served: ConsoleProcess | null = null;
    let browser: Browser | null = null;
    try {
      makeTasks(world);
      served = await startConsole({ project: world.root, env: world.env });
      browser = await openBrowser();
      return await measured(world, served, browser, rounds);
    } finally {
      await browser?.close();
      await served?.end();
      world.dispose();
    }
  },
};

async function measured(
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
  const took: Record<string, number[]> = { paint: [], rows: [], filter: [], event: [], open: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Another address in between, since a change behind the # alone loads nothing.
    await page.goto('about:blank');
    await page.goto(home);
    await page.locator('.row-at').first().waitFor();
    took.paint!.push(
      await page.evaluate<number>(`performance.getEntriesByName('first-contentful-paint')[0].startTime`),
    );
    took.rows!.push(await page.evaluate<number>('performance.now()'));
    took.filter!.push(await filtered(page, `t${4_000 + round}`));
    took.event!.push(await event(world, page, round));
    took.open!.push(await opened(page));
  }
  const row = (what: string, of: number[], goal: number | null): FigureRow => {
    const median = [...of].sort((a, b) => a - b)[of.length >> 1]!;
    const goals = goal === null ? [] : [{ goal: `< ${goal} ms`, isReached: median < goal }];
    return { what, unit: 'ms', ours: median, min: Math.min(...of), peer: null, goals };
  };
  const mib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${served.pid}/status`, 'utf8'))![1]) / 1024;
  return [
    row('page of the console, first paint', took.paint!, GOALS.paint),
    row('page of the console, rows of all tasks there', took.rows!, null),
    row('a filter over all tasks, until it is drawn', took.filter!, GOALS.filter),
    row('a line of a journal, until it is on the page', took.event!, GOALS.event),
    row(`a task of ${ATTEMPTS.toLocaleString('en')} attempts, until they are drawn`, took.open!, GOALS.open),
    {
      what: 'server of the console, most memory',
      unit: 'MiB',
      ours: mib,
      min: mib,
      peer: null,
      goals: [{ goal: `< ${GOALS.megabytes} MB`, isReached: mib * 1.048576 < GOALS.megabytes }],
    },
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
function makeTasks(world: BenchWorld): void {
  const stages = [{ tool: 'codex', role: 'brief', requires: [], min_lines: 0 }];
  for (const id of [GOOD, BAD]) {
    world.write(`.tmp/task/${id}/manifest.json`, JSON.stringify({ task_id: id, goal: 'Nothing.', stages }));
    if (id === BAD)
      world.write(
        'bin/codex',
        '#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.169.0 && exit\necho "error: no such model" >&2\nexit 1\n',
        0o755,
      );
    world.node([command('tollgate'), 'run', id, '--quiet'], id === BAD ? 1 : 0);
  }
  const tasks = path.join(world.root, '.tmp/task');
  const texts = ['manifest.json', 'state/journal.jsonl'].map(
    (name) => [name, readFileSync(path.join(tasks, GOOD, name), 'utf8')] as const,
  );
  for (let n = 0; n < TASKS - 3; n += 1) {
    mkdirSync(path.join(tasks, `t${n}/state`), { recursive: true });
    for (const [name, text] of texts) writeFileSync(path.join(tasks, `t${n}`, name), text.replaceAll(GOOD, `t${n}`));
  }
  world.write(`.tmp/task/${LONG}/manifest.json`, JSON.stringify({ task_id: LONG, goal: 'Nothing.', stages }));
  world.write(
    `.tmp/task/${LONG}/state/journal.jsonl`,
    manyAttempts(readFileSync(path.join(tasks, BAD, 'state/journal.jsonl'), 'utf8')),
  );
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
