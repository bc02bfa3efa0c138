// Waiting on 10,000 calls: from a marker's rename to the line that tells it, beside a bare watcher of the same folder.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { timesOf } from './pairs.ts';
import { type Figure, rowOf } from './row.ts';
import { BenchWorld, command } from './world.ts';

const CALLS = 10_000;
const GOAL = { delayMs: 1, cpuSeconds: 0.5 };

/** Says the name of each file that comes. */
const WATCHER = `
const fs = require('node:fs');
const folder = process.argv[2];
fs.watch(folder, (_, name) => name.endsWith('.done') && fs.existsSync(folder + '/' + name) && console.error('task ' + name.split('.')[0] + ': done'));
process.on('SIGTERM', () => process.exit());
`;

/** The same, which is told each marker by name, looks first who is there, and reads of each how its call ended. */
const READER = `
const fs = require('node:fs');
const path = require('node:path');
const markers = new Map(process.argv.slice(2).map((flag) => [path.basename(flag), flag.split('=')[1]]));
const tell = (name) => {
  let text;
  try {
    text = fs.readFileSync(markers.get(name), 'utf8');
  } catch {
    return;
  }
  console.error('task ' + name.split('.')[0] + ': done, exit ' + JSON.parse(text).exit_code);
};
const folder = path.dirname(markers.values().next().value);
fs.watch(folder, (_, name) => markers.has(name) && tell(name));
for (const name of fs.readdirSync(folder)) if (markers.has(name)) tell(name);
process.on('SIGTERM', () => process.exit());
`;

export const WAITS: Figure = {
  about: `a wait for ${CALLS} calls in one folder, each ended alone, one after another`,
  rounds: null,
  async measure() {
    const world = new BenchWorld();
    try {
      const flagsOf = (folder: string) =>
        Array.from({ length: CALLS }, (_, n) => `--task-${n + 1}-done=${path.join(folder, `${n + 1}.done`)}`);
      const sides = {
        ours: await wait(world, 'ours', (folder) => [command('wait_parallel_tasks'), ...flagsOf(folder)]),
        watched: await wait(world, 'watched', (folder) => [world.write('watch.cjs', WATCHER), folder]),
        read: await wait(world, 'read', (folder) => [world.write('read.cjs', READER), ...flagsOf(folder)]),
      };
      const [watched, read] = ['`fs.watch` alone', '`fs.watch`, each flag and marker read'];
      const delay = (side: keyof typeof sides) => timesOf(sides[side].delays);
      const cpu = (side: keyof typeof sides) => timesOf([sides[side].cpuSeconds]);
      const line = `a wait for ${CALLS} calls, from the end of one to its line`;
      const all = `a wait for ${CALLS} calls, CPU in all`;
      return [
        rowOf(line, 'ms', delay('ours'), { name: watched, ...delay('watched') }, [
          { goal: `≤ ${GOAL.delayMs} ms`, isReached: delay('ours').median <= GOAL.delayMs },
        ]),
        rowOf(line, 'ms', delay('ours'), { name: read, ...delay('read') }),
        rowOf(all, 's', cpu('ours'), { name: watched, ...cpu('watched') }, [
          { goal: `≤ ${GOAL.cpuSeconds} s`, isReached: sides.ours.cpuSeconds <= GOAL.cpuSeconds },
        ]),
        rowOf(all, 's', cpu('ours'), { name: read, ...cpu('read') }),
      ];
    } finally {
      world.dispose();
    }
  },
};

/** Ends each call once the last one's line has come; the first tells that the wait has begun, and is not counted. */
async function wait(world: BenchWorld, name: string, argv: (folder: string) => string[]) {
  const folder = path.join(world.root, name);
  mkdirSync(folder);
  const usage = path.join(world.root, `${name}.usage`);
  const hook = world.write(
    'usage.cjs',
    `process.on('exit', () => require('node:fs').writeFileSync(process.env.USAGE, JSON.stringify(process.resourceUsage())))`,
  );
  const child = spawn(process.execPath, ['--require', hook, ...argv(folder)], {
    env: { ...world.env, USAGE: usage },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({ input: child.stderr });
  const exit = once(child, 'exit');
  const delays: number[] = [];
  for (let n = 1; n <= CALLS; n += 1) {
    const marker = path.join(folder, `${n}.done`);
    writeFileSync(`${marker}.part`, '{"exit_code":0}\n');
    const told = lineOf(lines, `task ${n}: done`);
    if (n === 1) await new Promise((resolve) => setTimeout(resolve, 3000));
    const began = performance.now();
    renameSync(`${marker}.part`, marker);
    await told;
    if (n > 1) delays.push(performance.now() - began);
  }
  child.kill('SIGTERM');
  await exit;
  const { userCPUTime, systemCPUTime } = JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.ResourceUsage;
  return { delays, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 };
}

function lineOf(lines: ReturnType<typeof createInterface>, begin: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (line: string) => {
      if (!line.startsWith(begin)) return;
      lines.off('line', look);
      resolve();
    };
    lines.on('line', look);
  });
}
