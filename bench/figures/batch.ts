// Measures the cost of a stage in a batch of 1,000 beside as many wrappers (half before, half after), and its memory growth.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { atMostOver, atMostTimes, type Figure, timesOf } from './measure.ts';
import { type BenchWorld, command, inWorld, makeTask, usageIn } from './world.ts';

const TASKS = 1000;
const LANES = 2;

/** A stage whose gate checks the answer and the tree. */
const REVIEW = {
  stages: [{ tool: 'codex', role: 'review', requires: [], min_lines: 1 }],
  scope: { allow: ['src/**'] },
};

export const BATCH: Figure = {
  about: `a batch of ${TASKS}, two at once, over a CLI that ends at once`,
  rounds: null,
  measure: () =>
    inWorld(async (world) => {
      const before = await wrappers(world, TASKS / 2);
      const { ms, cpuMs, mib } = await batch(world);
      const after = await wrappers(world, TASKS / 2);
      const stage = timesOf([ms / TASKS]);
      const times = timesOf([before / (TASKS / 2), after / (TASKS / 2)]);
      const wrapper = { name: 'as many wrappers, two at once', ...times };
      const cpu = timesOf([cpuMs / TASKS]);
      const [tenth, end] = [timesOf([mib[0]!]), timesOf([mib[1]!])];
      const peer = { name: 'after a tenth', ...tenth };
      return [
        { what: 'a stage', unit: 'ms', ours: stage, peer: wrapper, goal: atMostOver(130, stage, wrapper) },
        { what: 'CPU of the dispatcher a stage', unit: 'ms', ours: cpu },
        { what: 'memory at the end', unit: 'MiB', ours: end, peer, goal: atMostTimes(1.1, end, tenth) },
      ];
    }),
};

async function wrappers(world: BenchWorld, count: number): Promise<number> {
  let left = count;
  const lane = async (n: number) => {
    const files = [`--out=w${n}.out`, `--err=w${n}.err`, `--result=w${n}.json`];
    const argv = [command('run_codex'), '--prompt-file=ask.md', ...files, '--trust-workspace'];
    for (; left > 0; ) {
      left -= 1;
      const [code] = await once(
        spawn(process.execPath, argv, { cwd: world.root, env: world.env, stdio: 'ignore' }),
        'exit',
      );
      if (code !== 0) throw new Error(`a wrapper exited ${code}`);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: LANES }, (_, n) => lane(n)));
  return performance.now() - began;
}

async function batch(world: BenchWorld): Promise<{ ms: number; cpuMs: number; mib: number[] }> {
  const ids = Array.from({ length: TASKS }, (_, i) => makeTask(world, `t${i}`, { project: 'p', manifest: REVIEW }));
  const list = world.write('list.txt', ids.join('\n'));
  const usage = usageIn(world);
  const argv = [...usage.flags, command('tollgate'), 'batch', '--from', list, `--concurrency=${LANES}`];
  const began = performance.now();
  const cwd = path.join(world.root, 'p');
  const child = spawn(process.execPath, argv, { cwd, env: world.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const mib: number[] = [];
  let lines = 0;
  createInterface({ input: child.stderr }).on('line', () => {
    lines += 1;
    if (lines === TASKS / 10 || lines === TASKS) mib.push(residentMib(child.pid!));
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`tollgate batch exited ${code}`);
  return { ms: performance.now() - began, cpuMs: usage.last().cpuMs, mib };
}

const residentMib = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
