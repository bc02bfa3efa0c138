// How soon the console shows something with 10,000 tasks in its project, in a real Chromium, beside a page of one word.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { CHROMIUM, hasChromium, openBrowser, visit } from '../../test/page/rig/browser.ts';
import { inTurns } from './pairs.ts';
import type { Figure } from './row.ts';
import { BenchWorld, command } from './world.ts';

const TASKS = 10_000;
const GOAL = { paintMs: 300, megabytes: 120 };

export const CONSOLE: Figure = {
  about: `\`tollgate console\` over ${TASKS} tasks (Linux alone, with ${CHROMIUM})`,
  rounds: 9,
  async measure(rounds) {
    if (process.platform !== 'linux' || !hasChromium()) return [];
    const world = new BenchWorld();
    makeTasks(world);
    const server = spawn(process.execPath, [command('tollgate'), 'console', '--json'], {
      cwd: world.root,
      env: world.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const gone = once(server, 'exit');
    const plain = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>word</p>'));
    const browser = await openBrowser();
    try {
      const [line] = await once(createInterface({ input: server.stdout! }), 'line');
      const { url } = JSON.parse(line as string) as { url: string };
      const address = await listening(plain);
      const paint = async (of: string) => {
        const { page, close } = await visit(browser, of);
        await page.waitForFunction(PAINTED);
        const ms = await page.evaluate(PAINTED);
        await close();
        return ms as number;
      };
      const { ours, bare } = await inTurns(rounds, {
        ours: () => paint(url),
        bare: () => paint(address),
      });
      const mib = peakOf(server);
      return [
        {
          what: 'first paint of the console',
          unit: 'ms',
          ours: ours.median,
          min: ours.min,
          peer: { name: 'a page of one word', value: bare.median, min: bare.min },
          goals: [{ goal: `< ${GOAL.paintMs} ms`, isReached: ours.median < GOAL.paintMs }],
        },
        {
          what: 'its server, most memory',
          unit: 'MiB',
          ours: mib,
          min: mib,
          peer: null,
          goals: [{ goal: `< ${GOAL.megabytes} MB`, isReached: mib * 1.048576 < GOAL.megabytes }],
        },
      ];
    } finally {
      await browser.close();
      plain.close();
      server.kill('SIGTERM');
      await gone;
      world.dispose();
    }
  },
};

/** Since the page was asked for; nothing until something is painted. */
// A function: the policy of the page lets no text be evaluated.
const PAINTED = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;

function makeTasks(world: BenchWorld): void {
  const at = new Date().toISOString();
  const stages = [{ tool: 'codex', role: 'brief' }];
  for (let n = 0; n < TASKS; n += 1) {
    const id = `t${n}`;
    world.write(`.tmp/task/${id}/manifest.json`, JSON.stringify({ task_id: id, goal: `Goal of number ${n}`, stages }));
    const released = { v: 1, at, fact: 'released', run_id: 'r', exit_code: 0, state: 'done' };
    world.write(`.tmp/task/${id}/state/journal.jsonl`, `${JSON.stringify(released)}\n`);
  }
}

async function listening(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const peakOf = ({ pid }: ChildProcess): number =>
  Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
