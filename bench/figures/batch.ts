// What a batch costs a stage beyond its guardian: one-stage tasks over a no-op CLI, paired with as many bare guardians.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Figure, FigureRow } from './row.ts';
import { BenchWorld, command } from './world.ts';

/** Of a stage: in milliseconds by the clock, and of the dispatcher's CPU; memory in MiB after a tenth, the half and all of them. */
interface BatchTimes {
  guardianMs: number;
  /** Of the half that was faster. */
  guardianMinMs: number;
  batchMs: number;
  cpuMs: number;
  rss: number[];
}

/** At 25 rounds there are 1,000. */
const TASKS_A_ROUND = 40;

export const BATCH: Figure = {
  about: 'a batch, two at once, beside as many bare guardians, half of them before it and half after it',
  async measure(rounds) {
    const world = new BenchWorld();
    try {
      const count = rounds * TASKS_A_ROUND;
      return rowsOf(count, await measureBatch(world, count, 2));
    } finally {
      world.dispose();
    }
  },
};

function rowsOf(count: number, { guardianMs, guardianMinMs, batchMs, cpuMs, rss }: BatchTimes): FigureRow[] {
  const of = `batch of ${count.toLocaleString('en')}, two at once`;
  const [first = 0] = rss;
  const last = rss.at(-1) ?? 0;
  return [
    {
      what: `${of}: a stage`,
      unit: 'ms',
      ours: batchMs,
      min: batchMs,
      peer: { name: 'the bare guardian', value: guardianMs, min: guardianMinMs },
      goals: [{ goal: '≤ 1.25 ×', isReached: batchMs <= 1.25 * guardianMs }],
    },
    {
      what: `${of}: CPU of the dispatcher a stage`,
      unit: 'ms',
      ours: cpuMs,
      min: cpuMs,
      peer: null,
      goals: [{ goal: '≤ 8 ms', isReached: cpuMs <= 8 }],
    },
    {
      what: `${of}: memory at the end, beside a tenth of it`,
      unit: 'MiB',
      ours: last,
      min: Math.min(...rss),
      peer: { name: 'after a tenth', value: first, min: first },
      goals: [{ goal: 'flat (≤ 1.1 ×)', isReached: last <= 1.1 * first }],
    },
  ];
}

export async function measureBatch(world: BenchWorld, count: number, lanes: number): Promise<BatchTimes> {
  const half = Math.floor(count / 2);
  const before = await guardians(world, lanes, half, `g${lanes}a`);
  const { ms, cpuMs, rss } = await batch(world, lanes, count);
  const after = await guardians(world, lanes, count - half, `g${lanes}b`);
  return {
    guardianMs: (before + after) / count,
    guardianMinMs: Math.min(before / half, after / (count - half)),
    batchMs: ms / count,
    cpuMs: cpuMs / count,
    rss,
  };
}

/** A project of its own with that many tasks, and their prompts for those who compose none. */
function makeTasks(world: BenchWorld, project: string, count: number, journal: 'begun' | 'none'): string[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `t${i}`;
    const task = `${project}/.tmp/task/${id}`;
    const manifest = {
      task_id: id,
      goal: 'Nothing.',
      // With a gate that looks at the answer, and at the tree.
      stages: [{ tool: 'codex', role: 'review', requires: [], min_lines: 1 }],
      scope: { allow: ['src/**'] },
    };
    world.write(`${task}/manifest.json`, JSON.stringify(manifest));
    world.write(`${task}/inputs/ask.md`, '# Goal\n\nNothing.\n');
    if (journal === 'begun') beginJournal(world, task);
    return id;
  });
}

/** As a dispatcher has done before it starts a guardian, which then need not read the manifest. */
function beginJournal(world: BenchWorld, task: string): void {
  const budget = { v: 1, at: new Date().toISOString(), fact: 'budget', calls: 10, from: 'manifest' };
  world.write(`${task}/state/journal.jsonl`, `${JSON.stringify(budget)}\n`);
}

async function guardians(world: BenchWorld, lanes: number, count: number, name: string): Promise<number> {
  const project = path.join(world.root, name);
  const ids = makeTasks(world, name, count, 'begun');
  const one = (id: string) => {
    const task = path.join(project, '.tmp/task', id);
    const out = path.join(task, 'outputs/look.codex');
    const argv = [command('run_codex'), `--prompt-file=${task}/inputs/ask.md`, `--out=${out}.out`, `--err=${out}.err`];
    const flags = [`--result=${out}.call.json`, `--task=${task}/`, '--stage=codex_look', `--cwd=${project}`];
    const more = ['--timeout-ms=1800000', '--access=read'];
    const options = { env: world.env, stdio: 'ignore', detached: true } as const;
    const child = spawn(process.execPath, [...argv, ...flags, ...more], options);
    return new Promise<void>((resolve, reject) =>
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a guardian exited ${code}`)))),
    );
  };
  const began = performance.now();
  const lane = async () => {
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) await one(id);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return performance.now() - began;
}

async function batch(world: BenchWorld, lanes: number, count: number) {
  const name = `b${lanes}`;
  const list = world.write(`${name}.txt`, makeTasks(world, name, count, 'none').join('\n'));
  const usage = path.join(world.root, 'usage.json');
  const told = `require('node:fs').writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.resourceUsage()))`;
  const hook = world.write('usage.cjs', `process.on('exit', () => ${told})`);
  const began = performance.now();
  const argv = ['--require', hook, command('tollgate'), 'batch', '--from', list, `--concurrency=${lanes}`];
  const cwd = path.join(world.root, name);
  const child = spawn(process.execPath, argv, { cwd, env: world.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const rss: number[] = [];
  const looks = [Math.ceil(count / 10), Math.ceil(count / 2), count];
  let lines = 0;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines += 1;
    if (!line.includes(': done [')) console.error(line);
    if (looks.includes(lines)) rss.push(rssMib(child.pid!));
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const ms = performance.now() - began;
  if (code !== 0) throw new Error(`the batch exited ${code}`);
  const { userCPUTime, systemCPUTime } = JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.ResourceUsage;
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000, rss };
}

function rssMib(pid: number): number {
  return Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024);
}
